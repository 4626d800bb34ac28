import { expect, test } from 'vitest'
import { isException, isPublicAddress, readExceptions } from './addresses.ts'

test.each([
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'nonsense',
  '',
  '0x7f.1',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:4860:4860::8888',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

test('an exception is a host by its name, or a network by its addresses', () => {
  const exceptions = readExceptions(['Hooks.Internal', '10.1.0.0/16', '192.168.0.7', 'fd00::/8'])
  expect(['hooks.internal', 'HOOKS.internal'].map(exceptions.host)).toEqual([true, true])
  expect(['internal', 'a.hooks.internal', '10.1.0.0/16', '10.1.2.3'].map(exceptions.host)).not.toContain(true)
  expect(['10.1.2.3', '192.168.0.7', 'fd12::1', '::ffff:10.1.2.3'].map(exceptions.address)).not.toContain(false)
  expect(['10.2.0.0', '192.168.0.8', 'fe80::1', 'hooks.internal'].map(exceptions.address)).not.toContain(true)
})

test.each([
  ['hooks.internal', true],
  ['localhost', true],
  ['10.0.0.0/8', true],
  ['fd00::/8', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['*.internal', false],
  ['https://hooks.internal', false],
  ['hooks.internal:8080', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0/8', false],
  ['10.0.0.256', false],
  ['fd00::/129', false],
  ['', false],
])('as an exception %s is valid: %s', (entry, valid) => expect(isException(entry)).toBe(valid))

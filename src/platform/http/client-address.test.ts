import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/harness.ts'
import { mailLinkTo } from '../../../test/people/mailed-links.ts'
import { flushKeyUses } from '../../features/tenancy/api-keys/key-use.ts'
import { networkOf } from './client-address.ts'

const direct = await startApp()
const behindProxy = await startApp({ env: { WATCHWORD_TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' } })
const behindAnother = await startApp({ env: { WATCHWORD_TRUST_PROXY: '10.0.0.0/8' } })

const STRANGER = '203.0.113.9'
const SPOOFS: Record<string, string>[] = [
  { 'x-forwarded-for': STRANGER },
  { 'x-forwarded-for': `${STRANGER}, 127.0.0.1` },
  { forwarded: `for=${STRANGER}` },
  { 'x-real-ip': STRANGER },
  { 'x-client-ip': STRANGER, 'true-client-ip': STRANGER, 'cf-connecting-ip': STRANGER },
]

/** The address from which a key was last used, after a request with these headers. */
async function usedFrom(service: TestApp, headers: Record<string, string>): Promise<string | null> {
  const tenant = await service.tenant()
  expect((await tenant.get('/v1/environments', headers)).status).toBe(200)
  await flushKeyUses(service.app.platform)
  const [key] = (await tenant.get('/v1/api-keys')).body.apiKeys
  return key.lastUsedIp
}

test.each([
  ['nobody', direct],
  ['another proxy', behindAnother],
] as const)('who trusts %s takes no address that a request makes up', async (_, service) => {
  for (const headers of SPOOFS) expect([headers, await usedFrom(service, headers)]).toEqual([headers, '127.0.0.1'])
})

test('who trusts a proxy takes the address that the proxy adds, and nothing from before it', async () => {
  for (const [forwarded, expected] of [
    [STRANGER, STRANGER],
    [`198.51.100.7, ${STRANGER}`, STRANGER],
    [`198.51.100.7, ${STRANGER}, 10.1.2.3`, STRANGER],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:203.0.113.9', STRANGER],
  ] as const)
    expect([forwarded, await usedFrom(behindProxy, { 'x-forwarded-for': forwarded })]).toEqual([forwarded, expected])
  for (const headers of SPOOFS.slice(2))
    expect([headers, await usedFrom(behindProxy, headers)]).toEqual([headers, '127.0.0.1'])
})

/** Posts the form of a page with a chosen Host header. */
async function pressAs(service: TestApp, form: Record<string, string>, headers: Record<string, string>) {
  const body = new URLSearchParams(form).toString()
  const type = 'application/x-www-form-urlencoded'
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const sent = request(`${service.baseUrl}/auth/link`, {
    method: 'POST',
    headers: { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers },
  })
  sent.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject)
  sent.end(body)
  return promise
}

test.each([
  ['nobody', direct, '127.0.0.1'],
  ['its proxy', behindProxy, STRANGER],
] as const)(
  'what a browser sends is recorded with its own address, where %s is trusted',
  async (_, service, expected) => {
    const tenant = await service.tenant()
    const { person, link } = await mailLinkTo(service, tenant, 'recovery')
    // A genuine link with a wrong purpose.
    const wrong = { token_hash: link.token_hash, email: person.email, type: 'magiclink' }
    const headers = {
      'x-forwarded-for': STRANGER,
      'x-forwarded-host': 'evil.example',
      // The end user's address in a header only counts with an API key.
      'x-end-user-ip': '198.51.100.1',
      'x-end-user-agent': 'made up',
      'user-agent': 'Browser/1',
    }
    expect(await pressAs(service, wrong, headers)).toBe(400)
    const rows = await service.app.platform.db
      .selectFrom('events')
      .select(['ip_address', 'user_agent'])
      .where('type', '=', 'auth.login.failed')
      .execute()
    expect(rows).toEqual([{ ip_address: expected, user_agent: 'Browser/1' }])
  },
)

test('a network is an address of IPv4, or 64 bits of IPv6, however it is written', () => {
  for (const ip of ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '203.0.113.9%eth0'])
    expect(networkOf(ip), ip).toBe('203.0.113.9')
  for (const ip of ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2:3::%lo'])
    expect(networkOf(ip), ip).toBe('2001:db8:1:2::/64')
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'))
  expect(networkOf('203.0.113.10')).not.toBe(networkOf('203.0.113.9'))
})

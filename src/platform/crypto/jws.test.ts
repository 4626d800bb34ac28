import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { signJws, toRaw } from './jws.ts'

const input = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0'

test('ES256 signatures are r and s of 32 octets each', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  for (let n = 0; n < 300; n++) {
    const text = Buffer.from(`${input}${n}`)
    const raw = toRaw(sign('sha256', text, privateKey))
    expect(raw).toHaveLength(64)
    expect(verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true)
  }
})

test('a short integer is padded in front, and the zero octet of a large one is dropped', () => {
  // One integer in 512 is shorter than 32 octets, and every second one begins with a zero octet.
  const der = Buffer.from(`302602021234022100${'ff'.repeat(32)}`, 'hex')
  expect(toRaw(der).toString('hex')).toBe(`${'00'.repeat(30)}1234${'ff'.repeat(32)}`)
})

test.for([
  ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['EdDSA', () => generateKeyPairSync('ed25519')],
  ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
] as const)('a signature by %s verifies', ([algorithm, makePair]) => {
  const { privateKey, publicKey } = makePair()
  const signature = Buffer.from(signJws(algorithm, privateKey, input), 'base64url')
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), key, signature)).toBe(true)
  expect(verify(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(`${input}x`), key, signature)).toBe(false)
})

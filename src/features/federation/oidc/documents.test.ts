import { expect, test } from 'vitest'
import { readDiscovery, readKeySet } from './documents.ts'

const issuer = 'https://idp.example'
const document = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256', 'ES256', 7],
}
const read = (more: object) => readDiscovery(Buffer.from(JSON.stringify({ ...document, ...more })), issuer)

test('what is used of a discovery document, and no other algorithms than signatures', () => {
  expect(read({ userinfo_endpoint: 'javascript:alert(1)', other: 'x' })).toEqual({
    ...document,
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    authorization_response_iss_parameter_supported: false,
  })
})

test.each([
  { issuer: `${issuer}/` },
  { issuer: 'https://evil.example' },
  { authorization_endpoint: 'http://idp.example/authorize' },
  { token_endpoint: 'http://idp.example/token' },
  { token_endpoint: 'file:///etc/passwd' },
  { jwks_uri: undefined },
  { jwks_uri: `${issuer}/${'x'.repeat(2048)}` },
])('one with %j is refused', (more) => {
  expect(() => read(more)).toThrow('response_invalid')
})

test.each(['', '[]', 'null', '"x"', '{'])('%j is none', (text) => {
  expect(() => readDiscovery(Buffer.from(text), issuer)).toThrow('response_invalid')
})

test('of a set of keys is kept what verifies signatures, and no more than that takes', () => {
  const keysOf = (keys: unknown[]) => readKeySet(Buffer.from(JSON.stringify({ keys }))).keys
  const key = { kty: 'RSA', kid: 'a', alg: 'RS256', use: 'sig', n: 'n'.repeat(1366), e: 'AQAB' }
  expect(keysOf([{ ...key, x5c: ['x'.repeat(9000)], d: 'secret', key_ops: ['verify'] }])).toEqual([
    { ...key, key_ops: ['verify'] },
  ])
  expect(keysOf([{ ...key, use: 'enc' }, { kty: 'oct', k: 'x' }, 7, null, key])).toEqual([key])
  const long = 'x'.repeat(5000)
  const hostile = { kty: 'EC', kid: long, alg: long, use: long, n: long, e: long, crv: long, x: long, y: long }
  expect(keysOf([hostile])).toEqual([{ kty: 'EC' }])
  const full = { ...key, key_ops: Array(100).fill('x'.repeat(100)), crv: 'c'.repeat(20), kid: 'k'.repeat(300) }
  const kept = keysOf(Array(5000).fill(full))
  expect(kept).toHaveLength(30)
  expect(JSON.stringify(kept).length).toBeLessThan(100 * 1024)
})

import { expect, test } from 'vitest'
import { readDiscovery } from './documents.ts'

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

import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { deflateRawSync } from 'node:zlib'
import { makeCertificate } from '../../src/platform/crypto/certificates.ts'
import { signJws } from '../../src/platform/crypto/jws.ts'
import { fresh } from '../fresh.ts'
import { encryptAssertion, type Said, signXml, writeResponse } from '../peers/saml-messages.ts'

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const NS = 'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
export const IDP = 'https://idp.example'
export const pair = await makeCertificate({ commonName: 'idp', years: 3, from: new Date() })

/** Where a connection is found, as the API shows it. */
export interface Sp {
  entity_id: string
  acs_url: string
  slo_url: string
}

/** What a provider says, filled to a size. */
export function respond(sp: Sp, requestId: string, more: Partial<Said> = {}): string {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  const ids = { responseId: `_${fresh()}`, assertionId: `_${fresh()}`, inResponseTo: requestId }
  const names = { issuer: IDP, assertionIssuer: IDP, nameId: 'ada@acme.example', nameIdFormat: null }
  const addresses = { destination: sp.acs_url, recipient: sp.acs_url, audience: sp.entity_id }
  const times = { confirmedFrom: null, confirmedUntil: at(300), issuedAt: at(0), signedInAt: at(-1) }
  const rest = { sessionIndex: 's', sessionNotOnOrAfter: null, context: 'x', attributes: {}, more: '' }
  const conditions = { notBefore: at(-5), notOnOrAfter: at(300) }
  const method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
  const said = { ...ids, ...names, ...addresses, ...times, ...rest, conditions, method, status: STATUS }
  return writeResponse({ ...said, confirmedInResponseTo: requestId, ...more })
}

const signed = (xml: string) => signXml(xml, 'Assertion', pair)
const values = (count: number, length = 20): Partial<Said> => ({
  attributes: { groups: Array.from({ length: count }, (_, n) => `group ${n} `.padEnd(length, 'x')) },
})

/** Responses of every kind, from small to the limit; `key` is what to encrypt for. */
export function responses(sp: Sp, key: string): [string, (requestId: string) => string][] {
  return [
    ...[0, 100, 300, 1000, 1900].map((count): [string, (id: string) => string] => [
      `response, ${count} values`,
      (id) => signed(respond(sp, id, values(count))),
    ]),
    ['response, 1900 values, signed twice', (id) => signXml(signed(respond(sp, id, values(1900))), 'Response', pair)],
    ['response, one value of 180 KB', (id) => signed(respond(sp, id, values(1, 180_000)))],
    ['response, 1900 values, encrypted', (id) => encryptAssertion(signed(respond(sp, id, values(1900, 5))), key)],
  ]
}

const filled = (name: string, sp: Sp, rest: string) =>
  `<samlp:${name} ${NS} ID="_${fresh()}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${sp.slo_url}">` +
  `<saml:Issuer>${IDP}</saml:Issuer>${rest}</samlp:${name}>`

const indexes = (count: number, length: number) =>
  `<samlp:SessionIndex>${'x'.repeat(length)}</samlp:SessionIndex>`.repeat(count)

/** Requests to log out at the limits: many elements, and much text. */
export function logoutRequest(sp: Sp, kind: 'elements' | 'text'): string {
  const rest = kind === 'elements' ? indexes(70, 10) : indexes(80, 2000)
  return filled('LogoutRequest', sp, `<saml:NameID>ada@acme.example</saml:NameID>${rest}`)
}

export const signedRequest = (sp: Sp, kind: 'elements' | 'text') =>
  signXml(logoutRequest(sp, kind), 'LogoutRequest', pair)

export const deflated = (xml: string) => deflateRawSync(xml).toString('base64')

/** Metadata with so many elements, or with as many certificates as fit. */
export function metadata(elements: number, certificates = 1): string {
  const text = pair.certificatePem.replace(/-----[A-Z ]+-----|\s/g, '')
  const key = `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  return (
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${IDP}">` +
    `<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${key.repeat(certificates)}` +
    `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${IDP}/sso"/>` +
    `${'<md:a b=""/>'.repeat(elements)}</md:IDPSSODescriptor></md:EntityDescriptor>`
  )
}

/** An OpenID provider, and a place for metadata: what it answers is filled to a size. */
export async function startProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'a', use: 'sig', alg: 'ES256' }
  const say = { metadata: metadata(10), keys: [jwk] as object[], groups: 0, nonce: '' }
  const token = () => {
    const now = Math.floor(Date.now() / 1000)
    const groups = Array.from({ length: say.groups }, (_, n) => `g${n}`)
    const claims = { iss: origin, aud: 'client', sub: 'ada', nonce: say.nonce, iat: now, exp: now + 300, groups }
    const parts = [
      { alg: 'ES256', kid: 'a' },
      { ...claims, email: 'ada@acme.example' },
    ]
    const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return { access_token: 'a', token_type: 'Bearer', id_token: `${input}.${signJws('ES256', privateKey, input)}` }
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/metadata') return void response.end(say.metadata)
    const addresses = {
      authorization_endpoint: `${origin}/a`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
    }
    const discovery = { issuer: origin, ...addresses, id_token_signing_alg_values_supported: ['ES256'] }
    const body = path === '/token' ? token() : path === '/jwks' ? { keys: say.keys } : discovery
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { origin, say, jwk, close: () => server.close() }
}

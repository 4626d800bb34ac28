import { X509Certificate } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { SignedXml } from 'xml-crypto'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { encodeMessage, type Said, signXml } from '../../../../test/peers/saml-messages.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  broughtBack,
  makeSamlOrganization,
  postResponse,
  providerPair,
} from '../../../../test/people/saml-connection.ts'
import { attributeOf, elementsOf, readXml } from '../xml/read.ts'
import { nameIdFormats, ns, SUCCESS } from '../xml/saml-names.ts'

// Which sessions a logout request ends, and how it is answered: SAML core §3.7.3, SAML profiles §4.4.

const app = await startApp()
const tenant = await app.tenant()
const IDP_SLO = 'https://idp.example/slo?tenant=1'
const organization = await makeSamlOrganization(app, tenant, { idp_slo_url: IDP_SLO })
const { subOrgId, domain, sp } = organization
const UNKNOWN = ['urn:oasis:names:tc:SAML:2.0:status:Requester', 'urn:oasis:names:tc:SAML:2.0:status:UnknownPrincipal']

type Organization = typeof organization
const sloOf = ({ sp }: Organization) => sp.acs_url.replace('/acs/', '/slo/')

const isLive = async (token = '', { subOrgId } = organization): Promise<boolean> =>
  succeeded(await tenant.post('/v1/auth/token/introspect', { subOrgId, token })).active

async function arrive(said: Partial<Said>, { at = organization, mode = 'query' } = {}) {
  const start = await at.start({ response_mode: mode })
  return broughtBack(await postResponse(app, new URL(at.sp.acs_url).pathname, at.respond(start, said), start.state))
}

/** Signs a person in. Returns a function that checks whether the session is live. */
async function signIn(said: Partial<Said> = {}, at = organization) {
  const { refresh_token } = await arrive(said, { at })
  return () => isLive(refresh_token, at)
}

/** Attributes of the NameID in a logout request. */
const EMAIL = { Format: nameIdFormats.email }

interface Asked {
  name: string
  attributes?: Record<string, string>
  indexes?: string[]
  at?: Organization
}

/** Sends a logout request from the provider. */
async function send({ name, attributes = EMAIL, indexes = [], at = organization }: Asked) {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
  const xml =
    `<samlp:LogoutRequest xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="_${fresh()}" Version="2.0" ` +
    `IssueInstant="${app.app.platform.clock.now().toISOString()}" Destination="${sloOf(at)}">` +
    `<saml:Issuer>${at.entityId}</saml:Issuer><saml:NameID${written.join('')}>${name}</saml:NameID>` +
    `${indexes.map((one) => `<samlp:SessionIndex>${one}</samlp:SessionIndex>`).join('')}</samlp:LogoutRequest>`
  const body = new URLSearchParams({
    SAMLRequest: encodeMessage(signXml(xml, 'LogoutRequest', providerPair)),
    RelayState: 'r&"1',
  })
  return fetch(app.baseUrl + new URL(sloOf(at)).pathname, { method: 'POST', body, redirect: 'manual' })
}

/** The status codes of a response by redirect. */
async function logOut(asked: Asked): Promise<string[]> {
  const reply = await send(asked)
  const packed = new URL(reply.headers.get('location') ?? '').searchParams.get('SAMLResponse') ?? ''
  return codesOf(inflateRawSync(Buffer.from(packed, 'base64')).toString())
}

const codesOf = (xml: string) =>
  elementsOf(readXml(xml)).flatMap((one) => (one.name === 'StatusCode' ? (attributeOf(one, 'Value') ?? []) : []))

test('a request with indexes ends those sessions, and one without any ends all of the person', async () => {
  const nameId = `${fresh()}@${domain}`
  const sessions = [
    await signIn({ nameId, sessionIndex: 'one' }),
    await signIn({ nameId, sessionIndex: 'two' }),
    await signIn({ nameId, sessionIndex: 'three' }),
    await signIn({ nameId: `${fresh()}@${domain}`, sessionIndex: 'one' }),
  ]
  const living = () => Promise.all(sessions.map((lives) => lives()))
  expect(await logOut({ name: nameId, indexes: ['none of these'] })).toEqual([SUCCESS])
  expect(await living()).toEqual([true, true, true, true])
  expect(await logOut({ name: nameId, indexes: ['two', 'other'] })).toEqual([SUCCESS])
  expect(await living()).toEqual([true, false, true, true])
  expect(await logOut({ name: nameId, indexes: ['one', 'two'] })).toEqual([SUCCESS])
  expect(await living()).toEqual([false, false, true, true])
  expect(await logOut({ name: nameId })).toEqual([SUCCESS])
  expect(await living()).toEqual([false, false, false, true])
})

test('a session ends of which the provider did not say which one it is', async () => {
  const nameId = `${fresh()}@${domain}`
  const lives = await signIn({ nameId, sessionIndex: null })
  expect(await logOut({ name: nameId, indexes: ['one'] })).toEqual([SUCCESS])
  expect(await lives()).toBe(false)
})

test('sessions that came by other ways stay', async () => {
  const nameId = `${fresh()}@${domain}`
  const lives = await signIn({ nameId })
  const link = succeeded(
    await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: nameId, deliver: false }),
  )
  const token_hash = new URL(link.url).searchParams.get('token_hash')
  const { session } = succeeded(
    await tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email: nameId, token_hash }),
  )
  expect(await logOut({ name: nameId })).toEqual([SUCCESS])
  expect([await lives(), await isLive(session.refresh_token)]).toEqual([false, true])
})

test('the name is that of the sign-in, with its format, and not that of another connection', async () => {
  const nameId = `${fresh()}@${domain}`
  const lives = await signIn({ nameId, nameIdFormat: nameIdFormats.persistent })
  const elsewhere = await makeSamlOrganization(app, tenant, { idp_slo_url: IDP_SLO })
  expect(await logOut({ name: nameId, at: elsewhere })).toEqual(UNKNOWN)
  await logOut({ name: nameId, attributes: EMAIL })
  const Format = nameIdFormats.persistent
  await logOut({ name: nameId, attributes: { Format, NameQualifier: 'https://other.example' } })
  await logOut({ name: nameId, attributes: { Format, SPNameQualifier: 'https://other.example' } })
  expect(await lives()).toBe(true)
  // The values that an absent qualifier stands for (SAML core §8.3.7).
  const qualified = { Format, NameQualifier: organization.entityId, SPNameQualifier: sp.entity_id }
  expect(await logOut({ name: nameId, attributes: qualified })).toEqual([SUCCESS])
  expect(await lives()).toBe(false)
})

test.each([
  ['a request', nameIdFormats.persistent, {}],
  ['a request as unspecified', nameIdFormats.email, { Format: nameIdFormats.unspecified }],
  ['a sign-in', null, EMAIL],
  ['a sign-in as unspecified', nameIdFormats.unspecified, EMAIL],
])('a format that %s leaves open fits any', async (_, nameIdFormat, attributes) => {
  const nameId = `${fresh()}@${domain}`
  const lives = await signIn({ nameId, nameIdFormat })
  expect(await logOut({ name: nameId, attributes })).toEqual([SUCCESS])
  expect(await lives()).toBe(false)
})

test('finds people by their name where an attribute says who they are, also by one that passes', async () => {
  const other = await makeSamlOrganization(app, tenant, {
    idp_slo_url: IDP_SLO,
    attribute_mapping: { subject: 'uid', email: 'mail' },
  })
  const come = (uid: string, nameId: string, nameIdFormat: string = nameIdFormats.persistent) =>
    signIn({ nameId, nameIdFormat, attributes: { uid: [uid], mail: [`${uid}@${other.domain}`] } }, other)
  const [first, second] = [await come('ada', 'opaque-1'), await come('bo', 'opaque-2')]
  const Format = nameIdFormats.persistent
  // The value of the mapped attribute is not a NameID, so the provider cannot use it.
  expect(await logOut({ name: 'ada', attributes: { Format }, at: other })).toEqual(UNKNOWN)
  expect(await logOut({ name: 'opaque-1', attributes: { Format }, at: other })).toEqual([SUCCESS])
  expect([await first(), await second()]).toEqual([false, true])
  const transient = nameIdFormats.transient
  const [passing, later] = [await come('cy', '_passing-1', transient), await come('cy', '_passing-2', transient)]
  expect(await logOut({ name: '_passing-1', attributes: { Format: transient }, at: other })).toEqual([SUCCESS])
  expect([await passing(), await later()]).toEqual([false, true])
})

test('a code of that sign-in gives no session any more', async () => {
  const nameId = `${fresh()}@${domain}`
  const [one, two] = [
    await arrive({ nameId, sessionIndex: 'one' }, { mode: 'code' }),
    await arrive({ nameId, sessionIndex: 'two' }, { mode: 'code' }),
  ]
  await logOut({ name: nameId, indexes: ['one'] })
  const exchange = async (code = '') => (await tenant.post('/v1/auth/token/exchange', { subOrgId, code })).body.code
  expect([await exchange(one['code']), await exchange(two['code'])]).toEqual(['code_invalid', undefined])
})

test('who is known and signed out already is so with success, and a name of nobody is refused', async () => {
  const nameId = `${fresh()}@${domain}`
  await signIn({ nameId })
  expect(await logOut({ name: nameId })).toEqual([SUCCESS])
  expect(await logOut({ name: nameId })).toEqual([SUCCESS])
  expect(await logOut({ name: `${fresh()}@${domain}` })).toEqual(UNKNOWN)
})

test('a provider that takes messages by a form alone gets the answer by one, signed', async () => {
  const nameId = `${fresh()}@${domain}`
  const lives = await signIn({ nameId })
  await organization.change({ slo_binding: 'post' })
  const reply = await send({ name: nameId })
  await organization.change({ slo_binding: 'redirect' })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  const html = await reply.text()
  expect(html).toContain(`<form method="post" action="${IDP_SLO}">`)
  expect(html).toContain('name="RelayState" value="r&amp;&quot;1"')
  const [, packed = ''] = /name="SAMLResponse" value="([^"]*)"/.exec(html) ?? []
  const answer = readXml(Buffer.from(packed, 'base64').toString())
  expect([answer.name, attributeOf(answer, 'Destination')]).toEqual(['LogoutResponse', IDP_SLO])
  expect(codesOf(Buffer.from(packed, 'base64').toString())).toEqual([SUCCESS])
  const metadata = await (await fetch(app.baseUrl + new URL(sp.metadata_url).pathname)).text()
  const certificate = /X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? ''
  const checker = new SignedXml({ publicCert: new X509Certificate(Buffer.from(certificate, 'base64')).toString() })
  const xml = Buffer.from(packed, 'base64').toString()
  checker.loadSignature(/<(?:ds:)?Signature .*<\/(?:ds:)?Signature>/s.exec(xml)?.[0] ?? '')
  expect([checker.checkSignature(xml), checker.getSignedReferences().length]).toEqual([true, 1])
  expect(checker.getSignedReferences()[0]).toContain('<samlp:LogoutResponse')
  expect(await lives()).toBe(false)
})

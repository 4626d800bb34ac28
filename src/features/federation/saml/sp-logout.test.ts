import { createVerify, X509Certificate } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { encodeMessage, type ProviderPair, signXml } from '../../../../test/peers/saml-messages.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  broughtBack,
  makeSamlOrganization,
  postResponse,
  providerPair,
} from '../../../../test/people/saml-connection.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { RSA_SHA256 } from '../xml/names.ts'
import { signQuery } from '../xml/query-signatures.ts'
import { attributeOf, onlyChild, readXml } from '../xml/read.ts'
import { ns, PARTIAL_LOGOUT, SUCCESS } from '../xml/saml-names.ts'

const app = await startApp()
const tenant = await app.tenant()
const SLO = { idp_slo_url: 'https://idp.example/slo?tenant=1' }
const organization = await makeSamlOrganization(app, tenant, SLO)
const { connectionId, entityId, sp, subOrgId } = organization
const sloUrl = sp.acs_url.replace('/acs/', '/slo/')
const path = new URL(sloUrl).pathname
const stranger = await makeCertificate({ commonName: 'stranger', years: 1, from: new Date() })
const GOODBYE = 'http://localhost:3000/goodbye'

async function signIn(nameId = `${fresh()}@${organization.domain}`) {
  const start = await organization.start()
  return broughtBack(
    await postResponse(app, new URL(sp.acs_url).pathname, organization.respond(start, { nameId }), start.state),
  )
}

const isLive = async (token = '') =>
  succeeded(await tenant.post('/v1/auth/token/introspect', { subOrgId, token })).active

async function leave(more: Record<string, unknown> = {}): Promise<URL> {
  const { refresh_token } = await signIn()
  const body = { subOrgId, refresh_token, redirectUri: GOODBYE, state: 'theirs', ...more }
  return new URL(succeeded(await tenant.post('/v1/auth/login/sso/logout', body)).logoutUrl)
}

const stateOf = (url: URL) => url.searchParams.get('RelayState') ?? ''

interface Said {
  to: string
  issuer: string
  destination: string
  status: string
  second: string | null
  ageSeconds: number
}

function logoutResponse(more: Partial<Said>): string {
  const said = {
    to: '_none',
    issuer: entityId,
    destination: sloUrl,
    status: SUCCESS,
    second: null,
    ageSeconds: 0,
    ...more,
  }
  const at = new Date(app.app.platform.clock.now().getTime() - said.ageSeconds * 1000).toISOString()
  const second = said.second === null ? '' : `<samlp:StatusCode Value="${said.second}"/>`
  return (
    `<samlp:LogoutResponse xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="_${fresh()}" Version="2.0" ` +
    `IssueInstant="${at}" Destination="${said.destination}" InResponseTo="${said.to}"><saml:Issuer>${said.issuer}` +
    `</saml:Issuer><samlp:Status><samlp:StatusCode Value="${said.status}">${second}</samlp:StatusCode></samlp:Status>` +
    '</samlp:LogoutResponse>'
  )
}

const signed = (xml: string, pair: ProviderPair = providerPair) => signXml(xml, 'LogoutResponse', pair)

const post = (xml: string, relayState: string, to = path) => {
  const body = new URLSearchParams({ SAMLResponse: encodeMessage(xml), RelayState: relayState })
  return fetch(app.baseUrl + to, { method: 'POST', body, redirect: 'manual' })
}

const get = (xml: string, relayState: string, pair: ProviderPair = providerPair) => {
  const fields: [string, string][] = [
    ['SAMLResponse', deflateRawSync(xml).toString('base64')],
    ['RelayState', relayState],
  ]
  return fetch(`${app.baseUrl}${path}?${signQuery(fields, pair.privateKeyPem)}`, { redirect: 'manual' })
}

/** A message from a provider that does not sign. The signature is absent completely, or in part. */
const getUnsigned = (xml: string, relayState: string, part = '') =>
  fetch(
    `${app.baseUrl}${path}?SAMLResponse=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}&RelayState=${relayState}${part}`,
    { redirect: 'manual' },
  )

const said = (reply: Response) => {
  const url = new URL(reply.headers.get('location') ?? 'none:')
  return [url.origin + url.pathname, url.searchParams.get('error'), url.searchParams.get('state')]
}

test('ends the session, and takes a signed request of that session to the provider', async () => {
  const { refresh_token, access_token } = await signIn(`ada@${organization.domain}`)
  const body = { subOrgId, refresh_token, redirectUri: GOODBYE, state: 'theirs' }
  const url = new URL(succeeded(await tenant.post('/v1/auth/login/sso/logout', body)).logoutUrl)
  expect(await isLive(access_token)).toBe(false)
  expect(url.href.startsWith('https://idp.example/slo?tenant=1&SAMLRequest=')).toBe(true)
  const request = readXml(inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString())
  expect([request.name, attributeOf(request, 'ID')]).toEqual(['LogoutRequest', `_${stateOf(url)}`])
  expect(attributeOf(request, 'Destination')).toBe(SLO.idp_slo_url)
  expect(onlyChild(request, ns.assertion, 'Issuer')?.text).toBe(sp.entity_id)
  const nameId = onlyChild(request, ns.assertion, 'NameID')
  expect([nameId?.text, nameId && attributeOf(nameId, 'Format')]).toEqual([
    `ada@${organization.domain}`,
    'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  ])
  expect(onlyChild(request, ns.protocol, 'SessionIndex')?.text).toBe('s-1')
  const metadata = await (await fetch(app.baseUrl + new URL(sp.metadata_url).pathname)).text()
  const certificate = /X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? ''
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const octets = url.search.slice(url.search.indexOf('SAMLRequest='), url.search.indexOf('&Signature='))
  const signature = Buffer.from(url.searchParams.get('Signature') ?? '', 'base64')
  expect(createVerify('RSA-SHA256').update(octets).verify(publicKey, signature)).toBe(true)
})

test('the answer of the provider leads back, by a form or by redirect, once', async () => {
  for (const bring of [(xml: string, state: string) => post(signed(xml), state), get]) {
    const state = stateOf(await leave())
    const xml = logoutResponse({ to: `_${state}` })
    expect(said(await bring(xml, state))).toEqual([GOODBYE, null, 'theirs'])
    const replayed = await bring(xml, state)
    expect([replayed.status, replayed.headers.get('location')]).toEqual([400, null])
  }
})

test('what the provider has not done is told by a fixed code', async () => {
  const responder = 'urn:oasis:names:tc:SAML:2.0:status:Responder'
  for (const [status, second, code] of [
    [responder, null, 'idp_error'],
    [responder, PARTIAL_LOGOUT, 'partial_logout'],
    [SUCCESS, PARTIAL_LOGOUT, 'partial_logout'],
  ] as const) {
    const state = stateOf(await leave())
    expect(said(await post(signed(logoutResponse({ to: `_${state}`, status, second })), state))[1]).toBe(code)
  }
})

test('an answer that does not pass its checks is none', async () => {
  const wrong: ((state: string, elsewhere: string) => Promise<Response>)[] = [
    (state) => post(logoutResponse({ to: `_${state}` }), state),
    (state) => post(signed(logoutResponse({ to: `_${state}` }), stranger), state),
    (state) => get(logoutResponse({ to: `_${state}` }), state, stranger),
    (state) => post(signed(logoutResponse({ to: `_${state}`, issuer: 'https://other.example' })), state),
    (state) => post(signed(logoutResponse({ to: `_${state}`, destination: sp.acs_url })), state),
    (state) => post(signed(logoutResponse({ to: '_another' })), state),
    (state) => post(signed(logoutResponse({ to: `_${state}`, ageSeconds: 361 })), state),
    (state) => post(signed(logoutResponse({ to: `_${state}`, ageSeconds: -61 })), state),
    (state) =>
      post(signed(logoutResponse({ to: `_${state}`, status: 'x' })).replace('Value="x"', `Value="${SUCCESS}"`), state),
    (state) => getUnsigned(logoutResponse({ to: `_${state}` }), state),
    (state) => getUnsigned(logoutResponse({ to: `_${state}` }), state, `&SigAlg=${encodeURIComponent(RSA_SHA256)}`),
    (state) => getUnsigned(logoutResponse({ to: `_${state}` }), state, '&Signature=AAAA'),
    (state) => getUnsigned('<a/>', state),
    (state) => post(organization.respond(null), state),
    (state) => post('<a/>', state),
    (state, elsewhere) => post(signed(logoutResponse({ to: `_${state}` })), state, elsewhere),
  ]
  const other = await makeSamlOrganization(app, tenant, SLO)
  for (const [i, bring] of wrong.entries()) {
    const state = stateOf(await leave())
    const reply = await bring(state, path.replace(connectionId, other.connectionId))
    expect([i, ...said(reply)]).toEqual([i, GOODBYE, 'response_invalid', 'theirs'])
  }
})

test('a state of nobody, of a sign-in, or beside a request leads nowhere', async () => {
  const { state } = await organization.start()
  const xml = signed(logoutResponse({ to: `_${state}` }))
  for (const relayState of [state, '', 'x'.repeat(76)])
    for (const bring of [post, getUnsigned]) expect((await bring(xml, relayState)).status).toBe(400)
  const own = stateOf(await leave())
  const both = new URLSearchParams({
    SAMLResponse: encodeMessage(xml),
    SAMLRequest: encodeMessage(xml),
    RelayState: own,
  })
  expect((await fetch(app.baseUrl + path, { method: 'POST', body: both, redirect: 'manual' })).status).toBe(400)
  expect(
    (await fetch(app.baseUrl + path, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' })).status,
  ).toBe(400)
})

test('goes by a form to a provider that takes no other, which has the signed request', async () => {
  await organization.change({ slo_binding: 'post' })
  const url = await leave()
  const page = await fetch(app.baseUrl + url.pathname + url.search)
  const html = await page.text()
  expect(html).toContain('action="https://idp.example/slo?tenant=1"')
  const [, packed = ''] = /name="SAMLRequest" value="([^"]*)"/.exec(html) ?? []
  const request = readXml(Buffer.from(packed, 'base64').toString())
  const state = url.searchParams.get('state') ?? ''
  expect([request.name, attributeOf(request, 'ID')]).toEqual(['LogoutRequest', `_${state}`])
  expect(onlyChild(request, ns.signature, 'Signature')).not.toBeNull()
  const fields = { subOrgId, name: 'Other', protocol: 'saml', ...SLO }
  const { connection: other } = succeeded(await tenant.post('/v1/sso/connections', fields))
  const elsewhere = url.pathname.replace(connectionId, other.id)
  expect((await fetch(app.baseUrl + elsewhere + url.search)).status).toBe(400)
  expect(said(await post(signed(logoutResponse({ to: `_${state}` })), state))).toEqual([GOODBYE, null, 'theirs'])
  expect((await fetch(app.baseUrl + url.pathname + url.search)).status).toBe(400)
  await organization.change({ slo_binding: 'redirect' })
})

test('a provider that is another one by now learns nothing of who signed in at the first', async () => {
  const { refresh_token } = await signIn()
  await organization.change({ idp_entity_id: 'https://other.example' })
  const body = { subOrgId, refresh_token, redirectUri: GOODBYE }
  expect((await tenant.post('/v1/auth/login/sso/logout', body)).body).toEqual({ success: true, logoutUrl: null })
  await organization.change({ idp_entity_id: entityId, idp_slo_url: null })
  const next = await signIn()
  const without = await tenant.post('/v1/auth/login/sso/logout', { ...body, refresh_token: next['refresh_token'] })
  expect(without.body).toEqual({ success: true, logoutUrl: null })
  await organization.change(SLO)
})

import { createSign, createVerify, X509Certificate } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import {
  encodeMessage,
  encryptName,
  type ProviderPair,
  type Signing,
  signXml,
} from '../../../../test/peers/saml-messages.ts'
import {
  broughtBack,
  makeSamlOrganization,
  postResponse,
  providerPair,
} from '../../../../test/people/saml-connection.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { attributeOf, onlyChild, readXml } from '../xml/read.ts'
import { ns, SUCCESS } from '../xml/saml-names.ts'

const app = await startApp()
const tenant = await app.tenant()
const organization = await makeSamlOrganization(app, tenant, { idp_slo_url: 'https://idp.example/slo?tenant=1' })
const { connectionId, entityId, domain, sp } = organization
const sloUrl = sp.acs_url.replace('/acs/', '/slo/')
const path = new URL(sloUrl).pathname
const stranger = await makeCertificate({ commonName: 'stranger', years: 1, from: new Date() })
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

interface SaidOfLogout {
  issuer: string
  destination: string
  nameId: string
  ageSeconds: number
  id: string
}

function logoutRequest(more: Partial<SaidOfLogout> = {}): string {
  const said = {
    issuer: entityId,
    destination: sloUrl,
    nameId: `ada@${domain}`,
    ageSeconds: 0,
    id: `_${fresh()}`,
    ...more,
  }
  const at = new Date(app.app.platform.clock.now().getTime() - said.ageSeconds * 1000).toISOString()
  return (
    `<samlp:LogoutRequest xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="${said.id}" Version="2.0" ` +
    `IssueInstant="${at}" Destination="${said.destination}"><saml:Issuer>${said.issuer}</saml:Issuer>` +
    `<saml:NameID>${said.nameId}</saml:NameID><samlp:SessionIndex>s-1</samlp:SessionIndex></samlp:LogoutRequest>`
  )
}

/** Posts a signed form as a browser does. */
async function post(xml: string, relayState = 'r&1') {
  const body = new URLSearchParams({ SAMLRequest: encodeMessage(xml), RelayState: relayState })
  return fetch(app.baseUrl + path, { method: 'POST', body, redirect: 'manual' })
}

const signed = (xml: string, pair: ProviderPair = providerPair, signing: Signing = {}) => {
  // The helper signs the element with this name.
  return signXml(xml, 'LogoutRequest', pair, signing)
}

/** A signed query. `write` encodes the values as a particular provider does. */
function queryOf(
  xml: string,
  {
    pair = providerPair,
    write = encodeURIComponent,
    algorithm = RSA_SHA256,
    relayState = 'r 1',
  }: {
    pair?: ProviderPair
    write?: (text: string) => string
    algorithm?: string
    relayState?: string | null
  } = {},
): string {
  const octets = [
    `SAMLRequest=${write(deflateRawSync(xml).toString('base64'))}`,
    ...(relayState === null ? [] : [`RelayState=${write(relayState)}`]),
    `SigAlg=${write(algorithm)}`,
  ].join('&')
  const signature = createSign('RSA-SHA256').update(octets).sign(pair.privateKeyPem, 'base64')
  return `${octets}&Signature=${write(signature)}`
}

const get = (query: string) => fetch(`${app.baseUrl}${path}?${query}`, { redirect: 'manual' })

/** Signs Ada in. Returns a function that checks whether the session is live. */
async function signIn(): Promise<() => Promise<boolean>> {
  const start = await organization.start()
  const acs = new URL(sp.acs_url).pathname
  const { access_token: token } = broughtBack(await postResponse(app, acs, organization.respond(start), start.state))
  const body = { subOrgId: organization.subOrgId, token }
  return async () => (await tenant.post('/v1/auth/token/introspect', body)).body.active
}

async function expectAnswer(reply: Response, id: string, relayState: string) {
  const url = new URL(reply.headers.get('location') ?? '')
  expect(url.href.startsWith('https://idp.example/slo?tenant=1&SAMLResponse=')).toBe(true)
  expect(url.searchParams.get('RelayState')).toBe(relayState)
  const packed = Buffer.from(url.searchParams.get('SAMLResponse') ?? '', 'base64')
  const answer = readXml(inflateRawSync(packed).toString())
  expect([answer.name, attributeOf(answer, 'InResponseTo')]).toEqual(['LogoutResponse', id])
  expect(onlyChild(answer, ns.assertion, 'Issuer')?.text).toBe(sp.entity_id)
  expect(JSON.stringify(onlyChild(answer, ns.protocol, 'Status'))).toContain(SUCCESS)
  const metadata = await (await fetch(app.baseUrl + new URL(sp.metadata_url).pathname)).text()
  expect(metadata).toContain(`Location="${sloUrl}"`)
  const certificate = /X509Certificate>([^<]+)</.exec(metadata)?.[1] ?? ''
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const octets = url.search.slice(url.search.indexOf('SAMLResponse='), url.search.indexOf('&Signature='))
  const signature = Buffer.from(url.searchParams.get('Signature') ?? '', 'base64')
  expect(createVerify('RSA-SHA256').update(octets).verify(publicKey, signature)).toBe(true)
}

test('whoever signs out at the provider is signed out here, and the provider gets a signed answer', async () => {
  const lives = await signIn()
  expect(await lives()).toBe(true)
  const reply = await post(signed(logoutRequest({ id: '_first' })))
  expect(reply.status).toBe(303)
  await expectAnswer(reply, '_first', 'r&1')
  expect(await lives()).toBe(false)
  const events = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  expect(events.map(({ data }) => Object(data).reason)).toEqual(['idp_logout'])
  // The user may sign in again.
  expect(await (await signIn())()).toBe(true)
})

test.each([
  ['as most do', encodeURIComponent],
  [
    'in small letters, as AD FS does',
    (text: string) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  ],
  ['with a plus for a space', (text: string) => encodeURIComponent(text).replaceAll('%20', '+')],
])('a request by redirect is verified by its octets, written %s', async (_, write) => {
  const lives = await signIn()
  const reply = await get(queryOf(logoutRequest({ id: `_second-${fresh()}` }), { write }))
  expect(reply.status).toBe(302)
  expect(new URL(reply.headers.get('location') ?? '').searchParams.get('RelayState')).toBe('r 1')
  expect(await lives()).toBe(false)
})

test('a request that does not pass its checks ends no session', async () => {
  const lives = await signIn()
  const posted = [
    logoutRequest(),
    signed(logoutRequest(), stranger),
    signed(logoutRequest()).replace(`>ada@${domain}<`, `>bob@${domain}<`),
    signed(logoutRequest({ nameId: `bob@${domain}` })).replace(`>bob@${domain}<`, `>ada@${domain}<`),
    signed(logoutRequest({ issuer: 'https://other.example' })),
    signed(logoutRequest({ destination: sp.acs_url })),
    signed(logoutRequest({ ageSeconds: 361 })),
    signed(logoutRequest({ ageSeconds: -120 })),
    signed(logoutRequest(), providerPair, { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    organization.respond(null),
    '<a/>',
  ]
  for (const xml of posted) expect([(await post(xml)).status, xml.slice(0, 40)]).toEqual([400, xml.slice(0, 40)])
  const good = queryOf(logoutRequest())
  const queries = [
    queryOf(logoutRequest(), { pair: stranger }),
    good.replace('RelayState=r%201', 'RelayState=r2'),
    good.replace(/&Signature=.*/, ''),
    good.replace(/&SigAlg=.*/, ''),
    // A query parser decodes field names, but the signature covers the names as they were sent.
    good.replace('&RelayState=r%201', '&%52elayState=r%201'),
    `${good.replace('&RelayState=r%201', '')}&%52elayState=r2`,
    `${good}&x%5B=1`,
    `SAMLRequest=${encodeURIComponent(deflateRawSync(logoutRequest()).toString('base64'))}&${good.replace('SAMLRequest=', 'x=')}`,
    queryOf(logoutRequest(), { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    queryOf(logoutRequest({ issuer: 'https://other.example' })),
    queryOf(logoutRequest({ ageSeconds: 361 })),
    queryOf('<a/>'),
    queryOf('x'.repeat(600_000)),
  ]
  for (const query of queries) expect((await get(query)).status).toBe(400)
  const withoutState = queryOf(logoutRequest({ id: `_${fresh()}` }), { relayState: null })
  expect((await get(`${withoutState}&%52elayState=https%3A%2F%2Fevil.example`)).status).toBe(400)
  expect(await lives()).toBe(true)
  const elsewhere = await makeSamlOrganization(app, tenant)
  const other = path.replace(connectionId, elsewhere.connectionId)
  expect((await fetch(`${app.baseUrl}${other}?${queryOf(logoutRequest())}`, { redirect: 'manual' })).status).toBe(400)
  expect(await lives()).toBe(true)
})

test('a request that is longer than any is refused, though it is signed', async () => {
  const long = logoutRequest().replace('</samlp:LogoutRequest>', `${'<x/>'.repeat(100)}</samlp:LogoutRequest>`)
  expect((await post(signed(long))).status).toBe(400)
  expect((await get(queryOf(long.replace(/ID="[^"]*"/, `ID="_${fresh()}"`)))).status).toBe(400)
})

test('a request is good once', async () => {
  const query = queryOf(logoutRequest())
  expect((await get(query)).status).toBe(302)
  const lives = await signIn()
  expect((await get(query)).status).toBe(400)
  expect(await lives()).toBe(true)
})

test('a request for somebody who is nobody here, or of a provider without an address, is answered alike', async () => {
  expect((await post(signed(logoutRequest({ nameId: 'nobody' })))).status).toBe(303)
  await organization.change({ idp_slo_url: null })
  expect((await post(signed(logoutRequest()))).status).toBe(204)
})

test('the answer goes where the provider takes answers, if that is elsewhere', async () => {
  await organization.change({ idp_slo_response_url: 'https://idp.example/slo/done' })
  const reply = await post(signed(logoutRequest({ nameId: 'nobody' })))
  const url = new URL(reply.headers.get('location') ?? '')
  expect([url.origin + url.pathname, url.searchParams.has('SAMLResponse')]).toEqual([
    'https://idp.example/slo/done',
    true,
  ])
  const packed = Buffer.from(url.searchParams.get('SAMLResponse') ?? '', 'base64')
  expect(attributeOf(readXml(inflateRawSync(packed).toString()), 'Destination')).toBe('https://idp.example/slo/done')
  await organization.change({ idp_slo_response_url: null })
  const refused = await tenant.patch(`/v1/sso/connections/${connectionId}?subOrgId=${organization.subOrgId}`, {
    idp_slo_response_url: 'http://idp.example/slo',
  })
  expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'idp_slo_response_url'])
})

test('a provider whose connection is not active signs nobody out', async () => {
  await organization.change({ status: 'active' })
  const lives = await signIn()
  for (const status of ['testing', 'error', 'draft']) {
    await organization.change({ status })
    expect((await post(signed(logoutRequest()))).status).toBe(400)
  }
  expect(await lives()).toBe(true)
  await organization.change({ status: 'active' })
  expect((await post(signed(logoutRequest()))).status).toBeLessThan(400)
  expect(await lives()).toBe(false)
})

test('whoever opens the address without a message is told so in words for people', async () => {
  const replies = [
    await fetch(app.baseUrl + path, { method: 'POST', body: new URLSearchParams({}) }),
    await get(''),
    // In a query, only the signature of the query counts, not a signature in the message.
    await get(`SAMLRequest=${encodeURIComponent(encodeMessage(signed(logoutRequest())))}`),
  ]
  for (const reply of replies) {
    expect([reply.status, reply.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await reply.text()).toContain('go back to your application')
  }
})

test('a request may encrypt who is meant, for the key of the environment', async () => {
  const isLive = await signIn()
  const { body } = await tenant.get('/v1/sso/keys')
  const { certificate } = body.keys.find(({ use }: { use: string }) => use === 'encryption')
  expect((await post(signed(encryptName(logoutRequest(), stranger.certificatePem)))).status).toBe(400)
  expect(await isLive()).toBe(true)
  expect((await post(signed(encryptName(logoutRequest(), certificate.pem)))).status).toBe(204)
  expect(await isLive()).toBe(false)
})

test('an assertion that was on its way when its person signed out lets nobody in; a later one does', async () => {
  const acs = new URL(sp.acs_url).pathname
  const at = (seconds: number) => new Date(app.app.platform.clock.now().getTime() + seconds * 1000).toISOString()
  const enter = async (said: object) => {
    const start = await organization.start()
    return broughtBack(await postResponse(app, acs, organization.respond(start, said), start.state))
  }
  const session = logoutRequest({ nameId: `bo@${domain}` })
  expect((await post(signed(session))).status).toBeLessThan(400)
  const bo = { nameId: `bo@${domain}` }
  expect(await enter({ ...bo, issuedAt: at(-5) })).toMatchObject({ error: 'response_invalid' })
  // The logout does not affect another session of the person, another person, or a later sign-in.
  expect(await enter({ ...bo, issuedAt: at(-5), sessionIndex: 's-2' })).toHaveProperty('access_token')
  expect(await enter({ nameId: `cy@${domain}`, issuedAt: at(-5) })).toHaveProperty('access_token')
  expect(await enter({ ...bo, issuedAt: at(1) })).toHaveProperty('access_token')
  const all = logoutRequest({ nameId: `bo@${domain}` }).replace(/<samlp:SessionIndex>.*<\/samlp:SessionIndex>/, '')
  expect((await post(signed(all))).status).toBeLessThan(400)
  expect(await enter({ ...bo, issuedAt: at(-5), sessionIndex: 's-3' })).toMatchObject({ error: 'response_invalid' })
  // One session id occurs twice, and there are more ids than are stored individually.
  const sessions = (count: number) =>
    Array.from({ length: count }, (_, i) => `<samlp:SessionIndex>t-${i % 21}</samlp:SessionIndex>`).join('')
  const noted = async () => {
    const rows = app.app.platform.db.selectFrom('saml_assertions').where('connection_id', '=', connectionId)
    return (await rows.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
  }
  for (const count of [2, 42]) {
    const [before, one] = [await noted(), all.replace('</samlp:LogoutRequest>', `${sessions(count)}$&`)]
    const request = one.replace(/ ID="[^"]+"/, ` ID="_${fresh()}"`).replaceAll(`bo@${domain}`, `di@${domain}`)
    expect((await post(signed(request))).status).toBeLessThan(400)
    expect((await noted()) - before).toBeLessThan(20)
  }
  expect(await enter({ nameId: `di@${domain}`, issuedAt: at(-5), sessionIndex: 't-20' })).toHaveProperty('error')
})

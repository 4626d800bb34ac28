import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh, freshEmail } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newUser } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const AT = '/v1/auth/discovery'
const SEND = `${AT}/magic-link/send`
const VERIFY = `${AT}/magic-link/verify`

const send = async (email: string, body: object = {}) => succeeded(await tenant.post(SEND, { email, ...body }))
const linkTo = async (email: string) => (await mailedLink(app, email, 'discovery_link')).token_hash

/** Proves a mailbox with a link. Returns the response. */
async function discover(email: string) {
  await send(email)
  return succeeded(await tenant.post(VERIFY, { email, token_hash: await linkTo(email) }))
}

const enter = (subOrgId: string, discovery_token: string) =>
  tenant.post(`${AT}/exchange`, { subOrgId, discovery_token })
const refused = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

test('a link tells what a code does, and its session is that of a link', async () => {
  const email = freshEmail('ada')
  const [subOrgId, stranger] = [await tenant.organization(), await tenant.organization()]
  const user = await newUser(tenant, { subOrgId, email })
  await newUser(tenant, { subOrgId: stranger })
  const found = await discover(email)
  const { otp_id } = succeeded(await tenant.post(`${AT}/otp/send`, { email }))
  const code = await mailedCode(app, email)
  const byCode = succeeded(await tenant.post(`${AT}/otp/verify`, { email, otp_id, code }))
  expect(found.organizations).toEqual(byCode.organizations)
  expect(found.organizations).toMatchObject([{ subOrgId, state: 'active', requires: null }])
  // The next discovery with the same address invalidates the first token.
  expect(refused(await enter(subOrgId, found.discovery_token))).toEqual([400, 'discovery_token_invalid'])
  await app.advance(61)
  const { discovery_token } = await discover(email)
  const { session } = succeeded(await enter(subOrgId, discovery_token))
  expect(session.directory_user_id).toBe(user.id)
  expect(decodeJwt(session.access_token)).toMatchObject({ amr: ['otp'], email_verified: true })
  const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`))
  expect(users[0].sessions).toMatchObject([{ auth_method: 'magic_link' }])
  expect(refused(await enter(subOrgId, discovery_token))).toEqual([400, 'discovery_token_invalid'])
})

test('the mail has a code beside the link, which discovers as well', async () => {
  const email = freshEmail('bea')
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  const sent = await send(email)
  expect(sent).toEqual({
    delivery_hint: expect.any(String),
    expires_at: expect.any(String),
    otp_id: expect.any(String),
  })
  const [mail, ...more] = await app.mails(email)
  expect([mail?.kind, mail?.subject, more]).toEqual(['discovery_link', 'Your sign-in link', []])
  const code = await mailedCode(app, email)
  const found = succeeded(await tenant.post(`${AT}/otp/verify`, { email, otp_id: sent.otp_id, code }))
  expect(found.organizations).toMatchObject([{ subOrgId }])
})

/** The code and the link in one mail. */
async function bothTo(email: string) {
  const { otp_id } = await send(email)
  return {
    code: { email, otp_id, code: await mailedCode(app, email) },
    link: { email, token_hash: await linkTo(email) },
  }
}

test('the link and the code of a mail are one proof, whichever is used first', async () => {
  const subOrgId = await tenant.organization()
  const [first, other] = [freshEmail('lea'), freshEmail('leo')]
  for (const email of [first, other]) await newUser(tenant, { subOrgId, email })
  const byCode = await bothTo(first)
  const { discovery_token } = succeeded(await tenant.post(`${AT}/otp/verify`, byCode.code))
  const late = await tenant.post(VERIFY, byCode.link)
  expect([...refused(late), late.body.reason]).toEqual([400, 'token_invalid', 'withdrawn'])
  // The token from the first proof is still valid.
  succeeded(await enter(subOrgId, discovery_token))
  const byLink = await bothTo(other)
  const found = succeeded(await tenant.post(VERIFY, byLink.link))
  expect(refused(await tenant.post(`${AT}/otp/verify`, byLink.code))).toEqual([401, 'otp_invalid'])
  succeeded(await enter(subOrgId, found.discovery_token))
  // Codes and links for other addresses or purposes stay valid.
  const email = freshEmail('lia')
  await newUser(tenant, { subOrgId, email })
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const signsIn = { subOrgId, email, otp_id, code: await mailedCode(app, email) }
  await app.advance(61)
  const [mine, theirs] = [await bothTo(email), await bothTo(freshEmail('lou'))]
  succeeded(await tenant.post(VERIFY, mine.link))
  succeeded(await tenant.post('/v1/auth/login/otp/verify', signsIn))
  succeeded(await tenant.post(`${AT}/otp/verify`, theirs.code))
})

test('links that are opened give no guesses at codes back, and take none of the one that follows', async () => {
  const email = freshEmail('gus')
  const guess = async (otp_id: string) =>
    (await tenant.post(`${AT}/otp/verify`, { email, otp_id, code: 'wrong' })).body.code
  const judged: string[] = []
  for (let mail = 0; mail < 6; mail++) {
    const { code, link } = await bothTo(email)
    for (let n = 0; n < 3; n++) judged.push(await guess(code.otp_id))
    succeeded(await tenant.post(VERIFY, link))
    await app.advance(61)
  }
  const { code } = await bothTo(email)
  for (let n = 0; n < 5; n++) judged.push(await guess(code.otp_id))
  expect(judged.filter((code) => code === 'otp_invalid')).toHaveLength(20)
  expect(judged.slice(20)).toEqual(Array(3).fill('otp_too_many_attempts'))
})

test('of code and link at two processes at once one discovers', async () => {
  const callers = [tenant, second.as(tenant.key)]
  for (let round = 0; round < 5; round++) {
    const { code, link } = await bothTo(freshEmail('max'))
    const asked = [code, link, link, code].map((proof, i) => {
      const path = 'code' in proof ? `${AT}/otp/verify` : VERIFY
      return (callers[(i + round) % 2] ?? tenant).post(path, proof)
    })
    const statuses = (await Promise.all(asked)).map(({ status }) => status).toSorted()
    expect([
      [200, 400, 400, 401],
      [200, 400, 401, 401],
    ]).toContainEqual(statuses)
  }
})

test('known and unknown addresses are answered and mailed alike', async () => {
  const [known, unknown] = [freshEmail('one'), freshEmail('two')]
  for (const subOrgId of [await tenant.organization(), await tenant.organization()])
    await newUser(tenant, { subOrgId, email: known })
  const replies = [await tenant.post(SEND, { email: known }), await tenant.post(SEND, { email: unknown })]
  const shapes = replies.map(({ status, body, headers }) => [status, Object.keys(body), [...headers.keys()]])
  expect(shapes[1]).toEqual(shapes[0])
  const mails = await Promise.all([known, unknown].map((email) => app.mails(email)))
  expect(mails.map((list) => list.map(({ kind, subject }) => [kind, subject]))).toEqual([
    [['discovery_link', 'Your sign-in link']],
    [['discovery_link', 'Your sign-in link']],
  ])
  expect((await discover(unknown)).organizations).toEqual([])
  const events = await app.events({ accountId: tenant.accountId, type: 'auth.magic_link.sent' })
  expect(events.slice(-1)).toMatchObject([{ target_id: null, organization_id: null, data: { channel: 'email' } }])
})

test('a link is good once, for its own mailbox, at its own place, and until it expires', async () => {
  const email = freshEmail('cleo')
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  await send(email)
  const token_hash = await linkTo(email)
  const invalid = [400, 'token_invalid']
  expect(refused(await tenant.post(VERIFY, { email: freshEmail('other'), token_hash }))).toEqual(invalid)
  for (const path of ['login/magic-link', 'signup/authenticate-email', 'email'])
    expect(refused(await tenant.post(`/v1/auth/${path}/verify`, { subOrgId, email, token_hash }))).toEqual(invalid)
  const other = await app.tenant()
  expect(refused(await other.post(VERIFY, { email, token_hash }))).toEqual(invalid)
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }))
  const { token_hash: signsIn } = await mailedLink(app, email, 'magic_link')
  expect(refused(await tenant.post(VERIFY, { email, token_hash: signsIn }))).toEqual(invalid)
  const callers = [tenant, second.as(tenant.key)]
  const body = { email, token_hash }
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => callers[i % 2]?.post(VERIFY, body)))
  expect(answers.map((answer) => answer?.status).toSorted()).toEqual([200, ...Array(7).fill(400)])
  const late = freshEmail('late')
  await send(late)
  const expiring = await linkTo(late)
  await app.advance(601)
  expect(refused(await tenant.post(VERIFY, { email: late, token_hash: expiring }))).toEqual([400, 'token_expired'])
  const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
  expect(failed.at(-1)).toMatchObject({ organization_id: null, data: { method: 'discovery', reason: 'token_expired' } })
})

test('a newer link voids the older one, and sends are limited per address', async () => {
  const email = freshEmail('dora')
  await send(email)
  const older = await linkTo(email)
  await send(email)
  expect(refused(await tenant.post(VERIFY, { email, token_hash: older }))).toEqual([400, 'token_invalid'])
  await send(email)
  expect(refused(await tenant.post(SEND, { email }))).toEqual([429, 'rate_limited'])
  expect(await app.mails(email)).toHaveLength(3)
})

test('what a link does not open is not found by one, and nobody enters it', async () => {
  const email = freshEmail('eve')
  const [linked, coded] = [await tenant.organization(), await tenant.organization()]
  for (const subOrgId of [linked, coded]) await newUser(tenant, { subOrgId, email })
  const before = await discover(email)
  succeeded(await tenant.put('/v1/organization-apps', { subOrgId: coded, enabledAppIds: ['auth', 'otp'] }))
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId: linked, channel_email: false }))
  expect(refused(await enter(coded, before.discovery_token))).toEqual([403, 'service_disabled'])
  await app.advance(61)
  const { organizations, discovery_token } = await discover(email)
  expect(organizations.map((each: { subOrgId: string }) => each.subOrgId)).toEqual([linked])
  succeeded(await enter(linked, discovery_token))
})

test('who may join by their domain does so by a link', async () => {
  const domain = `${fresh()}.example`
  const email = `gus@${domain}`
  const subOrgId = await tenant.organization()
  await verifyDomain(app, tenant, subOrgId, domain)
  const { discovery_token, organizations } = await discover(email)
  expect(organizations).toMatchObject([{ subOrgId, state: 'joinable' }])
  const { session } = succeeded(await enter(subOrgId, discovery_token))
  const { user } = succeeded(await tenant.get(`/v1/users/${session.directory_user_id}?subOrgId=${subOrgId}`))
  expect(user).toMatchObject({ email, emailVerified: true, role: 'member', source: 'signup' })
})

test('a link leads where the environment allows, and a caller with the scope mails it itself', async () => {
  const owner = await app.tenant()
  const page = 'https://app.example.com/choose'
  const email = freshEmail('fay')
  const asked = (body: object) => owner.post(SEND, { email, ...body })
  succeeded(await owner.patch('/v1/auth/settings/defaults', { allowed_redirect_uris: [page] }))
  expect(refused(await asked({ redirectTo: 'https://evil.example/' }))).toEqual([400, 'invalid_redirect_uri'])
  expect(await app.mails(email)).toEqual([])
  succeeded(await asked({ redirectTo: page }))
  expect((await mailedLink(app, email, 'discovery_link')).url).toMatch(
    /^https:\/\/app\.example\.com\/choose\?token_hash=\w+&email=[^&]+&type=discovery$/,
  )
  const plain = await owner.withKey({ scopes: ['auth.login'] })
  const issuer = await owner.withKey({ scopes: ['auth.login', 'links.issue'] })
  expect(refused(await plain.post(SEND, { email, deliver: false }))).toEqual([403, 'insufficient_scope'])
  const { url, otp_id } = succeeded(await issuer.post(SEND, { email, deliver: false }))
  expect([otp_id, await app.mails(email)]).toEqual([null, expect.objectContaining({ length: 1 })])
  const token_hash = new URL(url).searchParams.get('token_hash')
  expect(succeeded(await owner.post(VERIFY, { email, token_hash })).organizations).toEqual([])
})

test('the page of the service hands the link on, unspent', async () => {
  const owner = await app.tenant()
  const home = 'https://app.example.com/choose'
  const email = freshEmail('hal')
  succeeded(await owner.post(SEND, { email }))
  const { url, token_hash } = await mailedLink(app, email, 'discovery_link')
  const here = url.replace('http://localhost:4000', app.baseUrl)
  let before = await snapshot(app)
  const bare = await (await fetch(here)).text()
  expect(bare).toContain('/v1/auth/discovery/magic-link/verify')
  expect(bare).not.toContain('subOrgId')
  expect(await snapshot(app)).toEqual(before)
  succeeded(await owner.patch('/v1/auth/settings/defaults', { allowed_redirect_uris: [home] }))
  before = await snapshot(app)
  expect(await (await fetch(here)).text()).toContain('Continue to app.example.com')
  const body = new URLSearchParams({ token_hash, email, type: 'discovery' })
  const pressed = await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body, redirect: 'manual' })
  expect(await snapshot(app)).toEqual(before)
  const target = new URL(pressed.headers.get('location') ?? '')
  expect([pressed.status, target.origin + target.pathname]).toEqual([303, home])
  expect(Object.fromEntries(target.searchParams)).toEqual({ token_hash, email, type: 'discovery' })
  succeeded(await owner.post(VERIFY, { email, token_hash }))
})

test('where links are off none is sent or taken, and a key of one organization discovers nothing', async () => {
  const owner = await app.tenant()
  const email = freshEmail('ida')
  succeeded(await owner.post(SEND, { email }))
  const { token_hash } = await mailedLink(app, email, 'discovery_link')
  const scoped = await owner.withKey({ subOrgId: await owner.organization() })
  for (const [path, body] of [
    [SEND, { email }],
    [VERIFY, { email, token_hash }],
  ] as const) {
    expect(refused(await scoped.post(path, body))).toEqual([403, 'sub_org_mismatch'])
    succeeded(await owner.put('/v1/organization-apps/defaults', { enabledAppIds: ['auth', 'otp'] }))
    expect(refused(await owner.post(path, body))).toEqual([403, 'service_disabled'])
    succeeded(await owner.put('/v1/organization-apps/defaults', { enabledAppIds: ['auth', 'otp', 'magic_link'] }))
  }
  succeeded(await owner.post(VERIFY, { email, token_hash }))
  expect(await app.mails(email)).toHaveLength(1)
})

test('a link lives as long as the defaults of the environment say, up to an hour', async () => {
  const other = await app.tenant()
  succeeded(await other.patch('/v1/auth/settings/defaults', { magic_link_ttl_seconds: 3600 }))
  const [inTime, late] = [freshEmail('ida'), freshEmail('joy')]
  for (const email of [inTime, late]) {
    await newUser(other, { email })
    succeeded(await other.post(SEND, { email }))
  }
  const verify = async (email: string) => other.post(VERIFY, { email, token_hash: await linkTo(email) })
  await app.advance(3590)
  expect(succeeded(await verify(inTime)).organizations).toHaveLength(1)
  await app.advance(20)
  expect(refused(await verify(late))).toEqual([400, 'token_expired'])
})

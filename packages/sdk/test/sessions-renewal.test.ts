import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { mailedCode } from '../../../test/people/sign-in.ts'
import { Watchword } from '../src/index.ts'
import { Sessions } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

// Refreshes that the application asks for, refreshes whose response is lost, and sign-outs beside them.

const app = await startApp()
const tenant = await app.tenant()
let ahead = 0
const now = () => Date.now() + ahead * 1000
async function advance(seconds: number) {
  ahead += seconds
  await app.advance(seconds)
}
const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })
const signIn = () => signedInBySdk(app, tenant)
const { iss: issuer, aud: audience } = payloadOf((await signIn()).session.access_token)

/** The sessions of one process, which counts its refreshes. */
function newProcess() {
  const refreshes: string[] = []
  const client = new Watchword({
    url: app.baseUrl,
    apiKey: tenant.key,
    fetch(address, init) {
      if (String(address).endsWith('/refresh')) refreshes.push(String(init?.body))
      return fetch(address, init)
    },
  })
  const jwksUrl = `${app.baseUrl}/.well-known/jwks.json`
  const verifier = new TokenVerifier({ issuer, audience, now, jwksUrl })
  const secret = 'a secret of at least 32 characters, for tests'
  return { sessions: new Sessions({ client, verifier, origin: 'https://app.example.com', secret, now }), refreshes }
}

const requestWith = (setCookie: string | null) => ({ headers: { cookie: (setCookie ?? '').split(';')[0] } })

async function permit(subOrgId: string, userId: string, permission: string) {
  const { role } = await watchword.roles.create({ subOrgId, name: permission, permissions: [permission] } as never)
  await watchword.roles.setForUser(userId, { subOrgId, roleIds: [role.id] })
}

test('a refresh that the application asks for brings a new role at once', async () => {
  const { subOrgId, user, session } = await signIn()
  const { sessions, refreshes } = newProcess()
  const cookie = await sessions.start(session)
  await permit(subOrgId, user.id, 'notes:write')
  expect((await sessions.read(requestWith(cookie))).session?.claims.permissions).not.toContain('notes:write')
  const { session: renewed, setCookie } = await sessions.refresh(requestWith(cookie))
  expect(renewed?.claims.permissions).toContain('notes:write')
  expect(renewed?.claims.sid).toBe(payloadOf(session.access_token).sid)
  const next = await sessions.read(requestWith(setCookie))
  expect([next.setCookie, next.session?.claims.permissions]).toEqual([null, renewed?.claims.permissions])
  expect(refreshes).toHaveLength(1)
  expect(await sessions.refresh({ headers: {} })).toEqual({ session: null, setCookie: null })
})

test('it does so also in a request that has refreshed an expired token already', async () => {
  const { subOrgId, user, session } = await signIn()
  const { sessions, refreshes } = newProcess()
  const cookie = await sessions.start(session)
  await advance(session.expires_in + 10)
  await sessions.read(requestWith(cookie))
  await permit(subOrgId, user.id, 'notes:write')
  const { session: renewed, setCookie } = await sessions.refresh(requestWith(cookie))
  expect([renewed?.claims.permissions.includes('notes:write'), refreshes.length]).toEqual([true, 2])
  // A request that was sent beside it, with the first cookie, goes on from the newest tokens.
  const beside = await sessions.read(requestWith(cookie))
  expect(beside.session?.accessToken).toBe(renewed?.accessToken)
  await advance(session.expires_in + 10)
  expect((await sessions.read(requestWith(setCookie))).session?.claims.directory_user_id).toBe(user.id)
})

test('a refresh after the end of the session signs the browser out', async () => {
  const { subOrgId, user, session } = await signIn()
  const { sessions } = newProcess()
  const cookie = await sessions.start(session)
  await watchword.users.revokeSessions(user.id, { subOrgId })
  const read = await sessions.refresh(requestWith(cookie))
  expect([read.session, read.setCookie]).toEqual([null, expect.stringContaining('Max-Age=0')])
})

test('a browser that has not got the response of a refresh stays signed in for a minute', async () => {
  const { user, session } = await signIn()
  const { sessions, refreshes } = newProcess()
  const cookie = await sessions.start(session)
  await advance(session.expires_in + 10)
  await sessions.read(requestWith(cookie))
  // Longer than Watchword accepts the old token again.
  await advance(50)
  const again = await sessions.read(requestWith(cookie))
  expect([again.session?.claims.directory_user_id, refreshes.length]).toEqual([user.id, 1])
  await advance(session.expires_in + 10)
  expect((await sessions.read(requestWith(again.setCookie))).session?.claims.directory_user_id).toBe(user.id)
})

test('after that minute an old cookie is a replay, which ends the session', async () => {
  const { session } = await signIn()
  const { sessions } = newProcess()
  const cookie = await sessions.start(session)
  await advance(session.expires_in + 10)
  const { setCookie } = await sessions.read(requestWith(cookie))
  await advance(61)
  expect((await sessions.read(requestWith(cookie))).session).toBeNull()
  expect((await sessions.refresh(requestWith(setCookie))).session).toBeNull()
})

test('after a sign-out no cookie of the session signs in, also while its access token lasts', async () => {
  const { session } = await signIn()
  const { sessions } = newProcess()
  const first = await sessions.start(session)
  const { setCookie: late } = await sessions.refresh(requestWith(first))
  expect((await sessions.end(requestWith(first))).error).toBeNull()
  for (const cookie of [first, late]) {
    const read = await sessions.read(requestWith(cookie))
    expect([read.session, read.setCookie]).toEqual([null, expect.stringContaining('Max-Age=0')])
    expect(await sessions.peek(requestWith(cookie))).toBeNull()
  }
})

test('after that minute a refresh on demand follows no remembered one either', async () => {
  const { session } = await signIn()
  const { sessions } = newProcess()
  const cookie = await sessions.start(session)
  await advance(session.expires_in + 10)
  await sessions.read(requestWith(cookie))
  await advance(61)
  expect((await sessions.refresh(requestWith(cookie))).session).toBeNull()
})

test('a sign-out with a cookie that was replaced ends the newest session, and no older cookie brings it back', async () => {
  const { session } = await signIn()
  const { sessions } = newProcess()
  const first = await sessions.start(session)
  const { setCookie: second } = await sessions.refresh(requestWith(first))
  const { setCookie: third, session: newest } = await sessions.refresh(requestWith(second))
  expect((await sessions.end(requestWith(first))).error).toBeNull()
  expect((await watchword.tokens.introspect({ token: newest?.accessToken ?? '' })).active).toBe(false)
  await advance(session.expires_in + 10)
  for (const cookie of [first, second, third]) expect((await sessions.read(requestWith(cookie))).session).toBeNull()
})

test('beside a sign-out, requests with cookies that were replaced get no tokens that this process remembers', async () => {
  const { subOrgId, email } = await signIn()
  // So that a token is replaced twice within the minute.
  await watchword.auth.updateSettings({ subOrgId, access_token_ttl_seconds: 60 })
  const { otp_id } = await watchword.login.otp.send({ subOrgId, email })
  const code = await mailedCode(app, email)
  const { session } = await watchword.login.otp.verify({ subOrgId, email, otp_id, code })
  if (!session) throw new Error('no session')
  const { sessions, refreshes } = newProcess()
  const first = await sessions.start(session)
  await advance(35)
  const { setCookie: second } = await sessions.read(requestWith(first))
  await advance(35)
  expect((await sessions.read(requestWith(second))).setCookie).not.toBeNull()
  await sessions.end(requestWith(first))
  for (const cookie of [first, second]) {
    const read = await sessions.read(requestWith(cookie))
    expect([read.session, read.setCookie]).toEqual([null, expect.stringContaining('Max-Age=0')])
  }
  expect(refreshes).toHaveLength(2)
})

test('a sign-out everywhere ends the other sessions of the user, and a plain one does not', async () => {
  const { subOrgId, email, session } = await signIn()
  const { sessions } = newProcess()
  const isActive = async (token: string) => (await watchword.tokens.introspect({ token })).active
  async function another() {
    const { otp_id } = await watchword.login.otp.send({ subOrgId, email })
    const code = await mailedCode(app, email)
    const { session: found } = await watchword.login.otp.verify({ subOrgId, email, otp_id, code })
    if (!found) throw new Error('no session')
    return found
  }
  const [phone, tablet] = [await another(), await another()]
  await sessions.end(requestWith(await sessions.start(phone)))
  expect([await isActive(phone.access_token), await isActive(session.access_token)]).toEqual([false, true])
  const ended = await sessions.end(requestWith(await sessions.start(tablet)), { everywhere: true })
  expect(ended).toEqual({ setCookie: expect.stringContaining('Max-Age=0'), error: null })
  expect([await isActive(tablet.access_token), await isActive(session.access_token)]).toEqual([false, false])
})

test('a session names its organization, and how long ago the user signed in', async () => {
  const { subOrgId, email, session } = await signIn()
  const { sessions } = newProcess()
  const { session: read } = await sessions.read(requestWith(await sessions.start(session)))
  if (!read) throw new Error('no session')
  const { users } = await watchword.forOrganization(read.organization).users.list()
  expect([read.organization, users.map((one) => one.email)]).toEqual([subOrgId, [email]])
  expect(read.authAge).toBeLessThan(30)
  await advance(300)
  const later = await sessions.read(requestWith(await sessions.start(session)))
  expect(later.session?.authAge).toBeGreaterThan(299)
})

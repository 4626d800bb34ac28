import { randomUUID } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { untilWaiting } from '../../../../test/in-order.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { signedInUser, signIn } from '../../../../test/people/sign-in.ts'
import { signAccessToken } from '../../../platform/crypto/signing-keys.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()

const newSession = () => signedInUser(app, tenant, subOrgId, newEmail())
const refresh = (refresh_token: string) => tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })
const introspect = async (token: string) => (await tenant.post('/v1/auth/token/introspect', { token })).body

test('a refresh answers a successor that refreshes in turn, in the same session', async () => {
  const { session } = await newSession()
  const first = await refresh(session.refresh_token)
  expect(first.status, first.text).toBe(200)
  const second = await refresh(first.body.session.refresh_token)
  expect(second.status).toBe(200)
  const sids = [session, first.body.session, second.body.session].map((tokens) => decodeJwt(tokens.access_token)['sid'])
  expect(new Set(sids).size).toBe(1)
  expect(first.body.session).toMatchObject({ user_id: session.user_id, directory_user_id: session.directory_user_id })
})

test('the same token again at once answers the same successor; later it ends the session', async () => {
  const { session, userId } = await newSession()
  const first = await refresh(session.refresh_token)
  const again = await refresh(session.refresh_token)
  expect(again.body.session.refresh_token).toBe(first.body.session.refresh_token)
  await app.advance(11)
  const replay = await refresh(session.refresh_token)
  expect([replay.status, replay.body.code]).toEqual([401, 'refresh_token_reused'])
  expect((await refresh(first.body.session.refresh_token)).body.code).toBe('refresh_token_invalid')
  expect(await introspect(first.body.session.access_token)).toEqual({ active: false })
  const events = (await app.events({ accountId: tenant.accountId })).filter((event) =>
    JSON.stringify(event.data).includes(userId),
  )
  expect(events.map((event) => event.type).slice(-2)).toEqual(['session.revoked', 'session.refresh_reuse_detected'])
})

test('an older generation is a replay even within the reuse interval', async () => {
  const { session } = await newSession()
  const first = await refresh(session.refresh_token)
  await refresh(first.body.session.refresh_token)
  expect((await refresh(session.refresh_token)).body.code).toBe('refresh_token_reused')
})

test('a changed, foreign or made-up token is invalid and ends nothing', async () => {
  const { session } = await newSession()
  const token = session.refresh_token
  const changed = token.slice(0, 40) + (token[40] === 'a' ? 'b' : 'a') + token.slice(41)
  for (const bad of [changed, `${token}x`, token.slice(0, -1), 'rt_', session.access_token])
    expect((await refresh(bad)).body.code, bad).toBe('refresh_token_invalid')
  const other = await tenant.organization()
  const elsewhere = await tenant.post('/v1/auth/token/refresh', { subOrgId: other, refresh_token: token })
  expect(elsewhere.body.code).toBe('refresh_token_invalid')
  expect((await refresh(token)).status).toBe(200)
})

test('idle and absolute ends hold', async () => {
  const { session } = await newSession()
  await app.advance(7 * 86_400 + 1)
  expect((await refresh(session.refresh_token)).body.code).toBe('refresh_token_invalid')
  let token = (await newSession()).session.refresh_token
  for (let day = 0; day < 30; day += 6) {
    const reply = await refresh(token)
    expect(reply.status, `day ${day}`).toBe(200)
    token = reply.body.session.refresh_token
    await app.advance(6 * 86_400 + 1)
  }
  expect((await refresh(token)).body.code).toBe('refresh_token_invalid')
})

test('the answer says when the refresh token ends: idle, with the session, and no later when it is answered again', async () => {
  const organization = await tenant.organization()
  const settings = { session_idle_timeout_seconds: 1000, session_max_lifetime_seconds: 1500 }
  await tenant.patch('/v1/auth/settings', { subOrgId: organization, ...settings })
  const renew = (refresh_token: string) =>
    tenant.post('/v1/auth/token/refresh', { subOrgId: organization, refresh_token })
  const { session } = await signedInUser(app, tenant, organization, newEmail())
  expect(session.refresh_expires_in).toBe(1000)
  await app.advance(400)
  const first = (await renew(session.refresh_token)).body.session
  expect(first.refresh_expires_in).toBeLessThanOrEqual(1000)
  expect(first.refresh_expires_in).toBeGreaterThan(995)
  await app.advance(5)
  const again = (await renew(session.refresh_token)).body.session
  expect(again.refresh_token).toBe(first.refresh_token)
  expect(again.refresh_expires_in).toBeLessThanOrEqual(first.refresh_expires_in - 5)
  await app.advance(595)
  const last = (await renew(first.refresh_token)).body.session
  expect(last.refresh_expires_in).toBeLessThanOrEqual(500)
  expect(last.refresh_expires_in).toBeGreaterThan(490)
  await app.advance(last.refresh_expires_in + 1)
  expect((await renew(last.refresh_token)).body.code).toBe('refresh_token_invalid')
})

test('introspection tells live tokens, of either kind, from all others', async () => {
  const { session, email, userId } = await newSession()
  expect(await introspect(session.access_token)).toMatchObject({
    active: true,
    token_type: 'access_token',
    sub: session.user_id,
    username: email,
    directory_user_id: userId,
    org_id: subOrgId,
  })
  expect(await introspect(session.refresh_token)).toMatchObject({ active: true, token_type: 'refresh_token' })
  const forged = await new SignJWT(decodeJwt(session.access_token))
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(Buffer.alloc(32, 1))
  const [header = '', payload = ''] = session.access_token.split('.')
  const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`
  for (const bad of [forged, none, `${header}.${payload}.`, `${session.access_token.slice(0, -4)}AAAA`, 'x', 'rt_x'])
    expect(await introspect(bad)).toEqual({ active: false })
  await app.advance(3601)
  expect(await introspect(session.access_token)).toEqual({ active: false })
})

test('a token of whoever may not sign in is not live, even while the session is', async () => {
  const organization = await tenant.organization()
  const { session, userId } = await signedInUser(app, tenant, organization, newEmail())
  const { db } = app.app.platform
  const user = db.updateTable('users').where('id', '=', userId)
  const home = db.updateTable('organizations').where('id', '=', organization)
  const changes = [
    [user.set({ active: false }), user.set({ active: true })],
    [user.set({ deleted_at: new Date() }), user.set({ deleted_at: null })],
    [home.set({ status: 'suspended' }), home.set({ status: 'active' })],
    [home.set({ status: 'archived' }), home.set({ status: 'active' })],
  ] as const
  for (const [change, undo] of changes) {
    await change.execute()
    for (const token of [session.access_token, session.refresh_token])
      expect(await introspect(token), change.compile().sql).toEqual({ active: false })
    await undo.execute()
    expect(await introspect(session.access_token)).toMatchObject({ active: true })
  }
})

test('tokens that are introspected at the same time are each told of by their own session', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, newSession))
  await app.advance(3)
  const told = await Promise.all(people.map(({ session }) => introspect(session.access_token)))
  const claims = people.map(({ session }) => decodeJwt(session.access_token))
  expect(
    told.map(({ active, username, sid, exp, auth_time, org_id }) => [active, username, sid, exp, auth_time, org_id]),
  ).toEqual(
    people.map(({ email }, i) => {
      const { sid, exp, auth_time, org_id } = claims[i] ?? {}
      return [true, email, sid, exp, auth_time, org_id]
    }),
  )
  // A refresh token expires with its session.
  const { rows } = await app.app.platform.database.pool.query(
    'select id, expires_at from sessions where id = any($1)',
    [told.map(({ sid }) => sid)],
  )
  for (const [i, { session }] of people.entries()) {
    const ends = rows.find((row) => row.id === told[i].sid)?.expires_at
    expect((await introspect(session.refresh_token)).exp).toBe(Math.floor(ends.getTime() / 1000))
  }
})

test('a token of an organization that there is not is no token, however well it is signed', async () => {
  const { session } = await newSession()
  const { platform } = app.app
  const claims = decodeJwt(session.access_token)
  const forge = (org_id: unknown) => signAccessToken(platform, tenant.environmentId, { ...claims, org_id })
  const userinfo = (token: string) => app.as(null).get('/v1/auth/userinfo', { authorization: `Bearer ${token}` })
  expect(await introspect(await forge(claims['org_id']))).toMatchObject({ active: true })
  const stranger = await (await app.tenant()).organization()
  for (const org_id of [randomUUID(), stranger, 'nonsense', '']) {
    const token = await forge(org_id)
    expect(await introspect(token)).toEqual({ active: false })
    const revoked = await tenant.post('/v1/auth/token/revoke', { access_token: token, everywhere: true })
    expect([revoked.status, revoked.body]).toEqual([200, { success: true }])
    const refused = await userinfo(token)
    expect([refused.status, refused.body.code]).toEqual([401, 'access_token_invalid'])
  }
  expect(await introspect(session.access_token)).toMatchObject({ active: true })
})

test('a token is no token for a key of another organization, environment or account', async () => {
  const { session } = await newSession()
  const other = await tenant.organization()
  const stranger = await app.tenant()
  const keys = [await tenant.withKey({ subOrgId: other }), await tenant.withKey({ environment: 'staging' }), stranger]
  for (const key of keys) {
    for (const token of [session.access_token, session.refresh_token]) {
      expect((await key.post('/v1/auth/token/introspect', { token })).body).toEqual({ active: false })
      const field = token.startsWith('rt_') ? 'refresh_token' : 'access_token'
      expect((await key.post('/v1/auth/token/revoke', { [field]: token })).body).toEqual({ success: true })
    }
  }
  expect(await introspect(session.access_token)).toMatchObject({ active: true })
})

test('revoking ends the session of a token, or all of its user, and is a success every time', async () => {
  const { session, email } = await newSession()
  await app.advance(61)
  const second = await signIn(app, tenant, subOrgId, email)
  await app.advance(61)
  const third = await signIn(app, tenant, subOrgId, email)
  const revoke = (body: object) => tenant.post('/v1/auth/token/revoke', body)
  for (let i = 0; i < 2; i++)
    expect((await revoke({ refresh_token: session.refresh_token })).body).toEqual({ success: true })
  expect(await introspect(session.access_token)).toEqual({ active: false })
  expect(await introspect(second.access_token)).toMatchObject({ active: true })
  await tenant.post('/v1/auth/logout', { access_token: second.access_token, everywhere: true })
  for (const token of [second.access_token, third.access_token])
    expect(await introspect(token)).toEqual({ active: false })
  expect((await revoke({})).body.code).toBe('invalid_request')
  expect((await revoke({ session_id: randomUUID() })).body.code).toBe('sub_org_required')
})

test('an inactive user and a suspended organization refresh nothing', async () => {
  const organization = await tenant.organization()
  const { session, userId, email } = await signedInUser(app, tenant, organization, newEmail())
  await tenant.patch(`/v1/users/${userId}`, { subOrgId: organization, active: false })
  const reply = await tenant.post('/v1/auth/token/refresh', {
    subOrgId: organization,
    refresh_token: session.refresh_token,
  })
  expect([reply.status, reply.body.code]).toEqual([403, 'user_inactive'])
  expect(await introspect(session.access_token)).toEqual({ active: false })
  await tenant.patch(`/v1/users/${userId}`, { subOrgId: organization, active: true })
  const after = await tenant.post('/v1/auth/token/refresh', {
    subOrgId: organization,
    refresh_token: session.refresh_token,
  })
  expect(after.body.code).toBe('refresh_token_invalid')
  const { body } = await tenant.post('/v1/auth/login/magic-link/send', {
    subOrgId: organization,
    email,
    deliver: false,
  })
  const token_hash = new URL(body.url).searchParams.get('token_hash')
  const verified = { subOrgId: organization, email, token_hash }
  const again = await tenant.post('/v1/auth/login/magic-link/verify', verified)
  const { refresh_token } = again.body.session
  for (const status of ['suspended', 'archived'] as const) {
    // Written to the database directly, since a change through the API would end the session.
    const home = app.app.platform.db.updateTable('organizations').where('id', '=', organization)
    await home.set({ status }).execute()
    const refused = await tenant.post('/v1/auth/token/refresh', { subOrgId: organization, refresh_token })
    expect([refused.status, refused.body.code]).toEqual([403, 'organization_suspended'])
    await home.set({ status: 'active' }).execute()
  }
  expect((await tenant.post('/v1/auth/token/refresh', { subOrgId: organization, refresh_token })).status).toBe(200)
})

test('a staging token is issued by another issuer and none of the production keys verifies it', async () => {
  const staging = await tenant.withKey({ environment: 'staging' })
  const user = await signedInUser(app, staging, subOrgId, newEmail())
  const production = await newSession()
  const issuers = [user.session, production.session].map((tokens) => decodeJwt(tokens.access_token).iss)
  expect(new Set(issuers).size).toBe(2)
  expect(await introspect(user.session.access_token)).toEqual({ active: false })
})

test('a refresh token that was rotated is not live, though its session is', async () => {
  const { session } = await newSession()
  const { body } = await refresh(session.refresh_token)
  expect(await introspect(session.refresh_token)).toEqual({ active: false })
  expect(await introspect(body.session.refresh_token)).toMatchObject({ active: true, token_type: 'refresh_token' })
  expect(await introspect(session.access_token)).toMatchObject({ active: true })
})

test('that holds among tokens of the same sessions that are introspected at the same time', async () => {
  const sessions = await Promise.all(Array.from({ length: 5 }, newSession))
  const asked = await Promise.all(
    sessions.map(async ({ session, email }) => {
      const rotated = (await refresh(session.refresh_token)).body.session
      return [
        [session.refresh_token, false, undefined],
        [rotated.refresh_token, true, email],
        [rotated.access_token, true, email],
      ] as const
    }),
  )
  const told = await Promise.all(asked.flat().map(([token]) => introspect(token)))
  expect(told.map(({ active, username }) => [active, username])).toEqual(
    asked.flat().map(([, active, username]) => [active, username]),
  )
})

test('nobody ends a session by a refresh token of their own making, of whatever generation', async () => {
  const { session } = await newSession()
  const first = await refresh(session.refresh_token)
  const used = session.refresh_token
  await app.advance(11)
  // Changes the generation, the secret and the tag, one at a time.
  for (const at of [50, 60, used.length - 1]) {
    const changed = used.slice(0, at) + (used[at] === 'a' ? 'b' : 'a') + used.slice(at + 1)
    expect((await refresh(changed)).body.code, String(at)).toBe('refresh_token_invalid')
  }
  expect(await introspect(first.body.session.access_token)).toMatchObject({ active: true })
  const events = await app.events({ accountId: tenant.accountId, type: 'session.refresh_reuse_detected' })
  expect(events.filter(({ target_id }) => target_id === decodeJwt(session.access_token)['sid'])).toEqual([])
})

test('of a session that has ended no token of before is a replay', async () => {
  const { session } = await newSession()
  const first = await refresh(session.refresh_token)
  await tenant.post('/v1/auth/logout', { refresh_token: first.body.session.refresh_token })
  for (const { refresh_token } of [session, first.body.session])
    expect((await refresh(refresh_token)).body.code).toBe('refresh_token_invalid')
})

test('a session that ends while it is refreshed has no successor', async () => {
  const { session } = await newSession()
  const sid = String(decodeJwt(session.access_token)['sid'])
  const { db } = app.app.platform
  const { reply } = await db.transaction().execute(async (tx) => {
    await tx.selectFrom('sessions').select('id').where('id', '=', sid).forUpdate().execute()
    const reply = refresh(session.refresh_token)
    await untilWaiting(app.app.platform, 1)
    await tx
      .updateTable('sessions')
      .set({ revoked_at: new Date(), revoked_reason: 'revoked' })
      .where('id', '=', sid)
      .execute()
    return { reply }
  })
  expect([(await reply).status, (await reply).body.code]).toEqual([401, 'refresh_token_invalid'])
})

test('whoever has the id of a session alone needs the scope to revoke sessions; a token is its own permission', async () => {
  const weak = await tenant.withKey({ scopes: ['auth.login'], subOrgId })
  const strong = await tenant.withKey({ scopes: ['auth.login', 'sessions.revoke'], subOrgId })
  const [{ session }, other] = [await newSession(), await newSession()]
  const idOf = ({ access_token }: typeof session) => String(decodeJwt(access_token)['sid'])
  for (const path of ['/v1/auth/token/revoke', '/v1/auth/logout'])
    for (const body of [{ session_id: idOf(session) }, { session_id: idOf(session), everywhere: true }]) {
      const reply = await weak.post(path, body)
      expect([reply.status, reply.body.code, reply.body.scope]).toEqual([403, 'insufficient_scope', 'sessions.revoke'])
    }
  const leaving = { session_id: idOf(session), redirectUri: 'http://localhost:3000/goodbye' }
  const refused = await weak.post('/v1/auth/login/sso/logout', leaving)
  expect([refused.status, refused.body.code, refused.body.scope]).toEqual([
    403,
    'insufficient_scope',
    'sessions.revoke',
  ])
  expect(await introspect(session.access_token)).toMatchObject({ active: true })
  expect((await strong.post('/v1/auth/logout', { session_id: idOf(session) })).body).toEqual({ success: true })
  expect(await introspect(session.access_token)).toEqual({ active: false })
  const { refresh_token } = other.session
  expect((await weak.post('/v1/auth/logout', { refresh_token, everywhere: true })).body).toEqual({ success: true })
  expect(await introspect(other.session.access_token)).toEqual({ active: false })
})

import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail, newPasswordUser, newPendingUser } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp({ costlyHashes: true })
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const NEW = 'a quite different sentence'

const userWithPassword = (subOrgId: string, extra: { mustChange?: boolean } = {}) =>
  newPasswordUser(tenant, { subOrgId, password: PASSWORD, ...extra })

const login = (subOrgId: string, email: string, password: string, headers = {}) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password }, headers)

const rowsOf = (table: 'sessions' | 'password_credentials', userId: string) =>
  app.app.platform.db.selectFrom(table).selectAll().where('user_id', '=', userId).execute()

test('a password opens a session that says so', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await userWithPassword(subOrgId)
  const reply = await login(subOrgId, email.toUpperCase(), PASSWORD)
  expect(reply.status, reply.text).toBe(200)
  const { session } = reply.body
  expect(session.directory_user_id).toBe(id)
  expect(decodeJwt(session.access_token)).toMatchObject({ amr: ['pwd'], aal: 'aal1', email_verified: false })
  const [row] = await rowsOf('sessions', id)
  expect(row).toMatchObject({ auth_method: 'password', amr: ['pwd'] })
  // The first attempt was right, so no count remains.
  expect(await app.app.platform.db.selectFrom('lockouts').selectAll().execute()).toEqual([])
})

test('wrong password, no password and unknown answer alike, and make nothing; what is no address is told so', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await userWithPassword(subOrgId)
  const without = newEmail()
  await tenant.post('/v1/users', { subOrgId, email: without })
  const replies = await Promise.all(
    [email, without, newEmail()].map((each) => login(subOrgId, each, 'not the password')),
  )
  const [first] = replies
  for (const reply of replies) {
    expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
    const { request_id: _, ...rest } = reply.body
    const { request_id: __, ...expected } = first?.body ?? {}
    expect(rest).toEqual(expected)
    expect(reply.headers.get('www-authenticate')).toBeNull()
  }
  expect(await rowsOf('sessions', id)).toEqual([])
  const malformed = await login(subOrgId, 'not an address', PASSWORD)
  expect([malformed.status, malformed.body.errors]).toMatchObject([400, [{ field: 'email' }]])
})

test('the same user name in another organization has another password', async () => {
  const [one, other] = [await tenant.organization(), await tenant.organization()]
  const { email } = await userWithPassword(one)
  await tenant.post('/v1/users', { subOrgId: other, email })
  expect((await login(other, email, PASSWORD)).status).toBe(401)
  expect((await login(one, email, PASSWORD)).status).toBe(200)
})

test('a password that must change opens nothing but the choice of another', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await userWithPassword(subOrgId, { mustChange: true })
  const wrong = await login(subOrgId, email, 'something else entirely')
  expect([wrong.status, wrong.body.token_hash]).toEqual([401, undefined])
  const refused = await login(subOrgId, email, PASSWORD)
  expect([refused.status, refused.body.code]).toEqual([403, 'password_change_required'])
  const { token_hash } = refused.body
  const verify = await tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  expect(verify.status).toBe(400)
  const change = (password: string) =>
    tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password })
  expect((await change(PASSWORD)).body).toMatchObject({ code: 'weak_password', reasons: ['reused'] })
  const confirm = await change(NEW)
  expect(confirm.status, confirm.text).toBe(200)
  // The user signed up with a password and has not proved the mailbox.
  expect((await tenant.get(`/v1/users/${id}`)).body.user.emailVerified).toBe(false)
  expect((await login(subOrgId, email, PASSWORD)).status).toBe(401)
  expect((await login(subOrgId, email, NEW)).status).toBe(200)
})

test('require_email_verification keeps a right password out until the mailbox is proved', async () => {
  const subOrgId = await tenant.organization()
  const { email } = await userWithPassword(subOrgId)
  await tenant.patch('/v1/auth/settings', { subOrgId, require_email_verification: true })
  const refused = await login(subOrgId, email, PASSWORD)
  expect([refused.status, refused.body.code]).toEqual([403, 'verification_required'])
  expect((await login(subOrgId, email, 'wrong password here')).status).toBe(401)
  await signIn(app, tenant, subOrgId, email)
})

test('email_password_enabled off closes every route of passwords', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await userWithPassword(subOrgId)
  await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: false })
  const replies = [
    await login(subOrgId, email, PASSWORD),
    await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }),
    await tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash: 'x', password: NEW }),
    await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: NEW }),
    await tenant.post(`/v1/users/${id}/password/reset`, { subOrgId }),
  ]
  for (const reply of replies) expect([reply.status, reply.body.code]).toEqual([403, 'method_disabled'])
  expect((await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).body.methods).not.toContainEqual(
    expect.objectContaining({ id: 'password' }),
  )
})

test('new parameters reach a stored hash at the next sign-in', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await userWithPassword(subOrgId)
  const [before] = await rowsOf('password_credentials', id)
  await tenant.patch('/v1/auth/settings', { subOrgId, password_hash_iterations: 3 })
  expect((await login(subOrgId, email, PASSWORD)).status).toBe(200)
  const [after] = await rowsOf('password_credentials', id)
  expect(before && 'hash' in before && before.hash).toContain('$m=19456,t=2,p=1$')
  expect(after && 'hash' in after && after.hash).toContain('t=3')
  expect((await login(subOrgId, email, PASSWORD)).status).toBe(200)
})

test('force-setting ends sessions, codes and links, and tells the user', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await userWithPassword(subOrgId)
  const { session } = (await login(subOrgId, email, PASSWORD)).body
  const otp = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
  await tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  const link = await mailedLink(app, email, 'password_reset')
  const set = await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: NEW })
  expect(set.body).toEqual({ success: true, sessions_revoked: 1 })
  expect((await tenant.post('/v1/auth/token/introspect', { token: session.access_token })).body.active).toBe(false)
  const { token_hash } = link
  const confirm = await tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password: NEW })
  expect([confirm.status, confirm.body.code]).toEqual([400, 'token_invalid'])
  const code = (await app.mails(email)).find((mail) => mail.kind === 'login_otp')?.text.match(/^[a-z]+ [a-z]+$/m)?.[0]
  const verify = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id: otp.body.otp_id, code })
  expect(verify.body.code).toBe('otp_expired')
  expect((await app.mails(email)).at(-1)).toMatchObject({ kind: 'password_changed' })
  // The caller may keep the sessions, but mailed codes and links end in any case.
  const again = (await login(subOrgId, email, NEW)).body.session
  const kept = await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD, revokeSessions: false })
  expect(kept.body).toEqual({ success: true, sessions_revoked: 0 })
  expect((await tenant.post('/v1/auth/token/introspect', { token: again.access_token })).body.active).toBe(true)
})

test('the history and the policy refuse, and nothing changes', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, password_history: 2 })
  const { id, email } = await userWithPassword(subOrgId)
  const set = (password: string) => tenant.put(`/v1/users/${id}/password`, { subOrgId, password })
  expect((await set(NEW)).status).toBe(200)
  for (const reused of [NEW, PASSWORD]) {
    const reply = await set(reused)
    expect([reply.status, reply.body.code, reply.body.reasons]).toEqual([422, 'weak_password', ['reused']])
  }
  expect((await set('a third one, long enough')).status).toBe(200)
  expect((await set(PASSWORD)).status).toBe(200)
  for (const [password, code] of [
    ['tiny#1', 'weak_password'],
    ['x'.repeat(129), 'weak_password'],
    ['password123', 'password_breached'],
    [`${email.split('@')[0]}!`, 'weak_password'],
  ]) {
    const reply = await set(String(password))
    expect([reply.status, reply.body.code], password).toEqual([422, code])
    expect(reply.text).not.toContain(password)
  }
  expect((await login(subOrgId, email, PASSWORD)).status).toBe(200)
})

test('nothing is attached to a sign-up before its proof', async () => {
  const { subOrgId, email, id } = await newPendingUser(app.app.platform.db, tenant)
  const set = await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
  expect([set.status, set.body.code]).toEqual([403, 'verification_required'])
  const reset = await tenant.post(`/v1/users/${id}/password/reset`, { subOrgId })
  expect([reset.status, reset.body.code]).toEqual([403, 'verification_required'])
  await tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  expect((await app.mails(email)).map((mail) => mail.kind)).toEqual([])
})

test('a password moves with its user and goes with them', async () => {
  const [one, other] = [await tenant.organization(), await tenant.organization()]
  const { id, email } = await userWithPassword(one)
  await tenant.post(`/v1/users/${id}`, { subOrgId: one, targetSubOrgId: other })
  expect((await login(other, email, PASSWORD)).status).toBe(200)
  expect((await login(one, email, PASSWORD)).status).toBe(401)
  await tenant.delete(`/v1/users/${id}?subOrgId=${other}`)
  expect(await rowsOf('password_credentials', id)).toEqual([])
  await tenant.post('/v1/users', { subOrgId: other, email })
  expect((await login(other, email, PASSWORD)).status).toBe(401)
})

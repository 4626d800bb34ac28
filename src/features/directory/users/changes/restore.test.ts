import { expect, test } from 'vitest'
import { freshEmail } from '../../../../../test/fresh.ts'
import { startApp } from '../../../../../test/harness.ts'
import { codeOf, enrollTotp, succeeded } from '../../../../../test/people/factors.ts'
import { newHolder, signInBy } from '../../../../../test/people/passkeys.ts'
import { newPasswordUser } from '../../../../../test/people/people.ts'
import { provisioned } from '../../../../../test/people/scim.ts'
import { addUser, answered, USER } from '../../../../../test/people/scim-answers.ts'
import { signedInUser, signIn } from '../../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const DAY = 86_400

async function organization() {
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  const restore = (id: string, by: Pick<typeof caller, 'post'> = caller) => by.post(`/v1/users/${id}/restore`)
  const deleted = async () => (await caller.get('/v1/users?deleted=true&include_total=true')).body
  return { subOrgId, caller, restore, deleted }
}

const typesOf = async (id: string) =>
  (await app.events({ accountId: tenant.accountId })).filter((event) => event.target_id === id).map(({ type }) => type)

test('a deleted user is listed with the others who can be restored, and comes back as they were but for what ended', async () => {
  const { subOrgId, caller, restore, deleted } = await organization()
  const email = freshEmail()
  const { session, userId } = await signedInUser(app, tenant, subOrgId, email)
  const profile = { displayName: 'Ada', externalId: 'crm-1', metadata: { a: [1] } }
  succeeded(await caller.patch(`/v1/users/${userId}`, profile))
  succeeded(await caller.put(`/v1/rbac/users/${userId}/roles`, { role: 'admin' }))
  const { user } = succeeded(await caller.get(`/v1/users/${userId}`))
  succeeded(await caller.delete(`/v1/users/${userId}`))
  const [gone] = (await deleted()).users
  expect(await deleted()).toMatchObject({ users: [{ id: user.id, email, deletedAt: expect.any(String) }], total: 1 })
  expect((await caller.get('/v1/users')).body.users).toEqual([])
  const reply = await restore(user.userId)
  expect(reply.status, reply.text).toBe(200)
  const { updatedAt } = reply.body.user
  expect(reply.body.user).toEqual({ ...user, role: 'member', roleIds: [], updatedAt, deletedAt: null })
  expect(Date.parse(gone.deletedAt)).toBeLessThanOrEqual(Date.parse(updatedAt))
  expect((await deleted()).users).toEqual([])
  expect((await caller.get(`/v1/users/${userId}`)).body.user).toEqual(reply.body.user)
  expect((await typesOf(user.id)).slice(-2)).toEqual(['user.deleted', 'user.restored'])
  const refresh = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  expect([refresh.status, refresh.body.code]).toEqual([401, 'refresh_token_invalid'])
  expect((await signIn(app, tenant, subOrgId, email)).access_token).toEqual(expect.any(String))
})

test('what was deactivated stays so, and no password comes back', async () => {
  const { subOrgId, caller, restore } = await organization()
  const password = 'correct horse battery staple'
  const { id, email } = await newPasswordUser(tenant, { subOrgId, password })
  await caller.delete(`/v1/users/${id}`)
  expect((await restore(id)).body.user).toMatchObject({ active: true, status: 'active' })
  const refused = await tenant.post('/v1/auth/login/password', { subOrgId, email, password })
  expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials'])
  await caller.patch(`/v1/users/${id}`, { active: false })
  await caller.delete(`/v1/users/${id}`)
  expect((await restore(id)).body.user).toMatchObject({ active: false, status: 'inactive' })
})

test('second factors and passkeys come back, so that deleting and restoring takes nobody’s away', async () => {
  const { subOrgId } = await organization()
  const weak = await tenant.withKey({ subOrgId, scopes: ['users.write', 'auth.login'] })
  const holder = await newHolder(tenant, subOrgId)
  const { userId, email } = holder
  const { secret, backupCodes } = await enrollTotp(tenant, userId, { subOrgId })
  const mails = (await app.mails(email)).length
  succeeded(await weak.delete(`/v1/users/${userId}`))
  // While the user is deleted, their passkey does not work.
  const gone = await signInBy(tenant, holder)
  expect([gone.status, gone.body.code]).toEqual([401, 'passkey_invalid'])
  succeeded(await weak.post(`/v1/users/${userId}/restore`))
  const password = 'correct horse battery staple'
  succeeded(await weak.put(`/v1/users/${userId}/password`, { password }))
  const asked = succeeded(await weak.post('/v1/auth/login/password', { email, password }))
  expect(asked).toMatchObject({ session: null, mfa_required: true, methods: ['totp', 'backup'] })
  const answer = { subOrgId, challenge_token: asked.challenge_token, code: codeOf(secret, 1) }
  expect(succeeded(await tenant.post('/v1/mfa/challenge/verify', answer)).session).not.toBeNull()
  const { enrollment } = succeeded(await tenant.get(`/v1/mfa/totp?userId=${userId}&subOrgId=${subOrgId}`))
  expect(enrollment).toMatchObject({ enrolled: true, backupCodesRemaining: backupCodes.length })
  expect((await signInBy(tenant, holder)).status).toBe(200)
  expect((await typesOf(userId)).filter((type) => /removed|deleted/.test(type))).toEqual(['user.deleted'])
  expect((await app.mails(email)).slice(mails).map(({ kind }) => kind)).toEqual(['password_changed'])
})

test('whom provisioning had set is restored by force alone, and by provisioning without the roles they had', async () => {
  const client = await provisioned(app, tenant)
  const { subOrgId } = client
  const named = { externalId: 'hr-1' }
  const { id } = await addUser(client, named)
  const { userName } = answered(await client.call('GET', `/Users/${id}`))
  succeeded(await tenant.put(`/v1/rbac/users/${id}/roles`, { subOrgId, role: 'admin' }))
  succeeded(await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}&force=true`))
  const refused = await tenant.post(`/v1/users/${id}/restore`, { subOrgId })
  expect([refused.status, refused.body.code]).toEqual([409, 'scim_managed'])
  const { directory_id } = await app.app.platform.db
    .selectFrom('users')
    .select('directory_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const codes = { directory_id, user_id: id, slot: 'ABCD', hash: 'hash' }
  await app.app.platform.db.insertInto('backup_codes').values(codes).execute()
  const again = answered(await client.call('POST', '/Users', { schemas: [USER], userName, ...named }), 201)
  expect(again.id).toBe(id)
  expect(
    await app.app.platform.db.selectFrom('backup_codes').select('slot').where('user_id', '=', id).execute(),
  ).toEqual([])
  expect(succeeded(await tenant.get(`/v1/users/${id}?subOrgId=${subOrgId}`)).user).toMatchObject({ role: 'member' })
  succeeded(await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}&force=true`))
  const forced = succeeded(await tenant.post(`/v1/users/${id}/restore`, { subOrgId, force: true }))
  expect(forced.user).toMatchObject({ role: 'member', active: true })
})

test('whose address or external id somebody has meanwhile stays deleted', async () => {
  const { caller, restore, deleted } = await organization()
  const [email, externalId] = [freshEmail(), 'crm-1']
  const { user } = (await caller.post('/v1/users', { email, externalId })).body
  await caller.delete(`/v1/users/${user.id}`)
  const namesake = (await caller.post('/v1/users', { email })).body.user
  const byEmail = await restore(user.id)
  expect([byEmail.status, byEmail.body.code]).toEqual([409, 'email_exists'])
  await caller.delete(`/v1/users/${namesake.id}`)
  const holder = (await caller.post('/v1/users', { email: freshEmail(), externalId })).body.user
  const byId = await restore(user.id)
  expect([byId.status, byId.body.code]).toEqual([409, 'external_id_taken'])
  expect((await deleted()).users).toHaveLength(2)
  await caller.patch(`/v1/users/${holder.id}`, { externalId: null })
  expect((await restore(user.id)).status).toBe(200)
  const lost = await restore(namesake.id)
  expect([lost.status, lost.body.code]).toEqual([409, 'email_exists'])
})

test('only one who is there or was deleted in the last 30 days, and of this organization', async () => {
  const { caller, restore, deleted } = await organization()
  const stranger = await organization()
  const { user } = (await caller.post('/v1/users', { email: freshEmail() })).body
  expect((await restore(user.id)).body).toEqual({ user })
  expect(await typesOf(user.id)).toEqual(['user.created'])
  await caller.delete(`/v1/users/${user.id}`)
  for (const reply of [
    await stranger.restore(user.id),
    await restore(crypto.randomUUID()),
    await restore('nobody'),
    await restore(
      user.id,
      await app.tenant().then(async (other) => other.withKey({ subOrgId: await other.organization() })),
    ),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'user_not_found'])
  expect((await stranger.deleted()).users).toEqual([])
  await app.advance(30 * DAY - 60)
  expect((await deleted()).users).toHaveLength(1)
  await app.advance(120)
  expect((await deleted()).users).toEqual([])
  expect((await restore(user.id)).body.code).toBe('user_not_found')
  expect(await typesOf(user.id)).toEqual(['user.created', 'user.deleted'])
})

test('of several at once, on two processes, one restores and the others find the user there', async () => {
  const { caller, restore } = await organization()
  const { user } = (await caller.post('/v1/users', { email: freshEmail() })).body
  await caller.delete(`/v1/users/${user.id}`)
  const callers = [caller, second.as(caller.key)]
  const replies = await Promise.all(Array.from({ length: 6 }, (_, i) => restore(user.id, callers[i % 2])))
  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(await typesOf(user.id)).toEqual(['user.created', 'user.deleted', 'user.restored'])
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newPendingUser, watchEvents } from '../../../../test/people/people.ts'
import { systemOrigin } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { directoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import { inTx } from '../../../platform/work.ts'
import { userCleanup } from './cleanup.ts'
import { proveMailbox } from './proof/proof.ts'
import { ensureAuthAccount, findUserByEmail, findUserById, getUser, getUserForUpdate, type UserRow } from './users.ts'

const { tenant, events, app, advance } = await startApp()
const { platform } = app
const { db } = platform

const t = await tenant()
const subOrgId = await t.organization()
const environment = { accountId: t.accountId, environmentId: t.environmentId, environmentSlug: 'production' }
const directory = await directoryOfOrganization(platform, environment, subOrgId)
const work = { platform, directory, origin: systemOrigin(), db }
const DAY_SECONDS = 24 * 3600

let count = 0
const freshEmail = () => `person${++count}@example.com`

async function signUp(email: string, names: { firstName?: string } = {}): Promise<UserRow> {
  const { id } = await newPendingUser(db, t, { subOrgId, email, ...names })
  return getUser(work, id)
}

const freshEvents = watchEvents({ events }, t.accountId)

test('a sign-up waits a day for its proof, then counts as nobody', async () => {
  const email = freshEmail()
  const user = await signUp(email, { firstName: 'Ada' })
  expect(user).toMatchObject({
    email,
    first_name: 'Ada',
    email_verified: false,
    auth_account_id: null,
    source: 'signup',
  })
  const shown = (await t.get(`/v1/users/${user.id}`)).body.user
  expect(shown).toMatchObject({ id: user.id, status: 'invited', source: 'signup' })
  await advance(DAY_SECONDS - 60)
  expect((await findUserByEmail(work, email))?.id).toBe(user.id)
  await advance(60)
  expect(await findUserByEmail(work, email)).toBeNull()
  expect(await findUserById(work, user.id)).toBeNull()
  await expect(getUser(work, user.id)).rejects.toMatchObject({ definition: { code: 'user_not_found' } })
  expect((await t.get(`/v1/users?email=${email}`)).body.users).toEqual([])
  expect((await t.get(`/v1/users?include_total=true&q=${email}`)).body.total).toBe(0)
})

test('an expired sign-up gives way to the next with nothing of it left', async () => {
  const email = freshEmail()
  await signUp(email, { firstName: 'Mallory' })
  await advance(DAY_SECONDS)
  await freshEvents()
  const { session } = (await t.post('/v1/auth/signup', { subOrgId, email, openSignup: true })).body
  const next = await findUserByEmail(work, email)
  expect(next).toMatchObject({ id: session.directory_user_id, first_name: null, source: 'signup' })
  const [created] = await freshEvents()
  expect([created?.type, created?.target_id]).toEqual(['user.created', next?.id])
})

test('a stranger’s sign-up keeps nobody from being added, by one or by many', async () => {
  for (const add of ['one', 'many']) {
    const email = freshEmail()
    await signUp(email, { firstName: 'Mallory' })
    const reply =
      add === 'one'
        ? await t.post('/v1/users', { subOrgId, email, lastName: 'L' })
        : await t.put('/v1/users', { subOrgId, users: [{ email, lastName: 'L' }] })
    const user = add === 'one' ? reply.body.user : reply.body.created[0]
    expect(user).toMatchObject({ email, firstName: null, lastName: 'L', status: 'active' })
    await advance(DAY_SECONDS)
    expect((await t.get(`/v1/users/${user.id}`)).body.user).toEqual(user)
  }
})

test('whoever takes the place of a sign-up has none of the roles that it was given', async () => {
  const role = { subOrgId, name: 'Editor', slug: 'editor', permissions: ['invoice:approve'] }
  const { id: roleId } = (await t.post('/v1/rbac/roles', role)).body.role
  const given = async (email: string) => {
    const { id } = await signUp(email)
    const roles = await t.put(`/v1/rbac/users/${id}/roles`, { subOrgId, role: 'admin', roleIds: [roleId] })
    expect(roles.body).toMatchObject({ role: 'admin', roleIds: [roleId] })
    return id
  }
  for (const add of ['one', 'many', 'sign-up']) {
    const email = freshEmail()
    const id = await given(email)
    const { epoch } = await getUser(work, id)
    if (add === 'one') await t.post('/v1/users', { subOrgId, email })
    else if (add === 'many') await t.put('/v1/users', { subOrgId, users: [{ email }] })
    else {
      await advance(DAY_SECONDS)
      await t.post('/v1/auth/signup', { subOrgId, email, openSignup: true })
    }
    const user = await findUserByEmail(work, email)
    expect([add, user]).toMatchObject([add, { id, role: 'member', own_role: 'member', role_ids: [], role_since: null }])
    // Sign-ins that began as the replaced sign-up fail.
    expect([add, user?.epoch]).toEqual([add, epoch + 1])
    const { body } = await t.get(`/v1/rbac/users/${id}/roles?subOrgId=${subOrgId}`)
    expect(body).toMatchObject({ role: 'member', roleIds: [], assignments: [] })
  }
})

test('nor from getting the address, by a change or by a move: the sign-up is told to be gone', async () => {
  const other = await t.organization()
  for (const way of ['change', 'move']) {
    const email = freshEmail()
    const stranger = await signUp(email)
    const theirs = { subOrgId: way === 'move' ? other : subOrgId, email: way === 'move' ? email : freshEmail() }
    const { id } = (await t.post('/v1/users', theirs)).body.user
    await freshEvents()
    const reply =
      way === 'change'
        ? await t.patch(`/v1/users/${id}`, { subOrgId, email })
        : await t.post(`/v1/users/${id}`, { subOrgId: other, targetSubOrgId: subOrgId })
    expect([reply.status, reply.body.user?.email], way).toEqual([200, email])
    expect((await freshEvents()).map(({ type, target_id }) => [type, target_id])).toContainEqual([
      'user.deleted',
      stranger.id,
    ])
    expect((await findUserByEmail(work, email))?.id).toBe(id)
  }
})

test('the first proof confirms the address and ends what was there before, a second does nothing', async () => {
  const user = await signUp(freshEmail())
  await db
    .insertInto('sessions')
    .values({
      directory_id: directory.id,
      id: newId(),
      environment_id: directory.environmentId,
      user_id: user.id,
      auth_account_id: newId(),
      auth_method: 'otp',
      amr: ['otp'],
      aal: 'aal1',
      refresh_hash: Buffer.alloc(32),
      idle_expires_at: new Date(Date.now() + 1e12),
      expires_at: new Date(Date.now() + 1e12),
    })
    .execute()
  await freshEvents()
  await inTx(work, async (work) => proveMailbox(work, await getUserForUpdate(work, user.id)))
  const proven = (await t.get(`/v1/users/${user.id}`)).body.user
  expect(proven).toMatchObject({ emailVerified: true, status: 'active' })
  const sessions = await db.selectFrom('sessions').select('revoked_reason').where('user_id', '=', user.id).execute()
  expect(sessions).toEqual([{ revoked_reason: 'mailbox_proved' }])
  expect(await freshEvents()).toMatchObject([
    { type: 'session.revoked' },
    { type: 'user.email_verified', data: proven, previous: { emailVerified: false, status: 'invited' } },
  ])
  await inTx(work, async (work) => proveMailbox(work, await getUserForUpdate(work, user.id)))
  expect((await t.get(`/v1/users/${user.id}`)).body.user).toEqual(proven)
  expect(await freshEvents()).toEqual([])
  await advance(DAY_SECONDS)
  expect((await t.get(`/v1/users/${user.id}`)).status).toBe(200)
})

test('an auth account is made once, however many ask', async () => {
  const { user } = (await t.post('/v1/users', { subOrgId, email: freshEmail() })).body
  const row = await getUser(work, user.id)
  const ids = await Promise.all(Array.from({ length: 8 }, () => inTx(work, (work) => ensureAuthAccount(work, row))))
  const known = await getUser(work, user.id)
  expect(new Set(ids)).toEqual(new Set([known.auth_account_id]))
  expect(await findUserById(work, ids[0] ?? '')).toEqual(known)
  expect(await inTx(work, (work) => ensureAuthAccount(work, known))).toBe(ids[0])
  await t.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}`)
  await expect(inTx(work, (work) => ensureAuthAccount(work, row))).rejects.toMatchObject({
    definition: { code: 'user_not_found' },
  })
})

test('cleaning up takes expired sign-ups at once and deleted users after thirty days', async () => {
  await userCleanup.handle(platform, {}, 1)
  const expired = await signUp(freshEmail())
  await advance(DAY_SECONDS)
  const waiting = await signUp(freshEmail())
  const kept = (await t.post('/v1/users', { subOrgId, email: freshEmail() })).body.user
  const deleted = (await t.post('/v1/users', { subOrgId, email: freshEmail() })).body.user
  await t.delete(`/v1/users/${deleted.id}?subOrgId=${subOrgId}`)
  const ids = [expired, waiting, kept, deleted].map((user) => user.id)
  const left = async () => {
    const rows = await db.selectFrom('users').select('id').where('id', 'in', ids).execute()
    return ids.map((id) => rows.some((row) => row.id === id))
  }
  await freshEvents()
  await userCleanup.handle(platform, {}, 1)
  expect(await left()).toEqual([false, true, true, true])
  expect(await freshEvents()).toMatchObject([
    { type: 'user.deleted', target_id: expired.id, actor_type: 'system', organization_id: subOrgId },
  ])
  await advance(30 * DAY_SECONDS)
  await userCleanup.handle(platform, {}, 1)
  expect(await left()).toEqual([false, false, true, false])
  expect((await freshEvents()).map((event) => event.target_id)).toEqual([waiting.id])
})

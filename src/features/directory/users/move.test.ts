import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { plantSession, watchEvents } from '../../../../test/people/people.ts'
import { newId } from '../../../platform/ids.ts'

const { tenant, events, app } = await startApp()
const { db } = app.platform

const t = await tenant()
const source = await t.organization()
const target = await t.organization()

let count = 0
async function addUser(fields: Record<string, unknown> = {}, subOrgId = source) {
  const reply = await t.post('/v1/users', { subOrgId, email: `person${++count}@example.com`, ...fields })
  return reply.body.user
}

const freshEvents = watchEvents({ events }, t.accountId)

function move(id: string, targetSubOrgId: string, subOrgId = source, caller: { post: typeof t.post } = t) {
  // With `force`, since some users are planted as users of a provisioning client.
  return caller.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId, force: true })
}

test('a moved user keeps ids and profile, and loses role, provisioning and sessions', async () => {
  const user = await addUser({ displayName: 'Ada', metadata: { a: [1] }, externalId: 'x' })
  const userId = newId()
  await db
    .updateTable('users')
    .set({ auth_account_id: userId, role: 'admin', scim_managed: true, email_verified: true })
    .where('id', '=', user.id)
    .execute()
  const session = await plantSession(db, user.id)
  await freshEvents()
  const reply = await move(user.id, target)
  const moved = { ...user, userId, subOrgId: target, emailVerified: true, updatedAt: expect.any(String) }
  expect([reply.status, reply.body.user]).toEqual([200, moved])
  expect(reply.headers.get('etag')).toBe('W/"2"')
  expect((await t.get(`/v1/users/${user.id}?subOrgId=${target}`)).body.user).toEqual(reply.body.user)
  const left = await t.get(`/v1/users/${user.id}?subOrgId=${source}`)
  expect([left.status, left.body.code]).toEqual([404, 'user_not_found'])
  const rows = await db.selectFrom('sessions').select(['id', 'revoked_reason']).where('user_id', '=', user.id).execute()
  expect(rows).toEqual([{ id: session, revoked_reason: 'user_moved' }])
  const shared = { target_id: user.id, data: reply.body.user, previous: { subOrgId: source } }
  expect(await freshEvents()).toMatchObject([
    { type: 'session.revoked', target_id: session, organization_id: source },
    { type: 'user.moved', organization_id: source, ...shared },
    { type: 'user.moved', organization_id: target, ...shared },
  ])
})

test('a move to where the user is changes nothing', async () => {
  const user = await addUser()
  const session = await plantSession(db, user.id)
  await freshEvents()
  const scoped = await t.withKey({ subOrgId: source })
  const reply = await move(user.id, source, source, scoped)
  expect([reply.status, reply.body.user]).toEqual([200, user])
  const row = await db.selectFrom('sessions').select('revoked_at').where('id', '=', session).executeTakeFirst()
  expect(row).toEqual({ revoked_at: null })
  expect(await freshEvents()).toEqual([])
})

test('a taken address in the target refuses the move and leaves everything', async () => {
  const user = await addUser()
  const session = await plantSession(db, user.id)
  await addUser({ email: user.email.toUpperCase() }, target)
  await freshEvents()
  const reply = await move(user.id, target)
  expect([reply.status, reply.body.code]).toEqual([409, 'email_exists'])
  expect((await t.get(`/v1/users/${user.id}?subOrgId=${source}`)).body.user).toEqual(user)
  const row = await db.selectFrom('sessions').select('revoked_at').where('id', '=', session).executeTakeFirst()
  expect(row).toEqual({ revoked_at: null })
  expect(await freshEvents()).toEqual([])
})

test('only a key that reaches both organizations moves, and only within its account', async () => {
  const user = await addUser()
  const foreign = await (await tenant()).organization()
  await freshEvents()
  const scoped = await t.withKey({ subOrgId: source })
  const replies = [
    await move(user.id, target, source, scoped),
    // A key of one organization must not learn whether another one exists.
    await move(user.id, newId(), source, scoped),
    await move(user.id, foreign),
    await move(user.id, newId()),
    await move(user.id, 'nowhere'),
    await t.post(`/v1/users/${user.id}`, { targetSubOrgId: target }),
    await t.post(`/v1/users/${user.id}`, { subOrgId: source }),
    await move(newId(), target),
  ]
  expect(replies.map((reply) => [reply.status, reply.body.code])).toEqual([
    [403, 'sub_org_mismatch'],
    [403, 'sub_org_mismatch'],
    [404, 'organization_not_found'],
    [404, 'organization_not_found'],
    [404, 'organization_not_found'],
    [400, 'sub_org_required'],
    [400, 'invalid_request'],
    [404, 'user_not_found'],
  ])
  expect((await t.get(`/v1/users/${user.id}`)).body.user).toEqual(user)
  expect(await freshEvents()).toEqual([])
})

test('a sign-up that expired in the target does not stand in the way', async () => {
  const user = await addUser()
  const squatter = await addUser({ email: user.email }, target)
  await sql`update users set pending_until = clock_now() where id = ${squatter.id}`.execute(db)
  const reply = await move(user.id, target)
  expect([reply.status, reply.body.user.subOrgId]).toEqual([200, target])
  expect((await t.get(`/v1/users/${squatter.id}`)).status).toBe(404)
})

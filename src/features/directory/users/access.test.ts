import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { plantSession, watchEvents } from '../../../../test/people/people.ts'
import { newId } from '../../../platform/ids.ts'

const { tenant, events, app, mails } = await startApp()
const { db } = app.platform

const t = await tenant()
const subOrgId = await t.organization()

let count = 0
async function addUser(fields: Record<string, unknown> = {}) {
  const reply = await t.post('/v1/users', { subOrgId, email: `person${++count}@example.com`, ...fields })
  return reply.body.user
}

async function sessionsOf(userId: string) {
  const rows = await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).orderBy('id').execute()
  return rows.map((row) => [row.id, row.revoked_at === null ? null : row.revoked_reason])
}

const freshEvents = watchEvents({ events }, t.accountId)

test('a deactivated user loses every session, and keeps them lost when activated again', async () => {
  const user = await addUser()
  const bystander = await addUser()
  const session = await plantSession(db, user.id)
  const untouched = await plantSession(db, bystander.id)
  await freshEvents()
  const off = await t.patch(`/v1/users/${user.id}`, { subOrgId, active: false })
  expect(off.body.user).toMatchObject({ active: false, status: 'inactive' })
  expect(await sessionsOf(user.id)).toEqual([[session, 'user_deactivated']])
  expect(await sessionsOf(bystander.id)).toEqual([[untouched, null]])
  expect(await freshEvents()).toMatchObject([
    { type: 'user.deactivated', target_id: user.id, data: off.body.user, previous: { active: true, status: 'active' } },
    { type: 'session.revoked', target_id: session },
  ])
  const on = await t.patch(`/v1/users/${user.id}`, { subOrgId, active: true, firstName: 'Back' })
  expect(on.body.user).toMatchObject({ active: true, status: 'active', firstName: 'Back' })
  expect((await freshEvents()).map((event) => event.type)).toEqual(['user.updated', 'user.activated'])
  expect(await sessionsOf(user.id)).toEqual([[session, 'user_deactivated']])
})

test('a new address is unverified, ends sessions and is told to the old one', async () => {
  const user = await addUser({ email: 'old@example.com' })
  await db.updateTable('users').set({ email_verified: true }).where('id', '=', user.id).execute()
  const session = await plantSession(db, user.id)
  await freshEvents()
  const reply = await t.patch(`/v1/users/${user.id}`, { subOrgId, email: 'New.Name@example.com' })
  expect(reply.body.user).toMatchObject({ id: user.id, email: 'New.Name@example.com', emailVerified: false })
  expect(await sessionsOf(user.id)).toEqual([[session, 'email_changed']])
  expect(await freshEvents()).toMatchObject([
    { type: 'user.updated', previous: { email: 'old@example.com', emailVerified: true } },
    { type: 'session.revoked', target_id: session },
  ])
  const sent = await mails()
  expect(sent.map((mail) => [mail.kind, mail.to])).toEqual([['email_changed', 'old@example.com']])
  expect(sent[0]?.text).toContain('N•••@example.com')
  expect(sent[0]?.text).not.toContain('New.Name')
  const found = await t.get(`/v1/users?subOrgId=${subOrgId}&email=new.name%40example.com`)
  expect(found.body.users).toEqual([reply.body.user])
})

test('another spelling of the same address proves nothing anew', async () => {
  const user = await addUser({ email: 'spelling@example.com' })
  await db.updateTable('users').set({ email_verified: true }).where('id', '=', user.id).execute()
  const session = await plantSession(db, user.id)
  const reply = await t.patch(`/v1/users/${user.id}`, { subOrgId, email: 'Spelling@example.com' })
  expect(reply.body.user).toMatchObject({ email: 'Spelling@example.com', emailVerified: true })
  expect(await sessionsOf(user.id)).toEqual([[session, null]])
  expect(await mails('spelling@example.com')).toEqual([])
})

test('an address that somebody has is refused, and nothing of the patch is kept', async () => {
  const holder = await addUser()
  const user = await addUser()
  const session = await plantSession(db, user.id)
  await freshEvents()
  const body = { subOrgId, email: holder.email.toUpperCase(), active: false, firstName: 'X' }
  const reply = await t.patch(`/v1/users/${user.id}`, body)
  expect([reply.status, reply.body.code]).toEqual([409, 'email_exists'])
  expect((await t.get(`/v1/users/${user.id}`)).body.user).toEqual(user)
  expect(await sessionsOf(user.id)).toEqual([[session, null]])
  expect(await freshEvents()).toEqual([])
  expect(await mails(user.email)).toEqual([])
})

test('a deleted user is gone from every look-up and the address is free', async () => {
  const user = await addUser({ externalId: 'gone-1' })
  const session = await plantSession(db, user.id)
  await freshEvents()
  const path = `/v1/users/${user.id}`
  const reply = await t.delete(`${path}?subOrgId=${subOrgId}`)
  expect([reply.status, reply.body]).toEqual([200, { ok: true }])
  expect(await sessionsOf(user.id)).toEqual([[session, 'user_deleted']])
  expect(await freshEvents()).toMatchObject([
    { type: 'user.deleted', target_id: user.id, data: user, previous: null },
    { type: 'session.revoked', target_id: session },
  ])
  const again = [
    await t.get(path),
    await t.patch(path, { subOrgId, active: false }),
    await t.delete(`${path}?subOrgId=${subOrgId}`),
    await t.delete(`${path}/sessions?subOrgId=${subOrgId}`),
    await t.post(path, { subOrgId, targetSubOrgId: subOrgId }),
  ]
  expect(again.map((reply) => [reply.status, reply.body.code])).toEqual(again.map(() => [404, 'user_not_found']))
  for (const query of [`email=${encodeURIComponent(user.email)}`, 'externalId=gone-1', 'q=person'])
    expect((await t.get(`/v1/users?subOrgId=${subOrgId}&${query}`)).text).not.toContain(user.id)
  const successor = await addUser({ email: user.email })
  expect(successor.id).not.toBe(user.id)
})

test('every session of a user is ended by either id', async () => {
  const user = await addUser()
  const userId = newId()
  await db.updateTable('users').set({ auth_account_id: userId }).where('id', '=', user.id).execute()
  const ids = [await plantSession(db, user.id), await plantSession(db, user.id)]
  const revoker = await t.withKey({ subOrgId, scopes: ['sessions.revoke'] })
  await freshEvents()
  const reply = await revoker.delete(`/v1/users/${userId}/sessions`)
  expect([reply.status, reply.body]).toEqual([200, { success: true, revoked: 2 }])
  expect(await sessionsOf(user.id)).toEqual(ids.map((id) => [id, 'revoked']))
  expect((await freshEvents()).map((event) => [event.type, event.target_id]).sort()).toEqual(
    ids.map((id) => ['session.revoked', id]),
  )
  const idle = await revoker.delete(`/v1/users/${user.id}/sessions`)
  expect(idle.body).toEqual({ success: true, revoked: 0 })
  expect(await freshEvents()).toEqual([])
})

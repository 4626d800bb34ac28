import { expect, test } from 'vitest'
import { type Caller, startApp } from '../../../../test/harness.ts'
import { makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { userCleanup } from '../../directory/users/cleanup.ts'

const app = await startApp()
const DAY = 86_400
let ahead = 0

async function pass(days: number) {
  ahead += days * DAY
  await app.advance(days * DAY)
}

/** The end, in minutes, of a grace period of so many days that begins now. */
const endAfter = (days: number) => (Date.now() / 1000 + ahead + days * DAY) / 60

async function organization(policy: object) {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  succeeded(await caller.patch('/v1/auth/settings', { magic_link_rate_limit_per_hour: 600 }))
  const require = async (by: Caller, changes: object) =>
    succeeded(await by.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 7, ...changes }))
  await require(caller, policy)
  return { tenant, subOrgId, caller, require }
}

const give = async (by: Caller, id: string, body: object) => succeeded(await by.put(`/v1/rbac/users/${id}/roles`, body))

/**
 * Signs a user in and returns the end of their grace period. Null if no factor is required, or if the period is over.
 */
async function graceOf(by: Caller, email: string): Promise<string | null> {
  const { session, mfa = null, enrollment_required = false } = succeeded(await signInByLink(by, email))
  expect(enrollment_required).toBe(session === null)
  return mfa?.grace_ends_at ?? null
}

const isOver = async (by: Caller, email: string) => succeeded(await signInByLink(by, email)).session === null

test('who gains a role of which a factor is required has the whole grace from then on, once', async () => {
  const { caller } = await organization({ enforce_for_roles: ['admin'] })
  const [{ id, email }, other] = [await makeProvenUser(caller), await makeProvenUser(caller)]
  expect(await graceOf(caller, email)).toBeNull()
  await pass(30)
  expect([await graceOf(caller, email), await isOver(caller, email)]).toEqual([null, false])
  await give(caller, id, { role: 'admin' })
  const ends = await graceOf(caller, email)
  expect(Math.abs(Date.parse(ends ?? '') / 60_000 - endAfter(7))).toBeLessThan(2)
  await pass(5)
  // Losing the role and getting it back does not extend the period, and neither does another policy.
  await give(caller, id, { role: 'member' })
  expect([await graceOf(caller, email), await isOver(caller, email)]).toEqual([null, false])
  await give(caller, id, { role: 'admin' })
  succeeded(await caller.patch('/v1/mfa/policy', { grace_period_days: 30 }))
  expect(await graceOf(caller, email)).toBe(ends)
  await pass(3)
  expect([await isOver(caller, email), await isOver(caller, other.email)]).toEqual([true, false])
})

test('a role that stays was gained when it was gained, whatever else is given', async () => {
  const { caller } = await organization({ enforce_for_roles: ['admin'] })
  const { id, email } = await makeProvenUser(caller)
  const { role } = succeeded(await caller.post('/v1/rbac/roles', { name: 'Editor', permissions: ['page:edit'] }))
  await pass(10)
  await give(caller, id, { role: 'admin' })
  const expected = endAfter(7)
  await pass(5)
  await give(caller, id, { role: 'admin', roleIds: [role.id] })
  const preview = async () => {
    const { in_grace, locked_out } = succeeded(await caller.get('/v1/mfa/policy/preview'))
    return { in_grace, locked_out }
  }
  expect(await preview()).toEqual({ in_grace: 1, locked_out: 0 })
  expect(Math.abs(Date.parse((await graceOf(caller, email)) ?? '') / 60_000 - expected)).toBeLessThan(2)
  await pass(3)
  expect([await isOver(caller, email), await preview()]).toEqual([true, { in_grace: 0, locked_out: 1 }])
})

test('where a factor is required of everybody, no role brings time', async () => {
  const { caller } = await organization({})
  const { id, email } = await makeProvenUser(caller)
  await pass(10)
  await give(caller, id, { role: 'admin' })
  expect(await isOver(caller, email)).toBe(true)
})

test('a move gives the role of another organization, and time where there was none yet', async () => {
  const { tenant, caller, subOrgId, require } = await organization({ enforce_for_roles: ['admin'] })
  const { email, id } = await makeProvenUser(caller)
  const targetSubOrgId = await tenant.organization()
  const there = await tenant.withKey({ subOrgId: targetSubOrgId })
  await require(there, { enforce_for_roles: ['member'] })
  await pass(10)
  succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId }))
  const ends = await graceOf(there, email)
  expect(Math.abs(Date.parse(ends ?? '') / 60_000 - endAfter(7))).toBeLessThan(2)
  await pass(5)
  succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId: targetSubOrgId, targetSubOrgId: subOrgId }))
  await give(caller, id, { role: 'admin' })
  expect(await graceOf(caller, email)).toBe(ends)
})

test('deleting and restoring extends no grace, and it goes with the row of the user', async () => {
  const { caller } = await organization({ enforce_for_roles: ['member'] })
  const { id, email } = await makeProvenUser(caller)
  const rows = () => app.app.platform.db.selectFrom('mfa_grace').select('ends_at').where('user_id', '=', id).execute()
  const restore = async () => {
    succeeded(await caller.delete(`/v1/users/${id}`))
    succeeded(await caller.post(`/v1/users/${id}/restore`))
  }
  await pass(10)
  // The user has not signed in, so no end was fixed yet. The role counts from the restore on.
  await restore()
  const ends = await graceOf(caller, email)
  expect(Math.abs(Date.parse(ends ?? '') / 60_000 - endAfter(7))).toBeLessThan(2)
  await pass(5)
  await restore()
  expect(await graceOf(caller, email)).toBe(ends)
  await pass(3)
  await restore()
  expect(await isOver(caller, email)).toBe(true)
  succeeded(await caller.delete(`/v1/users/${id}`))
  expect(await rows()).toHaveLength(1)
  await pass(31)
  await userCleanup.handle(app.app.platform, {}, 1)
  expect(await rows()).toEqual([])
})

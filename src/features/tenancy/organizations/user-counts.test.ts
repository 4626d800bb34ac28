import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Caller, startApp, until } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { runJobs } from '../../../../test/people/jobs.ts'
import { newPendingUser } from '../../../../test/people/people.ts'
import { provisionSignup } from '../../sign-in/signup/pending.ts'
import { countInAll, countUsersOfOrganizations } from './user-counts.ts'
import { countUsers } from './user-counts-store.ts'

const { tenant, app, advance } = await startApp()
const { platform } = app
const t = await tenant()

const MANY = 205

let count = 0
async function addUsers(caller: Caller, subOrgId: string, number: number): Promise<string[]> {
  const users = Array.from({ length: number }, () => ({ email: `person${++count}@example.com` }))
  const { created } = succeeded(await caller.put('/v1/users', { subOrgId, users }))
  return created.map(({ id }: { id: string }) => id)
}

async function shown(subOrgId: string, caller: Pick<Caller, 'get'> = t): Promise<{ users: number; at: number }> {
  const { subOrganization } = succeeded(await caller.get(`/v1/organizations/${subOrgId}`))
  const listed = succeeded(await caller.get(`/v1/organizations?slug=${subOrganization.slug}`)).subOrganizations[0]
  expect(listed.userCount).toBe(subOrganization.userCount)
  return { users: subOrganization.userCount, at: Date.parse(subOrganization.userCountedAt) }
}

async function kept(subOrgId: string): Promise<(number | null)[]> {
  const { rows } = await sql<{ user_count: number | null }>`
    select user_count from directories where organization_id = ${subOrgId} order by user_count`.execute(platform.db)
  return rows.map(({ user_count }) => user_count)
}

const run = () => countUsersOfOrganizations.handle(platform, {}, 1)

/** Runs the job until the count is as expected. Open transactions in the cluster delay the event stream. */
async function countedAs(subOrgId: string, users: number, caller: Pick<Caller, 'get'> = t): Promise<void> {
  await until(async () => {
    await run()
    return (await shown(subOrgId, caller)).users === users
  })
}

async function largeOrganization(slug: string): Promise<{ id: string; users: string[] }> {
  const id = await t.organization(slug)
  const users = await addUsers(t, id, MANY)
  await until(async () => {
    await run()
    return (await kept(id))[0] === MANY
  })
  return { id, users }
}

test('a small organization is counted for each answer', async () => {
  const id = await t.organization('small')
  expect((await shown(id)).users).toBe(0)
  const [first] = await addUsers(t, id, 3)
  const { users, at } = await shown(id)
  expect([users, await kept(id)]).toEqual([3, [null]])
  await t.delete(`/v1/users/${first}?subOrgId=${id}`)
  await newPendingUser(platform.db, t, { subOrgId: id, email: 'pending@example.com' })
  expect((await shown(id)).users).toBe(3)
  await advance(24 * 3600 + 1)
  const later = await shown(id)
  expect(later.users).toBe(2)
  expect(later.at).toBeGreaterThanOrEqual(at + 24 * 3600 * 1000)
})

test('the count of a large organization is kept, and its time says since when it is right', async () => {
  const { id, users } = await largeOrganization('kept')
  const before = await shown(id)
  expect(before.users).toBe(MANY)
  await t.delete(`/v1/users/${users[0]}?subOrgId=${id}`)
  expect(await shown(id)).toEqual(before)
  await advance(60)
  await countedAs(id, MANY - 1)
  const after = await shown(id)
  expect(after.at).toBeGreaterThanOrEqual(before.at + 60_000)
  // Without a change the job does not count again, but it updates the time for which the count is correct.
  await advance(60)
  await run()
  const still = await shown(id)
  expect([still.users, await kept(id)]).toEqual([MANY - 1, [MANY - 1]])
  expect(still.at).toBeGreaterThanOrEqual(after.at + 60_000)
})

test('the time of the count stays while changes are unread', async () => {
  const { id, users } = await largeOrganization('behind')
  await advance(60)
  for (const user of users.slice(0, 3)) await t.delete(`/v1/users/${user}?subOrgId=${id}`)
  await advance(60)
  const before = await shown(id)
  // Reads one event in each run, since a deletion records several.
  await until(async () => {
    await countInAll(platform, { events: 1, batches: 1 })
    const { users: count, at } = await shown(id)
    if (count === MANY) expect(at).toBe(before.at)
    return count !== MANY
  })
  expect((await shown(id)).at).toBe(before.at)
  await countedAs(id, MANY - 3)
  await until(async () => {
    await run()
    return (await shown(id)).at >= before.at + 120_000
  })
})

test('the time of the count stays while another transaction holds back the stream', async () => {
  const { id, users } = await largeOrganization('held')
  await platform.tx(async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx)
    await t.delete(`/v1/users/${users[0]}?subOrgId=${id}`)
    await advance(60)
    const before = await shown(id)
    await run()
    expect(await shown(id)).toEqual(before)
    expect(before.users).toBe(MANY)
  })
  await advance(60)
  await countedAs(id, MANY - 1)
})

test('users who are deleted, restored, moved, invited or signed up are counted', async () => {
  const { id, users } = await largeOrganization('changing')
  const other = await t.organization('other')
  await t.delete(`/v1/users/${users[0]}?subOrgId=${id}`)
  await countedAs(id, MANY - 1)
  succeeded(await t.post(`/v1/users/${users[0]}/restore`, { subOrgId: id }))
  await countedAs(id, MANY)
  succeeded(await t.post(`/v1/users/${users[1]}?subOrgId=${id}`, { targetSubOrgId: other }))
  await countedAs(id, MANY - 1)
  expect((await shown(other)).users).toBe(1)
  succeeded(await t.post(`/v1/users/${users[1]}?subOrgId=${other}`, { targetSubOrgId: id }))
  succeeded(await t.post('/v1/users/invites', { subOrgId: id, email: 'invited@example.com' }))
  succeeded(await t.post('/v1/auth/signup/otp/send', { subOrgId: id, email: 'signup@example.com', openSignup: true }))
  await runJobs(platform, provisionSignup)
  await countedAs(id, MANY + 2)
})

test('environments are counted apart', async () => {
  const { id } = await largeOrganization('apart')
  const staging = await t.withKey({ environment: 'staging' })
  await addUsers(staging, id, 1)
  expect((await shown(id, staging)).users).toBe(1)
  await addUsers(staging, id, MANY)
  await countedAs(id, MANY + 1, staging)
  // As long as the job has not seen the directory, each request counts its users.
  await until(async () => {
    await run()
    return String((await kept(id)).toSorted()) === String([MANY, MANY + 1])
  })
  expect((await shown(id)).users).toBe(MANY)
})

test('an organization that has become small again is counted for each answer', async () => {
  const { id, users } = await largeOrganization('shrinking')
  for (const user of users.slice(0, 10)) await t.delete(`/v1/users/${user}?subOrgId=${id}`)
  await countedAs(id, MANY - 10)
  expect(await kept(id)).toEqual([null])
  await t.delete(`/v1/users/${users[10]}?subOrgId=${id}`)
  expect((await shown(id)).users).toBe(MANY - 11)
})

test('users are counted in parts of any size', async () => {
  const id = await t.organization('parts')
  await addUsers(t, id, 7)
  const directory = await platform.db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow()
  for (const size of [1, 2, 7, 8]) expect(await countUsers(platform.db, directory.id, size)).toBe(7)
})

test('an event of a change has the count, and no change of it', async () => {
  const { id } = await largeOrganization('recorded')
  await advance(60)
  succeeded(await t.patch(`/v1/organizations/${id}`, { name: 'Renamed' }))
  const { rows } = await sql<{ data: { userCount: number }; previous: object }>`
    select data, previous from events where type = 'organization.updated' and target_id = ${id}`.execute(platform.db)
  expect(rows).toMatchObject([{ data: { userCount: MANY, name: 'Renamed' } }])
  expect(Object.keys(rows[0]?.previous ?? {}).toSorted()).toEqual(['name', 'updatedAt'])
})

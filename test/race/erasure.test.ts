import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eraseOrganizations } from '../../src/features/tenancy/erasure/erase.ts'
import { startApp } from '../harness.ts'
import { chainAll, verified } from '../people/audit.ts'
import { eraseDue, requestErasure, waitForErasure } from '../people/erasure.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { signIn } from '../people/sign-in.ts'
import { startSecondApp } from '../second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()

const eraseBoth = () =>
  Promise.all([app.app.platform, second.app.platform].map((each) => eraseOrganizations.handle(each, {}, 1)))

const usersIn = async (subOrgId: string) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from users
    join directories d on d.id = directory_id where d.organization_id = ${subOrgId}`.execute(db)
  return rows[0]?.count
}

const eventsAbout = async (subOrgId: string, type: string) =>
  (await app.events({ accountId: tenant.accountId, type })).filter(({ target_id }) => target_id === subOrgId).length

test('of a cancellation and the end at the same time, on two processes, one wins whole', {
  timeout: 120_000,
}, async () => {
  const people = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const subOrgId = await tenant.organization()
      return { subOrgId, person: await newUser(tenant, { subOrgId, email: newEmail() }) }
    }),
  )
  for (const { subOrgId } of people) await requestErasure(tenant, subOrgId)
  await waitForErasure(app)
  const cancel = ({ subOrgId }: { subOrgId: string }) =>
    second.as(tenant.key).patch(`/v1/organizations/${subOrgId}`, { status: 'active' })
  const [, ...replies] = await Promise.all([eraseBoth(), ...people.map(cancel)])
  await eraseDue(platform)
  for (const [n, { subOrgId, person }] of people.entries()) {
    const isCancelled = replies[n]?.status === 200
    expect(isCancelled ? null : replies[n]?.body.code).toBe(isCancelled ? null : 'organization_not_found')
    expect([await usersIn(subOrgId), await eventsAbout(subOrgId, 'organization.erased')]).toEqual(
      isCancelled ? [1, 0] : [0, 1],
    )
    expect(await eventsAbout(subOrgId, 'organization.erasure_cancelled')).toBe(isCancelled ? 1 : 0)
    if (isCancelled) await signIn(app, tenant, subOrgId, person.email)
    else expect((await second.as(tenant.key).get(`/v1/organizations/${subOrgId}`)).status).toBe(404)
  }
  await chainAll(platform)
  expect((await verified(platform)).kinds).toEqual([])
})

test('two processes that erase the same organization do it once', async () => {
  const subOrgId = await tenant.organization()
  const users = Array.from({ length: 40 }, () => ({ email: newEmail() }))
  succeeded(await tenant.put('/v1/users', { subOrgId, users }))
  await chainAll(platform)
  await requestErasure(tenant, subOrgId)
  await waitForErasure(app)
  await Promise.all([eraseBoth(), eraseBoth()])
  await eraseDue(platform)
  expect([await usersIn(subOrgId), await eventsAbout(subOrgId, 'organization.erased')]).toEqual([0, 1])
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from events join directories d
    on d.id = directory_id where d.organization_id = ${subOrgId} and type = 'audit.erased'`.execute(db)
  expect(rows[0]?.count).toBe(1)
  await chainAll(platform)
  expect((await verified(platform)).kinds).toEqual([])
})

/** Refuses every change of a table, as if the process died there. */
async function refusing(table: string, change: 'update' | 'delete' | 'insert', act: () => Promise<unknown>) {
  await sql`create function die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`.execute(
    db,
  )
  await sql`create trigger die before ${sql.raw(change)} on ${sql.table(table)} for each row execute function die()`.execute(
    db,
  )
  try {
    await act()
  } finally {
    await sql`drop function die cascade`.execute(db)
  }
}

test.each([
  ['api_keys', 'delete'],
  ['members', 'delete'],
  ['links', 'delete'],
  ['users', 'delete'],
  ['events', 'update'],
  ['events', 'insert'],
  ['organizations', 'update'],
] as const)('an erasure that dies is taken up where it ended: %s %s', { timeout: 60_000 }, async (table, change) => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  await newUser(tenant, { subOrgId, email })
  const key = await tenant.withKey({ subOrgId })
  succeeded(await key.post('/v1/users/invites', { email: newEmail() }))
  succeeded(await tenant.post('/v1/members/invites', { subOrgId, email: newEmail(), role: 'member' }))
  await chainAll(platform)
  await requestErasure(tenant, subOrgId)
  await waitForErasure(app)
  await refusing(table, change, async () => {
    await expect(eraseDue(platform)).rejects.toThrow()
    expect(await eventsAbout(subOrgId, 'organization.erased')).toBe(0)
  })
  await eraseDue(platform)
  expect([await usersIn(subOrgId), await eventsAbout(subOrgId, 'organization.erased')]).toEqual([0, 1])
  await chainAll(platform)
  expect((await verified(platform)).kinds).toEqual([])
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from events
    where data::text like ${`%${email}%`}`.execute(db)
  expect(rows[0]?.count).toBe(0)
})

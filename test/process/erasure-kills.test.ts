import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eraseOrganizations } from '../../src/features/tenancy/erasure/erase.ts'
import { fresh } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { chainAll, verified } from '../people/audit.ts'
import { findTexts, requestErasure, waitForErasure } from '../people/erasure.ts'
import { succeeded } from '../people/factors.ts'
import { newUser } from '../people/people.ts'
import { signIn } from '../people/sign-in.ts'
import { startSecondApp } from '../second-app.ts'
import { killAtWriteOf } from './kill-at-write.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { db } = app.app.platform
const tenant = await app.tenant()

const USERS = 300

/** Kills a process that erases, when it waits for its write of a table. Returns how far the erasure had come. */
async function killErasureAt(table: string, subOrgId: string): Promise<number | undefined> {
  await killAtWriteOf(app, 'erasure-worker.ts', table)
  const { rows } = await sql<{ step: number }>`select erasure_step as step from organizations
    where id = ${subOrgId}`.execute(db)
  return rows[0]?.step
}

async function eventsAbout(subOrgId: string): Promise<string[]> {
  const events = await app.events({ accountId: tenant.accountId })
  return events.filter(({ target_id }) => target_id === subOrgId).map(({ type }) => type)
}

test.each([
  ['events', 1],
  ['links', 2],
  ['users', 2],
])('another process ends the erasure of one that was killed at %s', { timeout: 120_000 }, async (table, step) => {
  const [subOrgId, kept, mark] = [await tenant.organization(), await tenant.organization(), fresh()]
  const users = Array.from({ length: USERS }, (_, n) => ({ email: `${n}-${mark}@example.com` }))
  succeeded(await tenant.put('/v1/users', { subOrgId, users }))
  const { email } = await newUser(tenant, { subOrgId, email: `ada-${mark}@example.com`, displayName: `Ada ${mark}` })
  await signIn(app, tenant, subOrgId, email)
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: `eve-${mark}@example.com` }))
  const neighbour = await newUser(tenant, { subOrgId: kept })
  await chainAll(app.app.platform)
  await requestErasure(tenant, subOrgId)
  await waitForErasure(app)

  expect(await killErasureAt(table, subOrgId)).toBe(step)
  // The statement that waited may still run: the database ends it without the process.
  expect(Object.keys(await findTexts(app, [mark]))).toContain('public.events')
  expect(await eventsAbout(subOrgId)).not.toContain('organization.erased')
  expect((await second.as(tenant.key).get(`/v1/organizations/${subOrgId}`)).status).toBe(404)

  await eraseOrganizations.handle(second.app.platform, {}, 1)
  expect(await findTexts(app, [mark])).toEqual({})
  expect((await eventsAbout(subOrgId)).filter((type) => type === 'organization.erased')).toHaveLength(1)
  expect(succeeded(await tenant.get(`/v1/users/${neighbour.id}`)).user.email).toBe(neighbour.email)
  await chainAll(app.app.platform)
  expect((await verified(app.app.platform)).kinds).toEqual([])

  // The check a day later finds nothing, and is over before the next organization is erased.
  await app.advance(86_401)
  await eraseOrganizations.handle(second.app.platform, {}, 1)
  expect((await eventsAbout(subOrgId)).filter((type) => type === 'organization.erased')).toHaveLength(1)
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { chainNewEvents } from '../../src/features/records/audit/chain.ts'
import { fanOut } from '../../src/features/records/deliveries/fan-out.ts'
import { noticeNewDevices } from '../../src/features/sign-in/devices/notices.ts'
import { countUsersOfOrganizations } from '../../src/features/tenancy/organizations/user-counts.ts'
import { noConnection } from '../../src/platform/db/failure.ts'
import { rotateSigningKeysWhenDue } from '../../src/platform/jobs/cleanup.ts'
import { forEachPart } from '../../src/platform/jobs/parts.ts'
import { defineCleanup } from '../../src/platform/jobs/retention.ts'
import { describeError } from '../../src/platform/observability/log.ts'
import { startApp, until } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { signedInUser } from '../people/sign-in.ts'

const DAY = 86_400

const service = await startApp()
const { platform } = service.app
const { db } = platform
// Jobs take environments in the order of their ids: this one is before the others.
const broken = await service.tenant()
const others = [await service.tenant(), await service.tenant()]
const tenants = [broken, ...others]
for (const tenant of tenants) {
  const subOrgId = await tenant.organization()
  const fields = { subOrgId, name: 'All', url: 'https://hooks.example.com', events: ['user.*'] }
  succeeded(await tenant.post('/v1/webhooks', fields))
  await newUser(tenant, { subOrgId })
}

/** Where the readers of the stream are in an environment. */
async function positionIn(table: string, environmentId: string): Promise<string> {
  const { rows } = await sql<{ position: string }>`
    select row(epoch, tx_id, event_id)::text as position from ${sql.table(table)}
    where environment_id = ${environmentId}`.execute(db)
  return rows[0]?.position ?? ''
}

/** Refuses every change of a table that concerns the first environment, while `act` runs. */
async function withBroken(table: string, act: () => Promise<void>): Promise<void> {
  await sql`create or replace function refuse_change() returns trigger language plpgsql as
    'begin raise exception ''broken'' using errcode = ''P0001''; end'`.execute(db)
  await sql`create trigger refuse_change before update or insert on ${sql.table(table)} for each row
    when (new.environment_id = ${sql.lit(broken.environmentId)}) execute function refuse_change()`.execute(db)
  try {
    await act()
  } finally {
    await sql`drop trigger refuse_change on ${sql.table(table)}`.execute(db)
  }
}

const failureOf = (act: Promise<unknown>) =>
  act.then(
    () => null,
    (error: unknown) => describeError(error),
  )
const failedIn = (environmentId: string) => ({ parts: environmentId, cause: { code: 'P0001' } })

const readers: [string, () => Promise<unknown>, string][] = [
  ['organizations.count_users', () => countUsersOfOrganizations.handle(platform, {}, 1), 'user_count_cursors'],
  ['devices.notice', () => noticeNewDevices.handle(platform, {}, 1), 'device_cursors'],
  ['audit.chain', () => chainNewEvents.handle(platform, {}, 1), 'audit_cursors'],
]

test.each(readers)('%s goes on in other environments when one fails', async (_, run, table) => {
  await run()
  for (const tenant of tenants) await newUser(tenant, { subOrgId: await tenant.organization() })
  const before = await Promise.all(tenants.map(({ environmentId }) => positionIn(table, environmentId)))
  await withBroken(table, async () => {
    // The events of a transaction that is under way elsewhere in the cluster come later.
    let failure: unknown = null
    await until(async () => {
      failure = (await failureOf(run())) ?? failure
      const after = await Promise.all(others.map(({ environmentId }) => positionIn(table, environmentId)))
      return failure !== null && after.every((position, n) => position !== before[n + 1])
    })
    expect(failure).toMatchObject(failedIn(broken.environmentId))
    expect(await positionIn(table, broken.environmentId)).toBe(before[0])
  })
  await run()
  expect(await positionIn(table, broken.environmentId)).not.toBe(before[0])
})

test('an environment whose events cannot be handed to webhooks delays no other, is logged once, and pauses', async () => {
  while (await fanOut(platform));
  for (const tenant of tenants) await newUser(tenant, { subOrgId: await tenant.organization() })
  const table = 'webhook_cursors'
  const before = await Promise.all(tenants.map(({ environmentId }) => positionIn(table, environmentId)))
  const reports = () => service.logLines.filter((line) => line.includes('cannot be handed to its webhooks'))
  await withBroken(table, async () => {
    await until(async () => {
      await fanOut(platform)
      const after = await Promise.all(others.map(({ environmentId }) => positionIn(table, environmentId)))
      return after.every((position, n) => position !== before[n + 1])
    })
    expect(await fanOut(platform)).toBe(false)
    expect(await positionIn(table, broken.environmentId)).toBe(before[0])
    expect(reports()).toEqual([expect.stringContaining(broken.environmentId)])
    // One more failure, which makes its pause longer.
    await service.advance(1)
    await fanOut(platform)
  })
  const isMoved = async () => (await positionIn(table, broken.environmentId)) !== before[0]
  await service.advance(1)
  await fanOut(platform)
  expect(await isMoved()).toBe(false)
  await service.advance(1)
  await fanOut(platform)
  expect(await isMoved()).toBe(true)
  expect(reports()).toHaveLength(1)
  await newUser(broken, { subOrgId: await broken.organization() })
  await withBroken(table, () =>
    until(async () => {
      await fanOut(platform)
      return reports().length === 2
    }).then(() => undefined),
  )
})

test('signing keys of other environments are rotated when those of one are not', async () => {
  const activeKeys = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from signing_keys where state = 'active' order by environment_id`.execute(db)
    return new Set(rows.map(({ id }) => id))
  }
  // The first token of an environment makes its keys.
  for (const tenant of tenants) await signedInUser(service, tenant, await tenant.organization(), newEmail())
  const before = await activeKeys()
  await service.advance(100 * DAY)
  await withBroken('signing_keys', async () => {
    expect(await failureOf(rotateSigningKeysWhenDue.handle(platform, {}, 1))).toMatchObject(
      failedIn(broken.environmentId),
    )
  })
  expect([...(await activeKeys())].filter((id) => before.has(id))).toHaveLength(1)
})

test('a clean-up goes on with other tables when one fails', async () => {
  const removed: number[] = []
  const job = defineCleanup('cleanup', '* * * * *', [
    { table: 'links', remove: async () => void removed.push(0) },
    { table: 'otps', remove: () => Promise.reject(new TypeError('broken')) },
    { table: 'users', remove: async () => void removed.push(2) },
    { table: 'members', remove: () => Promise.reject(new RangeError('broken')) },
  ])
  expect(await failureOf(job.handle(platform, {}, 1))).toMatchObject({
    parts: 'otps members',
    cause: { name: 'TypeError' },
  })
  expect(removed).toEqual([0, 2])
})

test('a job ends at once when the database is unavailable, but not for a statement that takes too long or too much', async () => {
  const tried: string[] = []
  const run = (failures: Record<string, () => Promise<unknown>>) => {
    tried.length = 0
    return forEachPart(Object.keys(failures), String, async (name) => {
      tried.push(name)
      await failures[name]?.()
    })
  }
  const slow = () =>
    db.connection().execute(async (one) => {
      await sql`set statement_timeout = 1`.execute(one)
      await sql`select pg_sleep(1)`.execute(one).finally(() => sql`set statement_timeout = '3s'`.execute(one))
    })
  await expect(run({ slow, next: async () => undefined })).rejects.toMatchObject({ parts: 'slow' })
  expect(tried).toEqual(['slow', 'next'])
  // Such as `temp_file_limit`.
  const tooLarge = () => sql`do 'begin raise exception ''too large'' using errcode = ''53400''; end'`.execute(db)
  await expect(run({ tooLarge, next: async () => undefined })).rejects.toMatchObject({ parts: 'tooLarge' })
  expect(tried).toEqual(['tooLarge', 'next'])
  const away = noConnection()
  await expect(run({ away: () => Promise.reject(away), next: async () => undefined })).rejects.toBe(away)
  expect(tried).toEqual(['away'])
  const broken = () => Promise.reject(new TypeError('broken'))
  const both = await failureOf(run({ broken, away: () => Promise.reject(away), next: async () => undefined }))
  expect(both).toMatchObject({ parts: 'broken away', cause: { code: 'NO_FREE_CONNECTION' } })
  expect(tried).toEqual(['broken', 'away'])
})

import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { cleanUpPlatform } from './cleanup.ts'
import { defineRetention } from './retention.ts'

const { app, tenant } = await startApp()
const { platform } = app
const { db } = platform
await (await tenant()).organization()

beforeEach(async () => {
  await db.deleteFrom('rate_counters').execute()
})

/** Counters that are this many hours old, each in its own bucket: `old0`, `old1` … */
async function count(name: string, howMany: number, hoursAgo: number): Promise<void> {
  await sql`insert into rate_counters (directory_id, bucket, identity, window_started_at, count)
    select (select id from directories limit 1), ${name}::text || n, '\\x00', clock_now() - make_interval(hours => ${hoursAgo}), 1
    from generate_series(0, ${howMany - 1}::int) n`.execute(db)
}

async function buckets(): Promise<string[]> {
  const rows = await db.selectFrom('rate_counters').select('bucket').orderBy('bucket').execute()
  return rows.map((row) => row.bucket)
}

const old = sql`window_started_at < clock_now() - interval '1 hour'`
const key = ['directory_id', 'bucket', 'identity'] as const

test.each([undefined, 'window_started_at'] as const)('removes what is old in any number of batches: %s', async (by) => {
  await count('old', 5, 2)
  await count('young', 3, 0)
  const order = by === undefined ? {} : { orderBy: by }
  await defineRetention({ table: 'rate_counters', key: [...key], where: old, batch: 2, ...order }).remove(platform)
  expect(await buckets()).toEqual(['young0', 'young1', 'young2'])
})

test('leaves for the next time what somebody holds, and waits for nobody', async () => {
  await count('old', 3, 2)
  const { remove } = defineRetention({ table: 'rate_counters', key: [...key], where: old })
  await platform.tx(async (tx) => {
    await tx.selectFrom('rate_counters').selectAll().where('bucket', '=', 'old1').forUpdate().execute()
    await remove(platform)
    expect(await buckets()).toEqual(['old1'])
  })
  await remove(platform)
  expect(await buckets()).toEqual([])
})

test('where no rows of several directories can be locked, what is renewed meanwhile stays', async () => {
  await count('old', 3, 2)
  const { remove } = defineRetention({ table: 'rate_counters', key: [...key], where: old })
  let removal: Promise<void> | null = null
  await platform.tx(async (tx) => {
    await sql`update rate_counters set window_started_at = clock_now() where bucket = 'old1'`.execute(tx)
    removal = remove({ db, database: { ...platform.database, distributed: true } })
    await until(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from%'`.execute(db)
      return rows.length > 0
    })
  })
  await removal
  expect(await buckets()).toEqual(['old1'])
})

test('a job removes by each of its retentions', async () => {
  await count('old', 2, 49)
  await count('young', 1, 47)
  await cleanUpPlatform.handle(platform, {}, 1)
  expect(await buckets()).toEqual(['young0'])
})

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { administer, copyTemplate, databaseUrl } from '../../../test/database.ts'
import { until } from '../../../test/harness.ts'
import { startSilentProxy } from '../../../test/peers/silent-proxy.ts'
import { type MigrateOptions, migrate, migrationStatus } from './migrate.ts'
import { explainDatabaseError } from './reach.ts'

const PENDING = '0139_member_inviters.sql'

/** A database of this release, and connections to it. */
async function startMigrated() {
  const name = `watchword_${randomUUID().replaceAll('-', '')}`
  await copyTemplate(inject('serverUrl'), inject('template'), name)
  onTestFinished(() => administer(inject('serverUrl'), `drop database if exists ${name} with (force)`))
  const url = databaseUrl(inject('serverUrl'), name)
  const connect = async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'a report' })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const lines: string[] = []
  return { url, connect, lines, notice: (line: string) => void lines.push(line) }
}

/** A database that lacks one migration, of the table `members`, and another connection that can lock it. */
async function startPending() {
  const started = await startMigrated()
  const holder = await started.connect()
  await holder.query('alter table members drop column invited_by_type, drop column invited_by_id')
  await holder.query('delete from schema_migrations where name = $1', [PENDING])
  return { ...started, holder }
}

async function lockMembers(holder: pg.Client): Promise<void> {
  await holder.query('begin')
  await holder.query('lock table members in access share mode')
}

/** Migrates; returns what was applied, or the line of why not. */
function migrating(url: string, options: MigrateOptions): Promise<string[] | string | null> {
  const applied: string[] = []
  return migrate(url, { ...options, onApplied: (name) => void applied.push(name) }).then(
    () => applied,
    (error: unknown) => explainDatabaseError(error, url),
  )
}

const WAITS =
  /^Migration 0139_member_inviters\.sql waits for a lock on table members that process \d+ \(a report, idle in transaction for \d+ s\) of PostgreSQL at \S+( \S+)? holds\.$/

test('a migration that another transaction blocks says once what it waits for, lets others go first, and goes on', async () => {
  const { url, holder, connect, lines, notice } = await startPending()
  await lockMembers(holder)
  const done = migrating(url, { notice })
  await until(async () => lines.length > 0)
  // Waits behind the migration, and would for as long as the holder, if it did not let go in between.
  const { rows } = await (await connect()).query('select count(*)::int as count from members')
  expect(rows).toEqual([{ count: 0 }])
  await holder.query('commit')
  expect(await done).toEqual([PENDING])
  expect(lines).toEqual([expect.stringMatching(WAITS)])
  expect((await migrationStatus(url)).pending).toEqual([])
})

test('a migration that stays blocked is given up with the reason, and nothing of it is left', async () => {
  const { url, holder } = await startPending()
  await lockMembers(holder)
  expect(await migrating(url, { patienceMs: 0 })).toMatch(
    /^Migration 0139_member_inviters\.sql was not applied, because process \d+ \(a report, idle in transaction for \d+ s\) holds a lock on table members: end that transaction and start again\.$/,
  )
  await holder.query('commit')
  const columns = await holder.query(`select from information_schema.columns where column_name = 'invited_by_type'`)
  expect([columns.rowCount, (await migrationStatus(url)).pending]).toEqual([0, [PENDING]])
  expect(await migrating(url, {})).toEqual([PENDING])
})

test('of two that migrate, the second waits and says so', async () => {
  const { url, holder, connect, lines, notice } = await startPending()
  await lockMembers(holder)
  const first = migrating(url, {})
  const watcher = await connect()
  await until(async () => {
    const { rowCount } = await watcher.query(
      `select from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
    return rowCount === 2
  })
  const second = migrating(url, { notice })
  await until(async () => lines.length > 0)
  expect(lines).toEqual([expect.stringMatching(/ is being migrated by another process\. Waiting for it\.$/)])
  await holder.query('commit')
  expect([await first, await second]).toEqual([[PENDING], []])
})

test('a migration whose server falls silent ends, and can be started again', async () => {
  const { url, holder, lines, notice } = await startPending()
  const proxy = await startSilentProxy(url)
  onTestFinished(() => proxy.close())
  await lockMembers(holder)
  const done = migrating(proxy.url, { notice, answerMs: 500 })
  await until(async () => lines.length > 0)
  proxy.silence()
  expect(await done).toMatch(/does not answer \(Connection terminated unexpectedly\)/)
  await holder.query('commit')
  await proxy.close()
  expect(await migrating(url, {})).toEqual([PENDING])
})

const CONCURRENT = '0143_lists_of_large_organizations.sql'
const EARLIER_LOCK_KEY = 7_190_214_001

/** Migrates a database that lacks an index, up to where the build of the index waits for a reader. */
async function startBuild() {
  const { url, connect } = await startMigrated()
  const [reader, earlier, watcher] = [await connect(), await connect(), await connect()]
  const recorded = await watcher.query<{ digest: string }>(
    'delete from schema_migrations where name = $1 returning digest',
    [CONCURRENT],
  )
  await watcher.query('drop index users_by_change')
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from users')
  const done = migrating(url, {})
  const pid = await until(async () => {
    const { rows } = await watcher.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'watchword-migrate'
        and wait_event = 'virtualxid'`,
    )
    return rows[0]?.pid
  })
  return { done, pid, reader, earlier, watcher, digest: recorded.rows[0]?.digest }
}

test('an index build whose connection is terminated ends with that error', async () => {
  const { done, pid, watcher } = await startBuild()
  await watcher.query('select pg_terminate_backend($1::int)', [pid])
  expect(await done).toMatch(/does not answer \(57P01\)/)
})

test('a migration that another process recorded during its index build is not recorded again', async () => {
  const { done, reader, earlier, watcher, digest } = await startBuild()
  await earlier.query('insert into schema_migrations (name, digest) values ($1, $2)', [CONCURRENT, digest])
  await reader.query('commit')
  expect(await done).toEqual([CONCURRENT])
  expect((await watcher.query('select from schema_migrations where name = $1', [CONCURRENT])).rowCount).toBe(1)
})

test('a process of the release before that starts during a concurrent index build gets its turn, and stops nothing', async () => {
  const { done, reader, earlier } = await startBuild()
  // As that release does it at its start.
  await earlier.query('select pg_advisory_lock($1)', [EARLIER_LOCK_KEY])
  await earlier.query('select pg_advisory_unlock($1)', [EARLIER_LOCK_KEY])
  await reader.query('commit')
  expect(await done).toEqual([CONCURRENT])
})

test('a process of the release before waits while the schema changes, and for a second migrator', async () => {
  const { url, holder, connect, lines, notice } = await startPending()
  await lockMembers(holder)
  const done = migrating(url, { notice })
  await until(async () => lines.length > 0)
  const earlier = await connect()
  const { rows } = await earlier.query('select pg_try_advisory_lock($1) as is_mine', [EARLIER_LOCK_KEY])
  expect(rows).toEqual([{ is_mine: false }])
  await holder.query('commit')
  expect(await done).toEqual([PENDING])
  expect((await earlier.query('select pg_try_advisory_lock($1) as is_mine', [EARLIER_LOCK_KEY])).rows).toEqual([
    { is_mine: true },
  ])
})

test('an index build that was interrupted is repeated for the index that is not complete, and for no other', async () => {
  const { url, connect } = await startMigrated()
  const client = await connect()
  const indexes = async () => {
    const { rows } = await client.query<{ name: string; oid: number; indisvalid: boolean }>(
      `select indexrelid::regclass::text as name, indexrelid as oid, indisvalid from pg_index
        where indrelid = 'users'::regclass`,
    )
    return new Map(rows.map(({ name, oid, indisvalid }) => [name, indisvalid ? oid : null]))
  }
  const before = await indexes()
  await client.query('delete from schema_migrations where name = $1', [CONCURRENT])
  await client.query(`update pg_index set indisvalid = false where indexrelid = 'users_inactive'::regclass`)
  expect(await migrating(url, {})).toEqual([CONCURRENT])
  const after = await indexes()
  const changed = [...before.keys()].filter((name) => before.get(name) !== after.get(name))
  expect([changed, after.get('users_inactive') ?? null]).toEqual([['users_inactive'], expect.any(Number)])
})

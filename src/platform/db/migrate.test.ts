import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { administer, copyTemplate, databaseUrl } from '../../../test/database.ts'
import { until } from '../../../test/harness.ts'
import { startSilentProxy } from '../../../test/peers/silent-proxy.ts'
import { type MigrateOptions, migrate, migrationStatus, readMigrations } from './migrate.ts'
import { explainDatabaseError } from './reach.ts'

const PENDING = '9001_column.sql'
const CONCURRENT = '9002_indexes.sql'

/** Migrations of a future release: one changes the table `members`, the other builds indexes concurrently. */
const directory = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'migrations-'))}/`)
for (const { name, sql } of readMigrations()) writeFileSync(new URL(name, directory), sql)
writeFileSync(new URL(PENDING, directory), 'alter table members add column later text;\n')
writeFileSync(
  new URL(CONCURRENT, directory),
  `-- no transaction
drop index concurrently if exists users_later;
create index concurrently users_later on users (directory_id, updated_at);
drop index concurrently if exists users_even_later;
create index concurrently users_even_later on users (directory_id, id);
`,
)
afterAll(() => rmSync(directory, { recursive: true }))

const pendingIn = async (url: string) => (await migrationStatus(url, directory)).pending

/** A database with this release's schema, and connections to it. */
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

/** A database that lacks one migration of the table `members`, and another connection that can lock the table. */
async function startPending() {
  const started = await startMigrated()
  const holder = await started.connect()
  await migrate(started.url, { directory })
  await holder.query('alter table members drop column later')
  await holder.query('delete from schema_migrations where name = $1', [PENDING])
  return { ...started, holder }
}

async function lockMembers(holder: pg.Client): Promise<void> {
  await holder.query('begin')
  await holder.query('lock table members in access share mode')
}

/** Migrates. Returns the applied migrations, or the line that explains the failure. */
function migrating(url: string, options: MigrateOptions): Promise<string[] | string | null> {
  const applied: string[] = []
  return migrate(url, { directory, ...options, onApplied: (name) => void applied.push(name) }).then(
    () => applied,
    (error: unknown) => explainDatabaseError(error, url),
  )
}

const WAITS =
  /^Migration 9001_column\.sql waits for a lock on table members that process \d+ \(a report, idle in transaction for \d+ s\) of PostgreSQL at \S+( \S+)? holds\.$/

test('a migration that another transaction blocks says once what it waits for, lets others go first, and goes on', async () => {
  const { url, holder, connect, lines, notice } = await startPending()
  await lockMembers(holder)
  const done = migrating(url, { notice })
  await until(async () => lines.length > 0)
  // This read queues behind the migration's lock request, and would wait for the other transaction if the migration
  // did not give up in between.
  const { rows } = await (await connect()).query('select count(*)::int as count from members')
  expect(rows).toEqual([{ count: 0 }])
  await holder.query('commit')
  expect(await done).toEqual([PENDING])
  expect(lines).toEqual([expect.stringMatching(WAITS)])
  expect(await pendingIn(url)).toEqual([])
})

test('a migration that stays blocked is given up with the reason, and nothing of it is left', async () => {
  const { url, holder } = await startPending()
  await lockMembers(holder)
  expect(await migrating(url, { patienceMs: 0 })).toMatch(
    /^Migration 9001_column\.sql was not applied, because process \d+ \(a report, idle in transaction for \d+ s\) holds a lock on table members: end that transaction and start again\.$/,
  )
  await holder.query('commit')
  const columns = await holder.query(`select from information_schema.columns where column_name = 'later'`)
  expect([columns.rowCount, await pendingIn(url)]).toEqual([0, [PENDING]])
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

const EARLIER_LOCK_KEY = 7_190_214_001

/** Migrates a database that lacks an index, until the index build waits for a reader. */
async function startBuild() {
  const { url, connect } = await startMigrated()
  const [reader, earlier, watcher] = [await connect(), await connect(), await connect()]
  await migrate(url, { directory })
  const recorded = await watcher.query<{ digest: string }>(
    'delete from schema_migrations where name = $1 returning digest',
    [CONCURRENT],
  )
  await watcher.query('drop index users_later')
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
  // The earlier release takes this lock in the same way at its start.
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
  await migrate(url, { directory })
  const before = await indexes()
  await client.query('delete from schema_migrations where name = $1', [CONCURRENT])
  await client.query(`update pg_index set indisvalid = false where indexrelid = 'users_even_later'::regclass`)
  expect(await migrating(url, {})).toEqual([CONCURRENT])
  const after = await indexes()
  const changed = [...before.keys()].filter((name) => before.get(name) !== after.get(name))
  expect([changed, after.get('users_even_later') ?? null]).toEqual([['users_even_later'], expect.any(Number)])
})

/** A database with the migration names that versions before release 0.1.0 stored. */
async function startEarlier(earlier: Record<string, string>) {
  const { url, connect } = await startMigrated()
  const client = await connect()
  const rows = async () => (await client.query('select name, digest from schema_migrations order by name')).rows
  const [first] = await rows()
  await client.query('delete from schema_migrations')
  for (const row of Object.entries(earlier))
    await client.query('insert into schema_migrations (name, digest) values ($1, $2)', row)
  return { url, client, rows, first }
}

const LAST = '0189_passwords_by_managers.sql'
const EARLIER = { '0001_platform.sql': 'x', [LAST]: 'fc153f7152af476c7881767ca9610d4965de91ef843fa57ebf0150cd82838414' }

test('a database that has the last migration before release 0.1.0 is adopted, and nothing in it changes', async () => {
  const { url, client, rows, first } = await startEarlier(EARLIER)
  const schema = async () =>
    (
      await client.query(`select attrelid::regclass::text, attname, attnum, format_type(atttypid, atttypmod) as type
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and attnum > 0 order by 1, 3`)
    ).rows
  const before = await schema()
  expect(await migrationStatus(url)).toEqual({ applied: [first.name], pending: [], unknown: [] })
  expect(await migrating(url, { directory: new URL('../../../migrations/', import.meta.url) })).toEqual([])
  expect(await schema()).toEqual(before)
  expect(await rows()).toEqual([...Object.entries(EARLIER).map(([name, digest]) => ({ name, digest })), first])
  // A later release continues from this schema.
  expect(await migrating(url, {})).toEqual([PENDING, CONCURRENT])
})

test.each([
  ['lacks it', { '0001_platform.sql': 'x' }],
  ['has an earlier text of it', { ...EARLIER, [LAST]: 'x' }],
])('a database that %s is refused with the commit to start once', async (_, earlier) => {
  const { url, rows } = await startEarlier(earlier)
  const before = await rows()
  const refusal =
    /^The database has the schema of a version before release 0\.1\.0\. Start the service of commit [0-9a-f]{8} once, /
  await expect(migrate(url)).rejects.toThrow(refusal)
  await expect(migrationStatus(url)).rejects.toThrow(refusal)
  expect(await rows()).toEqual(before)
})

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { makeWorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { ConfigError } from '../config/config.ts'
import { keptAlive, withClient } from './client.ts'
import { sqlState } from './failure.ts'
import { type Blocker, watchMigration } from './migration-watch.ts'
import { DatabaseError, nameDatabase } from './reach.ts'
import { unboundedParameters } from './session-settings.ts'

const DIRECTORY = new URL('../../../migrations/', import.meta.url)
/**
 * The schema of release 0.1.0 in one file. It replaces the earlier files, which databases of earlier versions have
 * applied.
 */
const FIRST = '0200_release_0_1_0.sql'
/** The last of the earlier files, and a commit that applies it. */
const BEFORE_FIRST = {
  last: '0189_passwords_by_managers.sql',
  digest: 'fc153f7152af476c7881767ca9610d4965de91ef843fa57ebf0150cd82838414',
  commit: '58e44fb3',
}
// The numbers are arbitrary. The process that has both locks migrates the database. The release before 0.1.0 knows
// only the second lock, and its processes wait for it in a statement. A concurrent index build waits until every older
// statement has ended, so the second lock is released during such a build.
const LOCK_KEY = 7_190_214_002
const EARLIER_LOCK_KEY = 7_190_214_001
const PATIENCE_MS = 300_000
// Lets the requests that queued behind an attempt go first.
const PAUSE_MS = 1000
// The lock was not available in time, or the migration was in a deadlock with a request. Either way it was rolled
// back.
const RETRIED = ['55P03', '40P01']
// A migration has no time limit.
const MIGRATOR = { application_name: 'watchword-migrate', query_timeout: 0, ...unboundedParameters }

export interface Migration {
  name: string
  sql: string
  digest: string
}

export interface MigrationStatus {
  applied: string[]
  pending: string[]
  /** Migrations that a newer release has applied and this one does not know. */
  unknown: string[]
}

/** The migrations of this release, in order. */
export function readMigrations(directory = DIRECTORY): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, directory), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

export interface MigrateOptions {
  onApplied?(name: string): void
  /** Receives a line about what a migration waits for, once for each process that blocks it. */
  notice?(line: string): void
  /** In tests: the migration files of a future release. */
  directory?: URL
  /** In tests: how long a migration is retried while its tables are locked, in milliseconds. */
  patienceMs?: number
  /** In tests: how long the server may take to report whether a migration waits, in milliseconds. */
  answerMs?: number
}

/**
 * Migrates the database to this release's schema. Works forward only, under an advisory lock, so that only one of
 * several starting processes migrates. Each migration runs in its own transaction, unless it begins with `-- no
 * transaction`. Refuses a schema newer than the release. Throws DatabaseError if another transaction blocks a
 * migration for five minutes.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  await withClient(url, MIGRATOR, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const waits = reportWaits(url, options)
    const watch = {
      guarded: new Set<pg.ClientBase>([client]),
      pid: rows[0]?.pid ?? 0,
      onBlocked: waits.onBlocked,
      ...(options.answerMs === undefined ? {} : { answerMs: options.answerMs }),
    }
    await watchMigration(url, watch, async () => {
      await waitForTurn(client, LOCK_KEY, waits)
      await waitForTurn(client, EARLIER_LOCK_KEY, waits)
      try {
        // Database clock: the function clock_now() does not exist before the first migration.
        await client.query(`create table if not exists schema_migrations (
          name text primary key, digest text not null, applied_at timestamptz not null default now())`)
        const found = await compare(client, options.directory)
        refuseNewerSchema(found.unknown)
        if (found.adopts) await keepApplied(client, found.adopts)
        let { pending } = found
        for (let [migration] = pending; migration; [migration] = pending) {
          waits.begin(migration)
          await applyPatiently(client, migration, waits, options)
          options.onApplied?.(migration.name)
          // A process of an earlier release may have migrated during the index build.
          pending = isInSteps(migration) ? (await compare(client, options.directory)).pending : pending.slice(1)
        }
        await migrateJobs(url, watch.guarded)
      } finally {
        // The locks also end with the connection, which may be lost by now.
        await client.query('select pg_advisory_unlock_all()').catch(() => undefined)
      }
    })
  })
}

interface Waits {
  /** Another process migrates the database. */
  onOtherMigrator(): void
  begin(migration: Migration): void
  onBlocked(blocker: Blocker): void
  /** A sentence about the last wait of the current migration. */
  latest(): string
}

function reportWaits(url: string, { notice }: MigrateOptions): Waits {
  let name = ''
  let latest = ''
  const reported = new Set<string>()
  const report = (line: string) => {
    const key = line.replace(/ \(.*\)/, '')
    if (!reported.has(key)) notice?.(line)
    reported.add(key)
  }
  return {
    onOtherMigrator: () => report(`${nameDatabase(url)} is being migrated by another process. Waiting for it.`),
    begin(migration) {
      name = migration.name
      latest = ''
    },
    onBlocked({ table, process }) {
      const what = table === null ? 'a lock' : `a lock on table ${table}`
      latest = `${process} holds ${what}`
      report(`Migration ${name} waits for ${what} that ${process} of ${nameDatabase(url)} holds.`)
    },
    latest: () => latest || 'another transaction holds a lock',
  }
}

/** Retries while another transaction blocks the migration. Throws DatabaseError if that takes too long. */
async function applyPatiently(
  client: pg.Client,
  migration: Migration,
  waits: Waits,
  { patienceMs = PATIENCE_MS }: MigrateOptions,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await apply(client, migration, waits)
    } catch (error) {
      if (!RETRIED.includes(sqlState(error) ?? '')) throw error
      if (performance.now() > deadline)
        throw new DatabaseError(
          `Migration ${migration.name} was not applied, because ${waits.latest()}: end that transaction and start again.`,
          { cause: error },
        )
    }
    await delay(PAUSE_MS)
  }
}

/**
 * Compares the schema with this release. Throws ConfigError if an applied migration differs from this release's, or if
 * the schema is older than release 0.1.0.
 */
export async function migrationStatus(url: string, directory?: URL): Promise<MigrationStatus> {
  return withClient(url, MIGRATOR, async (client) => {
    const { applied, pending, unknown } = await compare(client, directory)
    return { applied, pending: pending.map((migration) => migration.name), unknown }
  })
}

/** Throws ConfigError for a schema of a newer release. */
export function refuseNewerSchema(unknown: string[]): void {
  if (unknown.length)
    throw new ConfigError(`The database was migrated by a newer release (${unknown.join(', ')}): start that release.`)
}

async function compare(client: pg.Client, directory?: URL) {
  const rows = await readApplied(client)
  const digests = new Map(rows.filter(({ name }) => name >= FIRST).map(({ name, digest }) => [name, digest]))
  const all = readMigrations(directory)
  const adopts = findAdopted(rows, all)
  if (adopts) digests.set(adopts.name, adopts.digest)
  for (const { name, digest } of all) {
    if (digests.has(name) && digests.get(name) !== digest)
      throw new ConfigError(`Migration ${name} was applied with different content: restore the file of the release.`)
  }
  const known = new Set(all.map((migration) => migration.name))
  return {
    applied: [...digests.keys()].filter((name) => known.has(name)),
    pending: all.filter((migration) => !digests.has(migration.name)),
    unknown: [...digests.keys()].filter((name) => !known.has(name)),
    adopts,
  }
}

/**
 * Returns this release's first file if the database got the same schema from the earlier files. Throws ConfigError for
 * a database that lacks some of these files.
 */
function findAdopted(rows: { name: string; digest: string }[], all: Migration[]): Migration | null {
  const digests = new Map(rows.map(({ name, digest }) => [name, digest]))
  if (digests.has(FIRST) || rows.length === 0) return null
  // Before that commit, the text of the last file was different.
  if (digests.get(BEFORE_FIRST.last) !== BEFORE_FIRST.digest)
    throw new ConfigError(
      `The database has the schema of a version before release 0.1.0. Start the service of commit ${BEFORE_FIRST.commit} once, which migrates it, then this release.`,
    )
  return all.find(({ name }) => name === FIRST) ?? null
}

/** Returns the applied migrations, none for a database that was never migrated. Creates nothing. */
async function readApplied(client: pg.Client): Promise<{ name: string; digest: string }[]> {
  const table = await client.query<{ made: boolean }>("select to_regclass('schema_migrations') is not null as made")
  if (!table.rows[0]?.made) return []
  const { rows } = await client.query<{ name: string; digest: string }>('select name, digest from schema_migrations')
  return rows
}

const NO_TRANSACTION = /^-- no transaction$/m
const isInSteps = ({ sql }: Migration) => NO_TRANSACTION.test(sql)
const CREATE_INDEX = /^\s*create (?:unique )?index concurrently (\w+) on/
const DROP_INDEX = /^\s*drop index concurrently if exists (\w+)$/
const LOCK_POLL_MS = 200

/** Polls for the lock, because a statement that waits would block a concurrent index build. */
async function waitForTurn(client: pg.Client, key: number, waits: Waits): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_mine: boolean }>('select pg_try_advisory_lock($1) as is_mine', [key])
    if (rows[0]?.is_mine) return
    waits.onOtherMigrator()
    await delay(LOCK_POLL_MS)
  }
}

/**
 * Runs a migration that builds indexes concurrently. After an interruption it runs again from the beginning, so every
 * statement must be repeatable. Only completed indexes are not built again.
 */
async function applyInSteps(client: pg.Client, migration: Migration, waits: Waits): Promise<void> {
  const statements = migration.sql
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .filter((statement) => statement.trim())
  const made = statements.flatMap((statement) => CREATE_INDEX.exec(statement)?.[1] ?? [])
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where indisvalid and pg_table_is_visible(indexrelid) and relname = any($1)`,
    [made],
  )
  const complete = new Set(rows.map(({ name }) => name))
  await client.query('select pg_advisory_unlock($1)', [EARLIER_LOCK_KEY])
  try {
    for (const statement of statements) {
      const [, name = ''] = CREATE_INDEX.exec(statement) ?? DROP_INDEX.exec(statement) ?? []
      if (!complete.has(name)) await client.query(statement)
    }
  } catch (error) {
    // The connection may be lost, but the failure of the statement is the one to report.
    await waitForTurn(client, EARLIER_LOCK_KEY, waits).catch(() => undefined)
    throw error
  }
  await waitForTurn(client, EARLIER_LOCK_KEY, waits)
  const applied = await readApplied(client)
  if (!applied.some(({ name }) => name === migration.name)) await keepApplied(client, migration)
}

async function keepApplied(client: pg.Client, { name, digest }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digest])
}

async function apply(client: pg.Client, migration: Migration, waits: Waits): Promise<void> {
  if (isInSteps(migration)) return applyInSteps(client, migration, waits)
  await client.query('begin')
  try {
    // Requests queue behind the lock that the migration waits for, so the wait is short. It is just longer than
    // `deadlock_timeout` (1 s), after which PostgreSQL cancels an autovacuum that blocks the migration.
    await client.query("set local lock_timeout = '1100ms'")
    // Citus refuses migrations that change several tables over all its connections at once. Plain PostgreSQL ignores
    // this setting.
    await client.query("set local citus.multi_shard_modify_mode = 'sequential'")
    await client.query(migration.sql)
    await keepApplied(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** The job queue has its own schema and migrates it itself. */
async function migrateJobs(url: string, guarded: Set<pg.ClientBase>): Promise<void> {
  // Own connection: the job queue migrates itself. Another connection watches it instead of a deadline.
  const pgPool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    ...keptAlive,
    ...unboundedParameters,
  })
  // The job queue removes its own listener when it ends. If the database went away then, an unhandled 'error' would
  // end the process.
  pgPool.on('error', () => undefined)
  pgPool.on('connect', (client) => {
    client.on('error', () => undefined)
    guarded.add(client)
  })
  const utils = await makeWorkerUtils({ pgPool })
  try {
    await utils.migrate()
  } finally {
    await utils.release()
    await pgPool.end()
  }
}

/** Describes migrations that are not applied, in a few words. */
export function describePending(pending: string[]): string {
  return pending.length > 3 ? `${pending.length} migrations (${pending[0]} first)` : pending.join(', ')
}

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { makeWorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { ConfigError } from '../config.ts'
import { unboundedParameters } from './session-settings.ts'

const DIRECTORY = new URL('../../../migrations/', import.meta.url)
// Any fixed number; one migrator at a time on a database.
const LOCK_KEY = 7_190_214_001

export interface Migration {
  name: string
  sql: string
  digest: string
}

export interface MigrationStatus {
  applied: string[]
  pending: string[]
  /** Applied by a newer release and unknown to this one. */
  unknown: string[]
}

/** The migrations of this release, in order. */
export function readMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, DIRECTORY), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}

/**
 * Migrates the database to this release's schema: forward only, each migration in a transaction of its own, under an
 * advisory lock so that only one of several starting processes does it. Refuses a schema newer than the release.
 */
export async function migrate(url: string, onApplied: (name: string) => void = () => undefined): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY])
    try {
      await client.query(`create table if not exists schema_migrations (
        name text primary key, digest text not null, applied_at timestamptz not null default now())`)
      const { pending, unknown } = await compare(client)
      refuseNewerSchema(unknown)
      for (const migration of pending) {
        await apply(client, migration)
        onApplied(migration.name)
      }
      await migrateJobs(url)
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK_KEY])
    }
  })
}

/** Compares the schema with this release. Throws ConfigError when an applied migration differs from this release's. */
export async function migrationStatus(url: string): Promise<MigrationStatus> {
  return withClient(url, async (client) => {
    const { applied, pending, unknown } = await compare(client)
    return { applied, pending: pending.map((migration) => migration.name), unknown }
  })
}

/** Throws ConfigError for a schema of a newer release. */
export function refuseNewerSchema(unknown: string[]): void {
  if (unknown.length)
    throw new ConfigError(`The database was migrated by a newer release (${unknown.join(', ')}): start that release.`)
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'watchword-migrate', ...unboundedParameters })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function compare(client: pg.Client) {
  const rows = await readApplied(client)
  const digests = new Map(rows.map((row) => [row.name, row.digest]))
  const all = readMigrations()
  for (const { name, digest } of all) {
    if (digests.has(name) && digests.get(name) !== digest)
      throw new ConfigError(`Migration ${name} was applied with different content: restore the file of the release.`)
  }
  const known = new Set(all.map((migration) => migration.name))
  return {
    applied: [...digests.keys()].filter((name) => known.has(name)),
    pending: all.filter((migration) => !digests.has(migration.name)),
    unknown: [...digests.keys()].filter((name) => !known.has(name)),
  }
}

/** Empty for a database that was never migrated; creates nothing. */
async function readApplied(client: pg.Client): Promise<{ name: string; digest: string }[]> {
  const table = await client.query<{ made: boolean }>("select to_regclass('schema_migrations') is not null as made")
  if (!table.rows[0]?.made) return []
  const { rows } = await client.query<{ name: string; digest: string }>('select name, digest from schema_migrations')
  return rows
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    // Waiting longer for a lock would queue every request behind it.
    await client.query("set local lock_timeout = '1s'")
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (name, digest) values ($1, $2)', [
      migration.name,
      migration.digest,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** The job queue has a schema of its own and migrates it itself. */
async function migrateJobs(url: string): Promise<void> {
  const pgPool = new pg.Pool({ connectionString: url, ...unboundedParameters })
  // Theirs is without a listener as it ends: a database that goes away just then would end the process.
  pgPool.on('error', () => undefined)
  pgPool.on('connect', (client) => client.on('error', () => undefined))
  const utils = await makeWorkerUtils({ pgPool })
  try {
    await utils.migrate()
  } finally {
    await utils.release()
    await pgPool.end()
  }
}

import { sql } from 'kysely'
import type { QueryConfig } from 'pg'
import type { Db } from '../src/platform/db/pool.ts'
import type { TestApp } from './harness.ts'

// What a refused request may write: protective counters, and directories created on first use.
const COUNTED = ['rate_counters', 'idempotency_keys', 'directories', 'schema_migrations', 'test_clock']
const TOUCHED = ['last_used_at', 'last_used_ip', 'last_active_at']

interface Leaving {
  failedSignInsOf?: string
  failedSignIns?: boolean
}

interface Digest {
  name: string
  digest: string
}

/** By app and by what is left out: to write and to plan the statement takes longer than to run it. */
const statements = new WeakMap<Db, Map<string, QueryConfig>>()

/**
 * A digest of every table: two of them show whether anything was written in between. `failedSignInsOf` names a
 * directory whose events of refused sign-ins, told or counted, do not count, nor those of its environment; with `failedSignIns` false none of these events counts.
 */
export async function snapshot(app: TestApp, options: Leaving = {}): Promise<Record<string, string>> {
  const { db, database } = app.app.platform
  const known = statements.get(db) ?? new Map<string, QueryConfig>()
  statements.set(db, known)
  const key = JSON.stringify(options)
  const statement = known.get(key) ?? { name: `snapshot ${known.size}`, text: await writeStatement(db, options) }
  known.set(key, statement)
  const { rows } = await database.pool.query<Digest>(statement)
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

/** Without parameters, so that its plan is kept. */
async function writeStatement(db: Db, leaving: Leaving): Promise<string> {
  const { rows: tables } = await sql<{ name: string; columns: string[]; all: number }>`
    select relname::text as name, count(*)::int as all,
      array_agg(attname::text order by attnum) filter (where not attname = any(${TOUCHED})) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      and not relname = any(${COUNTED})
    group by relname order by relname`.execute(db)
  // Each write brings a version of a row that has the number of its transaction, higher than all before; a row that is only
  // locked has none. To hash what rows say takes several times as long, and is left to tables whose columns count in part.
  const digests = tables.map(({ name, columns, all }) => {
    const written = columns.length === all ? sql`max(xmin::text::bigint)` : sql`sum(hashtextextended(rows::text, 0))`
    const read = columns.length === all ? sql`xmin` : sql.join(columns.map((column) => sql.ref(column)))
    return sql`select ${sql.lit(name)}::text as name, (
      select count(*) || ':' || coalesce(${written}, 0) from (
        select ${read} from ${sql.table(name)}
        where ${name === 'events' || name === 'event_counts' ? counted(leaving) : sql.lit(true)}) rows) as digest`
  })
  return sql`${sql.join(digests, sql` union all `)}`.compile(db).sql
}

/** Which events count. */
function counted({ failedSignIns = true, failedSignInsOf }: Leaving) {
  return sql`type <> 'auth.login.failed'
    or (${sql.lit(failedSignIns)} and directory_id is not null and directory_id not in (
      select d.id from directories own join directories d on d.id = own.id
        or (d.environment_id = own.environment_id and d.kind = 'account')
      where own.id = ${sql.lit(failedSignInsOf ?? null)}::uuid))`
}

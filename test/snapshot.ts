import { sql } from 'kysely'
import type { TestApp } from './harness.ts'

// What a refused request may write: protective counters, and directories created on first use.
const COUNTED = ['rate_counters', 'idempotency_keys', 'directories', 'schema_migrations', 'test_clock']
const TOUCHED = ['last_used_at', 'last_used_ip', 'last_active_at']

/**
 * A digest of every table: two of them show whether anything was written in between. `failedSignInsOf` names a
 * directory whose events of refused sign-ins, told or counted, do not count; with `failedSignIns` false none of these events counts.
 */
export async function snapshot(
  app: TestApp,
  options: { failedSignInsOf?: string; failedSignIns?: boolean } = {},
): Promise<Record<string, string>> {
  const { db } = app.app.platform
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and not table_name = any(${COUNTED})
    order by table_name`.execute(db)
  const digests = tables.map(
    ({ name }) => sql`select ${name}::text as name, coalesce(md5(string_agg(row, '' order by row)), '') as digest
      from (select (to_jsonb(t) - ${TOUCHED}::text[])::text as row from ${sql.table(name)} t
        where ${name} not in ('events', 'event_counts') or to_jsonb(t)->>'type' <> 'auth.login.failed'
          or (${options.failedSignIns ?? true}
            and to_jsonb(t)->>'directory_id' is distinct from ${options.failedSignInsOf ?? null})) rows`,
  )
  const { rows } = await sql<{ name: string; digest: string }>`${sql.join(digests, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

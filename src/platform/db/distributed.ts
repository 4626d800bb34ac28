import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from './pool.ts'

/** Whether the database distributes its tables (Citus). Checked once, at the start. */
export async function isDistributed(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/**
 * For clean-ups over all directories: skips rows that other transactions have locked, including another clean-up,
 * until the next run. In a distributed database, rows of several directories cannot be locked. In both cases, repeat
 * the condition where the rows are written, because a row may have been renewed after it was found.
 */
export function skipLocked({ distributed }: Pick<Database, 'distributed'>): RawBuilder<unknown> {
  // Skips locked rows: only where the database is not distributed.
  return distributed ? sql`` : sql`for update skip locked`
}

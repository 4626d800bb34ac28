import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from './pool.ts'

/** Whether the database distributes its tables (Citus). Asked once, at start. */
export async function isDistributed(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/**
 * For a clean-up over all directories: leaves rows that others hold, another clean-up among them, for the next run. No
 * rows of several directories can be locked where they are distributed. Either way the condition has to be repeated
 * where the rows are written, since they may have been renewed after they were found.
 */
export function skipLocked({ distributed }: Pick<Database, 'distributed'>): RawBuilder<unknown> {
  // Skips locked rows: only where the database is not distributed.
  return distributed ? sql`` : sql`for update skip locked`
}

import { type RawBuilder, sql } from 'kysely'
import type { Db } from './pool.ts'

/**
 * Changes rows a batch at a time until none is left. A batch may change fewer rows than it selected, or none, because
 * another transaction changed them first. So only `isAnyLeft` decides when the work is done, and every change must
 * exclude its rows from `isAnyLeft`. Returns how many rows were changed.
 */
export async function changeInBatches({
  change,
  isAnyLeft,
}: {
  change(): Promise<number>
  isAnyLeft(): Promise<boolean>
}): Promise<number> {
  let changed = 0
  for (;;) {
    const count = await change()
    changed += count
    if (count === 0 && !(await isAnyLeft())) return changed
  }
}

/** Whether there is a row. `from` is a table with its condition. */
export async function hasRow(db: Db, from: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`select 1 from ${from} limit 1`.execute(db)
  return rows.length > 0
}

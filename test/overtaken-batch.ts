import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../src/platform/db/pool.ts'
import { until } from './harness.ts'

/**
 * Locks every row of a table and runs `act`, whose statement waits for one of them. Then changes that row as another
 * transaction does that is faster, and lets go of the others. Returns what `act` returns.
 */
export async function overtakeOneRow<T>(
  db: Db,
  table: string,
  how: { change: (tx: Tx, row: RawBuilder<unknown>) => Promise<unknown>; act: () => Promise<T> },
): Promise<T> {
  const done = await db.transaction().execute(async (tx) => {
    await sql`select from ${sql.table(table)} for update`.execute(tx)
    const acting = how.act()
    // The row that a statement waits for.
    const ctid = await until(async () => {
      const { rows } = await sql<{ ctid: string }>`select format('(%s,%s)', page, tuple) as ctid from pg_locks
        where locktype = 'tuple' and relation = ${table}::regclass and pid <> pg_backend_pid()`.execute(db)
      return rows[0]?.ctid
    })
    await how.change(tx, sql`ctid = ${ctid}::tid`)
    return { acting }
  })
  return done.acting
}

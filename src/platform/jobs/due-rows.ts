import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { DB } from '../db/schema.gen.ts'
import { forEachPart } from './parts.ts'

type Column<T extends keyof DB> = keyof DB[T] & string

/** The rows in all directories that a job must process. */
export interface DueRows<T extends keyof DB> {
  table: T
  /** The column that, together with the directory, is the primary key. */
  key: Column<T>
  isDue: RawBuilder<unknown>
  /** The indexed column by which the rows are found. */
  orderBy: Column<T>
  /** How many rows one statement reads. */
  batch: number
}

/**
 * Runs a step for the due rows of each directory, a batch of keys at a time. The step must check again whether a row
 * is due. If a directory's step fails, the rest of the run skips the directory, and the others are not delayed. Throws
 * as `forEachPart` does.
 */
export async function forEachDirectory<T extends keyof DB>(
  db: Db,
  due: DueRows<T>,
  step: (directoryId: string, keys: string[]) => Promise<unknown>,
): Promise<void> {
  const failed = new Set<string>()
  await forEachPart(
    readBatches(db, due, failed),
    ({ directoryId }) => directoryId,
    async ({ directoryId, keys }) => {
      try {
        await step(directoryId, keys)
      } catch (error) {
        failed.add(directoryId)
        throw error
      }
    },
  )
}

/**
 * Continues after the last row that was read instead of at the first row still due, because a failed directory may
 * have many due rows.
 */
async function* readBatches<T extends keyof DB>(
  db: Db,
  { table, key, isDue, orderBy, batch }: DueRows<T>,
  failed: ReadonlySet<string>,
): AsyncGenerator<{ directoryId: string; keys: string[] }> {
  const [id, place] = [sql.ref(key), sql.ref(orderBy)]
  for (let isNext = sql`true`; ; ) {
    const { rows } = await sql<{ directory_id: string; key: string; place: string }>`
      select directory_id, ${id}::text as key, ${place}::text as place from ${sql.table(table)}
      where (${isDue}) and ${isNext} order by ${place}, ${id} limit ${batch}`.execute(db)
    for (const [directoryId, found] of Map.groupBy(rows, (row) => row.directory_id))
      if (!failed.has(directoryId)) yield { directoryId, keys: found.map((row) => row.key) }
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    isNext = sql`(${place}, ${id}) > (${last.place}, ${last.key})`
  }
}

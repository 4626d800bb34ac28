import { type RawBuilder, sql } from 'kysely'
import { skipLocked } from '../db/distributed.ts'
import type { DB } from '../db/schema.gen.ts'
import type { Platform } from '../platform.ts'
import { forEachPart } from './parts.ts'
import type { JobHandler } from './queue.ts'

type Column<T extends keyof DB> = keyof DB[T] & string

/** Rows of a table to remove. */
interface Retention<T extends keyof DB> {
  table: T
  /** The primary key. */
  key: Column<T>[]
  where: RawBuilder<unknown>
  /** The indexed column by which the rows are found. */
  orderBy?: Column<T>
  batch?: number
}

interface Removal {
  table: string
  /** Removes the rows that are due for removal. */
  remove(platform: Pick<Platform, 'db' | 'database'>): Promise<void>
}

/**
 * Removes rows of a table, a batch at a time. Unless the database is distributed, a locked row is left for the next
 * run. Nothing relies on the removal, because expiry is checked where a row is used.
 */
export function defineRetention<T extends keyof DB>(retention: Retention<T>): Removal {
  const { table, key, where, orderBy, batch = 1000 } = retention
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const isOver = sql`(${where})`
  const order = orderBy === undefined ? sql`` : sql`order by ${sql.ref(orderBy)}`
  const remove: Removal['remove'] = async ({ db, database }) => {
    // Table by name: the owner of the table calls `defineRetention`.
    const statement = sql`
      delete from ${sql.table(table)} where ${isOver} and (${columns}) in (
        select ${columns} from ${sql.table(table)} where ${isOver} ${order} limit ${batch} ${skipLocked(database)})`
    while (Number((await statement.execute(db)).numAffectedRows ?? 0) >= batch);
  }
  return { table, remove }
}

/** A job that only removes expired rows. */
export function defineCleanup(name: string, cron: string, removals: Removal[]): JobHandler {
  return {
    name,
    cron,
    async handle(platform) {
      await forEachPart(
        removals,
        ({ table }) => table,
        ({ remove }) => remove(platform),
      )
    },
  }
}

import { type RawBuilder, sql } from 'kysely'
import type { Belonging } from '../../platform/belongings.ts'
import type { Tx } from '../../platform/db/pool.ts'
import type { Platform } from '../../platform/platform.ts'

type Given = [db: Tx, belongings: readonly Belonging[], directoryId: string, ids: string[]]

/** Removes what stayed of deleted users for a restore. */
export function purgeKept(...[db, belongings, directoryId, ids]: Given): Promise<void> {
  const kept = belongings.filter(({ purged }) => purged)
  return deleteRowsOf(db, kept, directoryId, ids)
}

/** Deletes all rows of these users in the tables of these belongings: one statement each, however many users. */
export async function deleteRowsOf(...[db, belongings, directoryId, ids]: Given): Promise<void> {
  for (const { table } of belongings)
    await sql`delete from ${sql.table(table)} where directory_id = ${directoryId} and user_id = any(${ids})`.execute(db)
}

/**
 * Removes a batch of users whom nobody can restore any more, and of each what has stayed for that. Returns how many
 * were found. `isOver` is a condition of their rows.
 */
export async function purgeUsers(
  { db, tx, belongings }: Platform,
  isOver: RawBuilder<boolean>,
  batch: number,
): Promise<number> {
  const rows = await db.selectFrom('users').select(['directory_id', 'id']).where(isOver).limit(batch).execute()
  for (const [directoryId, users] of Map.groupBy(rows, (row) => row.directory_id)) {
    await tx(async (db) => {
      const held = await db
        .selectFrom('users')
        .select('id')
        .where('directory_id', '=', directoryId)
        .where(
          'id',
          'in',
          users.map((row) => row.id),
        )
        .where(isOver)
        .orderBy('id')
        .forUpdate()
        .execute()
      const ids = held.map((row) => row.id)
      if (ids.length === 0) return
      await purgeKept(db, belongings, directoryId, ids)
      await db.deleteFrom('users').where('directory_id', '=', directoryId).where('id', 'in', ids).execute()
    })
  }
  return rows.length
}

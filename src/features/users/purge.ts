import { type RawBuilder, sql } from 'kysely'
import type { Platform } from '../../platform/platform.ts'

/**
 * Removes a batch of users whom nobody can restore any more, and of each what has stayed for that. Returns how many.
 * `isOver`, a condition of their rows, stays true once it is.
 */
export async function purgeUsers(
  { db, tx, belongings }: Platform,
  isOver: RawBuilder<boolean>,
  batch: number,
): Promise<number> {
  const rows = await db.selectFrom('users').select(['directory_id', 'id']).where(isOver).limit(batch).execute()
  for (const [directoryId, users] of Map.groupBy(rows, (row) => row.directory_id)) {
    const ids = users.map((row) => row.id)
    await tx(async (db) => {
      for (const { table } of belongings.filter(({ purged }) => purged))
        await sql`delete from ${sql.table(table)} where directory_id = ${directoryId} and user_id = any(${ids})`.execute(
          db,
        )
      await db
        .deleteFrom('users')
        .where('directory_id', '=', directoryId)
        .where('id', 'in', ids)
        .where(isOver)
        .execute()
    })
  }
  return rows.length
}

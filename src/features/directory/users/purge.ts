import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/pool.ts'
import { forEachDirectory } from '../../../platform/jobs/due-rows.ts'
import type { Belonging } from '../../../platform/lifecycle/belongings.ts'
import { belongingsOf } from '../../../platform/lifecycle/belongings.ts'
import { forgetAddresses } from '../../../platform/mail/bounces/store.ts'
import type { Platform } from '../../../platform/platform.ts'

type Given = [db: Tx, belongings: readonly Belonging[], directoryId: string, ids: string[]]

/** Removes the rows of deleted users that were kept for a restore. */
export function purgeKept(...[db, belongings, directoryId, ids]: Given): Promise<void> {
  const kept = belongings.filter(({ purged }) => purged)
  return deleteRowsOf(db, kept, directoryId, ids)
}

/**
 * Deletes all rows of these users from the tables of these belongings. Uses one statement for each table for any
 * number of users.
 */
export async function deleteRowsOf(...[db, belongings, directoryId, ids]: Given): Promise<void> {
  // Table by name: a belonging names its own table in the `belongings.ts` of its feature.
  for (const { table } of belongings)
    await sql`delete from ${sql.table(table)} where directory_id = ${directoryId} and user_id = any(${ids})`.execute(db)
}

/** Removes users, including deleted ones, with everything that belongs to them. Records no events. */
export async function removeAtOnce(platform: Platform, db: Tx, directoryId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await deleteRowsOf(db, belongingsOf(platform), directoryId, ids)
  await db.deleteFrom('users').where('directory_id', '=', directoryId).where('id', 'in', ids).execute()
}

const isPast = sql<boolean>`deleted_at <= clock_now() - interval '30 days'`
// Few users at a time, because many rows of other tables are deleted with each.
const PAST = { table: 'users', key: 'id', isDue: isPast, orderBy: 'deleted_at', batch: 200 } as const

/** Removes users who were deleted 30 days ago, with the rows that were kept for a restore. */
export async function purgeUsers(platform: Platform): Promise<void> {
  const { db, tx } = platform
  await forEachDirectory(db, PAST, (directoryId, given) =>
    tx(async (db) => {
      const users = db.selectFrom('users').select('id').where('directory_id', '=', directoryId)
      const held = await users.where('id', 'in', given).where(isPast).orderBy('id').forUpdate().execute()
      const ids = held.map((row) => row.id)
      if (ids.length === 0) return
      await purgeKept(db, belongingsOf(platform), directoryId, ids)
      await forgetAddresses(db, directoryId, await addressesOfPurged(db, directoryId, ids))
      await db.deleteFrom('users').where('directory_id', '=', directoryId).where('id', 'in', ids).execute()
    }),
  )
}

/** The addresses of these users, except addresses that another user of the directory has. */
async function addressesOfPurged(db: Tx, directoryId: string, ids: string[]): Promise<string[]> {
  const users = db.selectFrom('users').select('email_norm').distinct().where('directory_id', '=', directoryId)
  const purged = await users.where('id', 'in', ids).execute()
  const others = await users
    .where('id', 'not in', ids)
    .where('deleted_at', 'is', null)
    .where(
      'email_norm',
      'in',
      purged.map((row) => row.email_norm),
    )
    .execute()
  const kept = new Set(others.map((row) => row.email_norm))
  return purged.map((row) => row.email_norm).filter((norm) => !kept.has(norm))
}

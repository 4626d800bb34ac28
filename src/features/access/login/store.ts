import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/**
 * How often the user has signed in within the current window, and the seconds until the window ends. Undefined if
 * there is none.
 */
export async function findSignIns(
  db: Db,
  directory: Directory,
  { userId, windowSeconds }: { userId: string; windowSeconds: number },
) {
  const end = sql`sign_ins_since + make_interval(secs => ${windowSeconds}::int)`
  return db
    .selectFrom('users')
    .select(['sign_ins', sql<number>`ceil(extract(epoch from ${end} - clock_now()))::int`.as('reset')])
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .where(sql<boolean>`${end} > clock_now()`)
    .executeTakeFirst()
}

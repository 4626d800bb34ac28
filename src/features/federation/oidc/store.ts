import type { Insertable } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { LogoutTokens } from '../../../platform/db/schema.gen.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/**
 * Stores a logout token of a connection. Returns false if it was stored before; of any number of concurrent requests,
 * only one gets true.
 */
export async function insertLogoutTokenRow(
  db: Db,
  directory: Directory,
  row: Omit<Insertable<LogoutTokens>, 'directory_id'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('logout_tokens')
    .values({ ...row, directory_id: directory.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('connection_id')
    .executeTakeFirst()
  return inserted !== undefined
}

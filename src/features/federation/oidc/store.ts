import type { Insertable } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { LogoutTokens } from '../../../platform/db/schema.gen.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** Notes a logout token of a connection. False if it was noted before: of any number at the same time, one is the first. */
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

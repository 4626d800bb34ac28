import type { Insertable } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { SamlAssertions } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'

/** Notes an assertion of a connection. False if it was noted before: of any number at the same time, one is the first. */
export async function insertAssertionRow(
  db: Db,
  directory: Directory,
  row: Omit<Insertable<SamlAssertions>, 'directory_id'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('saml_assertions')
    .values({ ...row, directory_id: directory.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('connection_id')
    .executeTakeFirst()
  return inserted !== undefined
}

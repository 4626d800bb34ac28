import type { Db } from '../db/pool.ts'
import type { Directory } from './directory.ts'

/** The name of a directory's organization. Null for the account level and the team. */
export async function findOrganizationName(db: Db, { organizationId }: Directory): Promise<string | null> {
  if (organizationId === null) return null
  // Foreign table organizations: several features show the name to the person, in mails and on devices.
  const row = await db.selectFrom('organizations').select('name').where('id', '=', organizationId).executeTakeFirst()
  return row?.name ?? null
}

import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** What users see of their organization. Null for members of the team. */
export async function findOwnOrganization(db: Db, { organizationId }: Directory) {
  if (organizationId === null) return null
  const row = db.selectFrom('organizations').select(['id', 'name', 'slug']).where('id', '=', organizationId)
  return row.executeTakeFirstOrThrow()
}

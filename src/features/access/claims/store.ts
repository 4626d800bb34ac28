import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** The values that claims can be made from. Null if the user is gone. */
export async function findClaimSources(db: Db, directory: Directory, userId: string) {
  const row = await db
    .selectFrom('users')
    .leftJoin('organizations', (join) => join.on('organizations.id', '=', directory.organizationId))
    .select(['users.external_id', 'users.metadata', 'organizations.external_id as organization_external_id'])
    .select('organizations.metadata as organization_metadata')
    .where('users.directory_id', '=', directory.id)
    .where('users.id', '=', userId)
    .executeTakeFirst()
  if (!row) return null
  return {
    user: { externalId: row.external_id, metadata: row.metadata },
    organization: { externalId: row.organization_external_id, metadata: row.organization_metadata },
  }
}

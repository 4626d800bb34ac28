import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** An organization, and the relation of a person with an address to it. */
export interface FoundRow {
  directory_id: string
  organization_id: string
  name: string
  slug: string
  state: 'active' | 'invited' | 'joinable'
}

/**
 * The organizations that have an active user with the address, in the directory's environment. Sorted by the last
 * sign-in, latest first.
 */
export async function selectOrganizationsOf(
  db: Db,
  { environmentId }: Directory,
  emailNorm: string,
  limit: number,
): Promise<FoundRow[]> {
  const isInvited = sql<SqlBool>`u.pending_until is not null or (u.invited_at is not null and u.last_login_at is null)`
  const rows = await db
    .selectFrom('users as u')
    .innerJoin('directories as d', 'd.id', 'u.directory_id')
    .innerJoin('organizations as o', 'o.id', 'd.organization_id')
    .select([
      'u.directory_id',
      'o.id as organization_id',
      'o.name',
      'o.slug',
      sql<boolean>`${isInvited}`.as('is_invited'),
    ])
    .where('u.environment_id', '=', environmentId)
    .where('u.email_norm', '=', emailNorm)
    .where('u.deleted_at', 'is', null)
    .where('u.active', '=', true)
    .where(sql<SqlBool>`(u.pending_until is null or u.pending_until > clock_now())`)
    .where('o.status', '=', 'active')
    .orderBy(sql`u.last_login_at desc nulls last`)
    .orderBy('o.name')
    .limit(limit)
    .execute()
  return rows.map(({ is_invited, ...row }) => ({ ...row, state: is_invited ? 'invited' : 'active' }))
}

/** Organizations by id. */
export async function selectOrganizations(
  db: Db,
  ids: string[],
): Promise<Pick<FoundRow, 'organization_id' | 'name' | 'slug'>[]> {
  return db
    .selectFrom('organizations')
    .select(['id as organization_id', 'name', 'slug'])
    .where('id', 'in', ids)
    .where('status', '=', 'active')
    .orderBy('name')
    .execute()
}

import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely'
import { isSeenFrom } from '../../../platform/db/home-environment.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, Organizations } from '../../../platform/db/schema.gen.ts'
import { findPage, type Page } from '../../../platform/http/pagination.ts'
import type { UserCount } from './user-counts-store.ts'

/** The organizations that a caller reaches in one environment. */
export interface OrganizationReach {
  accountId: string
  environmentId: string
  /** The only organization that the caller reaches. Null: the whole account. */
  organizationId: string | null
}

export interface OrganizationFilter {
  status?: string
  slug?: string
  externalId?: string
}

export type OrganizationRow = Omit<
  Selectable<Organizations>,
  'metadata' | 'erase_seal' | 'erased_at' | 'erasure_step'
> &
  UserCount & {
    metadata: Record<string, unknown>
    member_count: number
    domains: string[]
    /** The slug of the home environment. */
    home_slug: string
  }

/** Ends every session of the organization, since sessions of an earlier epoch have ended. */
export const asNextEpoch = { session_epoch: sql<number>`session_epoch + 1` }

type OrganizationChanges = UpdateObject<DB, 'organizations'>

export async function findOrganizationRow(db: Db, reach: OrganizationReach, id: string) {
  return selectOrganizations(db, reach).where('organizations.id', '=', id).executeTakeFirst()
}

/** The organization's own columns, locked until the transaction ends, for a read-modify-write. */
export async function lockOrganizationRow(tx: Tx, reach: OrganizationReach, id: string) {
  return selectOrganizations(tx, reach).where('organizations.id', '=', id).forUpdate('organizations').executeTakeFirst()
}

export async function findOrganizationPage(db: Db, reach: OrganizationReach, filter: OrganizationFilter, page: Page) {
  const query = selectOrganizations(db, reach).where((eb) => eb.and(conditions(filter)))
  return findPage(db, query, page)
}

/** Whether an environment was created for one organization. */
export async function isCustomEnvironment(db: Db, { environmentId }: OrganizationReach): Promise<boolean> {
  const row = await db
    .selectFrom('environments')
    .select('id')
    .where('id', '=', environmentId)
    .where('organization_id', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertOrganizationRow(tx: Tx, row: Insertable<Organizations>): Promise<void> {
  await tx.insertInto('organizations').values(row).execute()
}

export async function updateOrganizationRow(
  tx: Tx,
  reach: OrganizationReach,
  id: string,
  changes: OrganizationChanges,
): Promise<void> {
  await tx
    .updateTable('organizations')
    .set({ ...changes, version: sql`version + 1`, updated_at: sql`clock_now()` })
    .where('account_id', '=', reach.accountId)
    .where('id', '=', id)
    .execute()
}

function conditions(filter: OrganizationFilter) {
  const { status, slug, externalId } = filter
  return {
    ...(status === undefined ? {} : { status }),
    ...(slug === undefined ? {} : { slug }),
    ...(externalId === undefined ? {} : { external_id: externalId }),
  }
}

function selectOrganizations(db: Db, reach: OrganizationReach) {
  return db
    .selectFrom('organizations')
    .select(['id', 'account_id', 'parent_id', 'name', 'slug', 'description', 'status', 'external_id', 'version'])
    .select(['created_at', 'updated_at', 'archived_at', 'erase_at', 'session_epoch', 'locale', 'home_environment_id'])
    .select(sql<Record<string, unknown>>`metadata`.as('metadata'))
    .select(
      sql<string[]>`array(select d.domain from domains d where d.organization_id = organizations.id
        and d.environment_id = ${reach.environmentId} and d.status = 'verified' order by d.domain)`.as('domains'),
    )
    .select(
      sql<number>`(select count(*) from members m
        where m.account_id = organizations.account_id and m.organization_id = organizations.id)`.as('member_count'),
    )
    .select(
      sql<string>`coalesce((select e.slug from environments e where e.id = organizations.home_environment_id), 'production')`.as(
        'home_slug',
      ),
    )
    .where((eb) => eb.and(reached(reach)))
}

/** The organizations of the account that exist in the environment, or the only one that the caller reaches. */
function reached({ accountId, environmentId, organizationId }: OrganizationReach) {
  return [
    sql<boolean>`organizations.account_id = ${accountId}`,
    isSeenFrom('organizations', environmentId),
    ...(organizationId === null ? [] : [sql<boolean>`organizations.id = ${organizationId}`]),
  ]
}

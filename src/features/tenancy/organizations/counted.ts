import type { Db } from '../../../platform/db/pool.ts'
import type { Found, Page } from '../../../platform/http/pagination.ts'
import {
  findOrganizationPage,
  findOrganizationRow,
  type OrganizationFilter,
  type OrganizationReach,
  type OrganizationRow,
} from './store.ts'
import { findUserCounts, type UserCount } from './user-counts-store.ts'

/** An organization that the caller reaches, with its number of users. */
export async function findCounted(db: Db, reach: OrganizationReach, id: string): Promise<OrganizationRow | undefined> {
  const row = await findOrganizationRow(db, reach, id)
  return row && (await withUserCounts(db, reach, [row]))[0]
}

/** A page of organizations, each with its number of users. */
export async function findCountedPage(
  db: Db,
  reach: OrganizationReach,
  filter: OrganizationFilter,
  page: Page,
): Promise<Found<OrganizationRow>> {
  const found = await findOrganizationPage(db, reach, filter, page)
  return { ...found, rows: await withUserCounts(db, reach, found.rows) }
}

/**
 * Counts the users after the organizations are read. In a distributed database, a transaction that has used the users
 * table cannot change organizations.
 */
async function withUserCounts<T extends { id: string }>(
  db: Db,
  { environmentId }: OrganizationReach,
  organizations: T[],
): Promise<(T & UserCount)[]> {
  if (!organizations.length) return []
  const ids = organizations.map(({ id }) => id)
  const counts = await findUserCounts(db, environmentId, ids)
  return organizations.flatMap((row) => {
    const count = counts.get(row.id)
    return count ? [{ ...row, ...count }] : []
  })
}

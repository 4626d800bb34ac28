import { type RawBuilder, sql } from 'kysely'

/**
 * An SQL condition for whether an organization exists in an environment; the arguments are the names of the two tables
 * in the query. A production organization exists in every shared environment. Other organizations exist only in their
 * home environment. A custom environment has only its own organization.
 */
export function existsIn(organization: string, environment: string): RawBuilder<boolean> {
  const e = sql.table(environment)
  return exists(organization, { id: sql`${e}.id`, owner: sql`${e}.organization_id` })
}

/** The same condition for the environment with this id, which is read once for all rows. */
export function isSeenFrom(organization: string, environmentId: string): RawBuilder<boolean> {
  const owner = sql`(select seen_from.organization_id from environments seen_from where seen_from.id = ${environmentId})`
  return exists(organization, { id: sql`${environmentId}`, owner })
}

/**
 * The same condition for the organization whose id is in `column`. True if the column is null, because the row then
 * belongs to no organization.
 */
export function isOwnerSeenFrom(column: string, environmentId: string): RawBuilder<boolean> {
  const id = sql.ref(column)
  return sql<boolean>`(${id} is null or exists (select from organizations owner
    where owner.id = ${id} and ${isSeenFrom('owner', environmentId)}))`
}

/**
 * `owner` is the organization that has the environment as its custom environment, or null. An erased organization
 * exists in no environment.
 */
function exists(organization: string, { id, owner }: Record<'id' | 'owner', RawBuilder<unknown>>): RawBuilder<boolean> {
  const o = sql.table(organization)
  return sql<boolean>`(${o}.erased_at is null and case when ${owner} is null
    then coalesce(${o}.home_environment_id = ${id}, true) else ${owner} = ${o}.id end)`
}

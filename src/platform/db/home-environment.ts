import { type RawBuilder, sql } from 'kysely'

/**
 * Whether an organization exists in an environment, as a condition on rows of both tables under these names. A production
 * organization exists in every shared environment, another one in its home environment. A custom environment has its own
 * organization only.
 */
export function existsIn(organization: string, environment: string): RawBuilder<boolean> {
  const [o, e] = [sql.table(organization), sql.table(environment)]
  return sql<boolean>`case when ${e}.organization_id is null
    then coalesce(${o}.home_environment_id = ${e}.id, true) else ${e}.organization_id = ${o}.id end`
}

/** The same of the environment with this id. */
export function isSeenFrom(organization: string, environmentId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from environments seen_from
    where seen_from.id = ${environmentId} and ${existsIn(organization, 'seen_from')})`
}

/** The same of an organization by a column with its id, or null for what belongs to no organization. */
export function isOwnerSeenFrom(column: string, environmentId: string): RawBuilder<boolean> {
  const id = sql.ref(column)
  return sql<boolean>`(${id} is null or exists (select from organizations owner
    where owner.id = ${id} and ${isSeenFrom('owner', environmentId)}))`
}

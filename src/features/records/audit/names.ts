import { type RawBuilder, sql } from 'kysely'
import type { toEvent } from '../../../platform/events/event-envelope.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { homeEnvironmentOf, type Reach } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'

/** The kinds of actors and targets that have a name. */
const NAMED = new Set(['user', 'api_key'])

/**
 * The current names of the users, team members and API keys that are actors or targets of events, by id. The name is
 * the display name, or else first and last name, or else the address. One statement reads them all. Events are stored
 * without names, because names are personal data, and the scope of the audit log alone does not give access to them.
 * A caller gets only names that it could also list: users, team members and keys each require their own scope, and a
 * caller limited to one organization gets names of that organization only.
 */
export async function namesIn(
  { platform, db }: Pick<Work, 'platform' | 'db'>,
  reach: Reach,
  { organizationId, grants }: Pick<ManagerCaller, 'organizationId' | 'grants'>,
  events: Pick<ReturnType<typeof toEvent>, 'actor' | 'target'>[],
): Promise<Record<string, string>> {
  const things = events.flatMap(({ actor, target }) => [actor, actor.via, target])
  const ids = [...new Set(things.flatMap((thing) => (thing?.id && NAMED.has(thing.type) ? [thing.id] : [])))]
  const { directory, environmentId, accountId } = reach
  const isNarrow = organizationId !== null
  const home = !isNarrow && grants.has('members.read') ? await homeEnvironmentOf(platform, accountId, null) : null
  const teamOf = (environmentId: string) =>
    sql`select id from directories where environment_id = ${environmentId} and kind = 'console'`
  const inReach = directory
    ? sql`directory_id = ${directory.id}`
    : sql`environment_id = ${environmentId} and directory_id not in (${teamOf(environmentId)})`
  const namesOfUsers = (where: RawBuilder<unknown>) => sql`
    select id, coalesce(nullif(display_name, ''), nullif(concat_ws(' ', first_name, last_name), ''), email) as name
    from users where id = any(${ids}::uuid[]) and deleted_at is null and ${where}`
  // Three separate queries, since each uses its own index.
  const queries = [
    ...(grants.has('users.read') ? [namesOfUsers(inReach)] : []),
    // The team's directory, if the account has one.
    ...(home ? [namesOfUsers(sql`directory_id = (${teamOf(home.environmentId)})`)] : []),
    ...(grants.has('api_keys.read')
      ? [
          sql`select id, name from api_keys where id = any(${ids}::uuid[]) and account_id = ${accountId}
            and ${isNarrow ? sql`organization_id = ${organizationId}` : sql`true`}`,
        ]
      : []),
  ]
  if (ids.length === 0 || queries.length === 0) return {}
  const { rows } = await sql<{ id: string; name: string }>`${sql.join(queries, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

import { sql } from 'kysely'
import type { toEvent } from '../../../platform/events/event-envelope.ts'
import { homeEnvironmentOf, type Reach } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'

/** The kinds of actors and targets that have names. */
const NAMED = new Set(['user', 'api_key'])

/**
 * The present names of the users, team members and API keys that are actors or targets of events, by id, in one statement:
 * the display name, or else first and last name, or else the address. Events are stored without them. A caller of one
 * organization gets those of its own.
 */
export async function namesIn(
  { platform, db }: Pick<Work, 'platform' | 'db'>,
  { reach, organizationId }: { reach: Reach; organizationId: string | null },
  events: Pick<ReturnType<typeof toEvent>, 'actor' | 'target'>[],
): Promise<Record<string, string>> {
  const things = events.flatMap(({ actor, target }) => [actor, actor.via, target])
  const ids = [...new Set(things.flatMap((thing) => (thing?.id && NAMED.has(thing.type) ? [thing.id] : [])))]
  if (ids.length === 0) return {}
  const { directory, environmentId, accountId } = reach
  const isNarrow = organizationId !== null
  const home = isNarrow ? null : await homeEnvironmentOf(platform, accountId, null)
  // Separate queries, since each uses its own index.
  const users = [
    directory ? sql`directory_id = ${directory.id}` : sql`environment_id = ${environmentId}`,
    // The directory of the team, if it exists.
    ...(home
      ? [
          sql`directory_id = (select id from directories where environment_id = ${home.environmentId} and kind = 'console')`,
        ]
      : []),
  ].map(
    (where) => sql`
    select id, coalesce(nullif(display_name, ''), nullif(concat_ws(' ', first_name, last_name), ''), email) as name
    from users where id = any(${ids}::uuid[]) and deleted_at is null and ${where}`,
  )
  const keys = sql`select id, name from api_keys where id = any(${ids}::uuid[]) and account_id = ${accountId}
    and ${isNarrow ? sql`organization_id = ${organizationId}` : sql`true`}`
  const { rows } = await sql<{ id: string; name: string }>`${sql.join([...users, keys], sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

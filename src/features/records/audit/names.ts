import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { toEvent } from '../../../platform/events/event-envelope.ts'
import type { Reach } from '../../../platform/tenancy/directory.ts'

/** The kinds of actors and targets that have names. */
const NAMED = new Set(['user', 'api_key'])

/**
 * The present names of the users, team members and API keys that are actors or targets of events, by id, in one statement:
 * the display name, or else first and last name, or else the address. Events are stored without them. A caller of one organization gets those of its own.
 */
export async function namesIn(
  db: Db,
  { reach, organizationId }: { reach: Reach; organizationId: string | null },
  events: Pick<ReturnType<typeof toEvent>, 'actor' | 'target'>[],
): Promise<Record<string, string>> {
  const things = events.flatMap(({ actor, target }) => [actor, actor.via, target])
  const ids = [...new Set(things.flatMap((thing) => (thing?.id && NAMED.has(thing.type) ? [thing.id] : [])))]
  if (ids.length === 0) return {}
  const { rows } = await sql<{ id: string; name: string }>`
    select id, coalesce(nullif(display_name, ''), nullif(concat_ws(' ', first_name, last_name), ''), email) as name from users
    where id = any(${ids}::uuid[]) and deleted_at is null and directory_id in (${directories(reach, organizationId)})
    union all
    select id, name from api_keys where id = any(${ids}::uuid[]) and account_id = ${reach.accountId}
      and ${organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`}`.execute(db)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/** The directories of the reach, and that of the team for callers that reach all of the account. */
function directories({ directory, environmentId, accountId }: Reach, organizationId: string | null) {
  const within = directory ? sql`id = ${directory.id}` : sql`environment_id = ${environmentId} and kind <> 'console'`
  const team = organizationId === null ? sql`or account_id = ${accountId} and kind = 'console'` : sql``
  return sql`select id from directories where ${within} ${team}`
}

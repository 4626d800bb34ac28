import { sql } from 'kysely'
import { byteaArray, uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import { sinceOf } from '../../../platform/lifecycle/belongings.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** The position in an environment's event stream up to which sign-ins were processed. */
export interface Cursor {
  environmentId: string
  position: Position
}

/** Returns a cursor for every environment. New cursors start at the beginning of the stream. */
export async function provideCursors(db: Db): Promise<Cursor[]> {
  const { rows } = await sql<Position & { environment_id: string; has_cursor: boolean }>`
    select environments.id as environment_id, c.environment_id is not null as has_cursor,
      coalesce(c.epoch, 0)::int as epoch, coalesce(c.tx_id, '0'::xid8)::text as "txId",
      coalesce(c.event_id, '00000000-0000-0000-0000-000000000000'::uuid) as id
    from environments left join device_cursors c on c.environment_id = environments.id
    order by environments.id`.execute(db)
  const missing = rows.filter(({ has_cursor }) => !has_cursor).map(({ environment_id }) => environment_id)
  if (missing.length)
    await sql`insert into device_cursors (environment_id, epoch, tx_id, event_id)
      select id, 0, '0'::xid8, '00000000-0000-0000-0000-000000000000'::uuid
      from unnest(${uuidArray(missing)}::uuid[]) as missing (id) on conflict do nothing`.execute(db)
  return rows.map(({ environment_id, epoch, txId, id }) => ({
    environmentId: environment_id,
    position: { epoch, txId, id },
  }))
}

/** Moves a cursor forward. It never moves back behind the position that another process has reached. */
export async function moveCursor(db: Db, { environmentId, position: { epoch, txId, id } }: Cursor): Promise<void> {
  await sql`update device_cursors set epoch = ${epoch}, tx_id = ${txId}::xid8, event_id = ${id}
    where environment_id = ${environmentId}
      and (epoch, tx_id, event_id) < (${epoch}::bigint, ${txId}::xid8, ${id}::uuid)`.execute(db)
}

/** A sign-in of a user, with the details that identify its device. */
export interface SignIn {
  directoryId: string
  userId: string
  sessionId: string
  at: Date
  ip: string | null
  userAgent: string | null
  /** The end reason of the session, or null if it has not ended. */
  endedFor: string | null
}

/** Selects the sessions of an environment that began between two positions, except impersonation sessions. */
export async function selectSignIns(
  db: Db,
  { environmentId, position: after }: Cursor,
  end: Position,
  { type, actingMethod }: { type: string; actingMethod: string },
): Promise<SignIn[]> {
  // Reads one range of an index. Given session ids and stale statistics, the planner would scan a whole directory for
  // each id.
  const { rows } = await sql<SignIn>`
    select e.directory_id as "directoryId", e.data ->> 'directory_user_id' as "userId", e.data ->> 'id' as "sessionId",
      e.created_at as at, e.ip_address as ip, e.user_agent as "userAgent", sessions.revoked_reason as "endedFor"
    from events e left join sessions
      on sessions.directory_id = e.directory_id and sessions.id = (e.data ->> 'id')::uuid
    where e.environment_id = ${environmentId} and e.type = ${type}
      and (e.epoch, e.tx_id, e.id) > (${after.epoch}::bigint, ${after.txId}::xid8, ${after.id}::uuid)
      and (e.epoch, e.tx_id, e.id) <= (${end.epoch}::bigint, ${end.txId}::xid8, ${end.id}::uuid)
      and (e.ip_address is not null or e.user_agent is not null) and e.data ->> 'auth_method' <> ${actingMethod}
    order by e.epoch, e.tx_id, e.id`.execute(db)
  return rows
}

/** A device of a user that was seen at a certain time. */
export interface Sighting {
  userId: string
  hash: Buffer
  at: Date
}

/** A device is forgotten if it was not seen for this long. */
const KNOWN = sql`interval '90 days'`
/** The precision of the time when a device was last seen: not every sign-in updates it. */
const EXACTLY = sql`interval '1 day'`
/** The limit for one user. The device that was not seen for longest is then forgotten. */
const MAX_DEVICES = 50

const given = (
  sightings: readonly Sighting[],
) => sql`unnest(${uuidArray(sightings.map(({ userId }) => userId))}::uuid[],
  ${byteaArray(sightings.map(({ hash }) => hash))}::bytea[],
  ${sightings.map(({ at }) => at.toISOString())}::timestamptz[]) with ordinality as given (user_id, device_hash, at, n)`

/** Stores when known devices of a directory were last seen. Returns the positions in `sightings` of unknown devices. */
export async function touchKnown(tx: Tx, directory: Directory, sightings: readonly Sighting[]): Promise<Set<number>> {
  const { rows } = await sql<{ place: number; is_stale: boolean }>`
    select (given.n - 1)::int as place, known.seen_at < given.at - ${EXACTLY} as is_stale
    from ${given(sightings)} join known_devices known on known.directory_id = ${directory.id}
      and known.user_id = given.user_id and known.device_hash = given.device_hash
    where known.seen_at >= given.at - ${KNOWN}`.execute(tx)
  const stale = rows.filter(({ is_stale }) => is_stale).flatMap(({ place }) => sightings[place] ?? [])
  if (stale.length)
    await sql`update known_devices known set seen_at = greatest(known.seen_at, given.at) from ${given(stale)}
      where known.directory_id = ${directory.id} and known.user_id = given.user_id
        and known.device_hash = given.device_hash`.execute(tx)
  const known = new Set(rows.map(({ place }) => place))
  return new Set(sightings.keys().filter((place) => !known.has(place)))
}

/** Stores a device of a user whose row is locked. `newOfDay` counts the devices that were new in the day before it. */
export async function putDevice(
  tx: Tx,
  directory: Directory,
  { userId, hash, at }: Sighting,
): Promise<{ isNew: boolean; isFirst: boolean; newOfDay: number }> {
  const { rows } = await sql<{ count: number; of_day: number; is_known: boolean }>`
    select count(*)::int as count,
      (count(*) filter (where first_seen_at > ${at}::timestamptz - interval '1 day'))::int as of_day,
      coalesce(bool_or(device_hash = ${hash} and seen_at >= ${at}::timestamptz - ${KNOWN}), false) as is_known
    from known_devices where directory_id = ${directory.id} and user_id = ${userId}`.execute(tx)
  const { count = 0, of_day = 0, is_known = false } = rows[0] ?? {}
  await sql`
    insert into known_devices as known (directory_id, user_id, device_hash, is_first, first_seen_at, seen_at)
    values (${directory.id}, ${userId}, ${hash}, ${count === 0}, ${at}, ${at})
    on conflict (directory_id, user_id, device_hash) do update set
      seen_at = greatest(known.seen_at, excluded.seen_at),
      first_seen_at = case when ${is_known} then known.first_seen_at else excluded.first_seen_at end`.execute(tx)
  if (count >= MAX_DEVICES)
    await sql`delete from known_devices where directory_id = ${directory.id} and user_id = ${userId} and not is_first
      and device_hash in (select device_hash from known_devices
        where directory_id = ${directory.id} and user_id = ${userId} and not is_first
        order by seen_at desc, device_hash offset ${MAX_DEVICES - 1})`.execute(tx)
  return { isNew: !is_known, isFirst: count === 0, newOfDay: of_day }
}

/**
 * Forgets a device and all devices first seen in the last so many seconds. The next sign-in from them sends a mail
 * again.
 */
export async function forgetDevices(
  tx: Tx,
  directory: Directory,
  userId: string,
  { hash, sinceSeconds }: { hash: Buffer; sinceSeconds: number },
): Promise<void> {
  await sql`update known_devices set seen_at = 'epoch' where directory_id = ${directory.id} and user_id = ${userId}
    and (device_hash = ${hash} or first_seen_at >= ${sinceOf(sinceSeconds)})`.execute(tx)
}

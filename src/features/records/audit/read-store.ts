import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { isErased } from '../../../platform/events/erased.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import {
  EVENT_SCAN_LIMIT,
  eventColumns,
  eventOwners,
  isEvent,
  PAGE_BYTES,
  type PageRow,
  position,
  type StreamedEvent,
  within,
} from '../../../platform/events/event-rows.ts'
import type { Reach } from '../../../platform/tenancy/directory.ts'

/** Selects events about a user: by the user's ids, and by address for events without a user id. */
export interface EventsOfUser {
  ids: string[]
  /**
   * Only events from the time when the user existed: before and after, the address may have belonged to another user.
   */
  mailed: { types: string[]; email: string; since: Date; until: Date | null } | null
}

/** Conditions on events. All of them must be met. */
export interface Filter {
  types: string[] | null
  actorType: string | null
  actorId: string | null
  /** The person that the caller's backend acted for, by the person's id in that backend. */
  onBehalfOf: string | null
  targetType: string | null
  targetId: string | null
  user: EventsOfUser | null
  ipAddress: string | null
  requestId: string | null
  /** A text that occurs anywhere in the event, in upper or lower case. */
  text: string | null
  from: Date | null
  to: Date | null
}

export interface ReadPage {
  events: StreamedEvent[]
  /** Where older events continue; null if there are none. */
  next: Position | null
}

/** The newest events before a position, newest first. */
export async function selectNewest(
  db: Db,
  reach: Reach,
  filter: Filter,
  { before, limit }: { before: Position | null; limit: number },
): Promise<ReadPage> {
  const scanLimit = isOpen(filter) ? limit + 1 : EVENT_SCAN_LIMIT
  const { rows } = await sql<PageRow & Scan>`
    with scanned as materialized (
      select e.* from events e
      where ${within(reach, 'e')} and ${above(reach, filter.from)} and ${below(reach, filter.to, before)}
      order by e.epoch desc, e.tx_id desc, e.id desc limit ${scanLimit}),
    found as materialized (
      select e.* from scanned e join directories d on d.id = e.directory_id
      where d.kind <> 'console' and ${matches(filter)}
      order by e.epoch desc, e.tx_id desc, e.id desc limit ${limit + 1}),
    sized as (
      select e.*, sum(octet_length(e.data::text) + coalesce(octet_length(e.previous::text), 0)) over (
        order by e.epoch desc, e.tx_id desc, e.id desc rows between unbounded preceding and 1 preceding) as bytes_before
      from found e),
    page as (
      select * from sized where coalesce(bytes_before, 0) < ${PAGE_BYTES}
      order by epoch desc, tx_id desc, id desc limit ${limit})
    select scanned_count.count as scanned_count, scanned_count.last as last_scanned, (select count(*)::int from found) as found,
      ${eventColumns}
    from (select count(*)::int as count, (select ${position('scanned')} from scanned
        order by epoch, tx_id, id limit 1) as last from scanned) as scanned_count
      left join page on true
      ${eventOwners}
    order by page.epoch desc, page.tx_id desc, page.id desc`.execute(db)
  const events = rows.filter(isEvent)
  const [scan] = rows
  const last = events.at(-1)
  const kept = events.filter((event) => !isErased(event))
  if (scan && last && scan.found > events.length) return { events: kept, next: last.position }
  // Older events follow, although this page has all matches among the scanned events.
  return { events: kept, next: scan?.scanned_count === scanLimit ? scan.last_scanned : null }
}

interface Scan {
  scanned_count: number
  last_scanned: Position | null
  found: number
}

/** Whether the filter matches every event except the events of the account's own team. */
function isOpen(filter: Filter): boolean {
  return Object.values(filter).every((value) => value === null)
}

/**
 * Skips events long before `from` by their position: only searches behind the last chained block that ended more than
 * an hour before `from`. No transaction that records events takes an hour, so no later event is missed. The query
 * therefore stays fast when the event feed is long.
 */
function above(reach: Reach, from: Date | null): RawBuilder<unknown> {
  if (from === null) return sql`true`
  return sql`(e.epoch, e.tx_id, e.id) > (select b.epoch, b.tx_id, b.event_id from (
    (select epoch, tx_id, event_id, last_at from audit_blocks as own where ${within(reach, 'own')}
      and last_at < ${from}::timestamptz - interval '1 hour' order by last_at desc limit 1)
    union all select 0, '0'::xid8, '00000000-0000-0000-0000-000000000000'::uuid, '-infinity'
    order by last_at desc limit 1) as b)`
}

function below(reach: Reach, to: Date | null, before: Position | null): RawBuilder<unknown> {
  const cursor = before
    ? sql`(e.epoch, e.tx_id, e.id) < (${before.epoch}::bigint, ${before.txId}::xid8, ${before.id}::uuid)`
    : sql`true`
  if (to === null) return cursor
  return sql`${cursor} and (e.epoch, e.tx_id, e.id) <= (select b.epoch, b.tx_id, b.event_id from (
    (select epoch, tx_id, event_id, last_at from audit_blocks as own where ${within(reach, 'own')}
      and last_at > ${to}::timestamptz + interval '1 hour' order by last_at limit 1)
    union all select 9223372036854775807, '18446744073709551615'::xid8, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid,
      'infinity'
    order by last_at limit 1) as b)`
}

function matches(filter: Filter): RawBuilder<unknown> {
  const { types, user, text, from, to } = filter
  const equal = [
    ['e.target_type', filter.targetType],
    ['e.target_id', filter.targetId],
    ['e.ip_address', filter.ipAddress],
    ['e.request_id', filter.requestId],
  ] as const
  const conditions = [
    sql`true`,
    ...equal.flatMap(([column, value]) => (value === null ? [] : [sql`${sql.ref(column)} = ${value}`])),
    ...(filter.actorType === null && filter.actorId === null ? [] : [byActor(filter)]),
    ...(filter.onBehalfOf === null ? [] : [sql`e.on_behalf_of ->> 'id' = ${filter.onBehalfOf}`]),
    ...(types ? [sql`e.type = any(${types})`] : []),
    ...(from ? [sql`e.created_at >= ${from}`] : []),
    ...(to ? [sql`e.created_at <= ${to}`] : []),
    ...(user === null ? [] : [ofUser(user)]),
    ...(text === null ? [] : [hasText(text)]),
  ]
  return sql.join(conditions, sql` and `)
}

/** Matches the actor, or the caller through which a user acted (`via`). */
function byActor({ actorType, actorId }: Filter): RawBuilder<unknown> {
  const places = [
    [sql`e.actor_type`, sql`e.actor_id`],
    [sql`e.via ->> 'type'`, sql`e.via ->> 'id'`],
  ] as const
  const either = places.map(([type, id]) => {
    const isType = actorType === null ? sql`true` : sql`${type} = ${actorType}`
    return sql`(${isType} and ${actorId === null ? sql`true` : sql`${id} = ${actorId}`})`
  })
  return sql`(${sql.join(either, sql` or `)})`
}

/** Matches what a user did, what was done to them, and events about them or about mails to them. */
function ofUser({ ids, mailed }: EventsOfUser): RawBuilder<unknown> {
  const named = ['user_id', 'directory_user_id', 'userId'].map((name) => sql`e.data ->> ${sql.lit(name)}`)
  const places = [sql`e.target_id`, sql`e.actor_id`, ...named]
  const conditions = places.map((place) => sql`${place} = any(${ids}::text[])`)
  if (mailed) {
    const { types, email, since, until } = mailed
    const isThen = sql`e.created_at >= ${since} and e.created_at < coalesce(${until}::timestamptz, 'infinity')`
    conditions.push(sql`(e.type = any(${types}) and e.data ->> 'email' = ${email} and ${isThen})`)
  }
  return sql`(${sql.join(conditions, sql` or `)})`
}

function hasText(text: string): RawBuilder<unknown> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const columns = ['type', 'actor_id', 'target_id', 'request_id', 'ip_address', 'user_agent'].map((name) =>
    sql.ref(`e.${name}`),
  )
  const documents = ['on_behalf_of', 'via', 'data', 'previous'].map((name) => sql`${sql.ref(`e.${name}`)}::text`)
  return sql`concat_ws(' ', ${sql.join([...columns, ...documents])}) ilike ${pattern}`
}

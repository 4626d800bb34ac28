import type { Insertable } from 'kysely'
import type { Static, TSchema } from 'typebox'
import type { Events } from '../db/schema.gen.ts'
import { newId } from '../ids.ts'
import type { Writing } from '../joined/joined.ts'
import type { Columns, RowOf } from '../joined/recordset.ts'
import { type SqlText, sqlText } from '../joined/sql-text.ts'
import { findFault } from '../validator.ts'
import type { Work } from '../work.ts'
import { causeOf, type Origin } from './origin.ts'

/** A type of event in the catalogue. */
export interface EventDefinition<D extends TSchema = TSchema> {
  /** `resource.past_tense`. Never changes, because applications subscribe to it. */
  type: string
  /** A sentence that says when the event is recorded. */
  help: string
  /** The schema of `data`, which is the resource as the API shows it. Never contains a secret, a code or a token. */
  data: D
  /** Fields of the example data that differ from what the schema suggests. */
  example: object
}

/** An event to record. */
export interface EventInput {
  definition: EventDefinition
  target: { type: string; id: string } | null
  data: unknown
  previous: object | null
}

interface EventDetails<D extends TSchema> {
  target?: { type: string; id: string }
  data: Static<D>
  /** For an update: the previous values of the changed fields. */
  previous?: object
}

/** Makes events of one type. */
export interface EventFactory<D extends TSchema = TSchema> extends EventDefinition<D> {
  (details: EventDetails<D>): EventInput
}

type EventRow = readonly [type: string, help: string, data: TSchema, example?: object]

const catalogue = new Map<string, EventDefinition>()

/**
 * Defines a feature's events: `key: [type, help, schema of data, special fields of example data]`. Each type has one
 * owner.
 */
export function defineEvents<const T extends Record<string, EventRow>>(
  table: T,
): { [K in keyof T]: EventFactory<T[K][2]> } {
  const factories = Object.entries(table).map(([key, [type, help, data, example = {}]]) => {
    if (catalogue.has(type)) throw new Error(`Event ${type} is defined twice`)
    const definition: EventDefinition = { type, help, data, example }
    catalogue.set(type, definition)
    const factory = ({ target, data, previous }: EventDetails<TSchema>): EventInput => {
      return { definition, target: target ?? null, data, previous: previous ?? null }
    }
    return [key, Object.assign(factory, definition)] as const
  })
  return Object.fromEntries(factories) as { [K in keyof T]: EventFactory<T[K][2]> }
}

/**
 * Every event type that a loaded module defines, sorted. Used for the feed's filter, the documentation and the
 * contract.
 */
export function eventCatalogue(): EventDefinition[] {
  return [...catalogue.values()].sort((a, b) => (a.type < b.type ? -1 : 1))
}

/** The origin of what the service does by itself, for example in jobs. */
export function systemOrigin(): Origin {
  return { requestId: null, actor: { type: 'system', id: null }, endUser: { ip: null, userAgent: null }, recorded: [] }
}

/** The directory of an event and its cause. */
type EventWork = Pick<Work, 'platform' | 'directory' | 'origin'>

/** The row of an event, for a statement that writes it together with other rows. */
export function eventRow({ platform, directory, origin }: EventWork, event: EventInput): Insertable<Events> {
  const { definition, target } = event
  const data = JSON.stringify(event.data)
  if (platform.strict) assertFits(event, JSON.parse(data))
  origin.recorded.push(definition.type)
  const { actor, via, onBehalfOf } = causeOf(origin)
  return {
    directory_id: directory.id,
    account_id: directory.accountId,
    environment_id: directory.environmentId,
    id: newId(),
    type: definition.type,
    actor_type: actor.type,
    actor_id: actor.id,
    via: via && JSON.stringify(via),
    on_behalf_of: onBehalfOf && JSON.stringify(onBehalfOf),
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    request_id: origin.requestId,
    ip_address: origin.endUser.ip,
    user_agent: origin.endUser.userAgent,
    data,
    previous: event.previous === null ? null : JSON.stringify(event.previous),
  }
}

/** In tests: checks that events match the catalogue, and that updates have previous values. */
function assertFits({ definition: { type, data: schema }, previous }: EventInput, data: unknown): void {
  if (type.endsWith('updated') && !previous) throw new Error(`${type} was recorded without what was there before`)
  const fault = findFault(schema, data)
  if (fault) throw new Error(`${type} was recorded with data that does not match its schema: ${JSON.stringify(fault)}`)
}

/** An event of a statement that is shared by several requests. */
export interface JoinedEvent extends EventInput {
  /** The field of `data` whose value only the statement knows. */
  filledField?: string
}

/** The columns about a request in such a statement, for `recordText`. */
export const ORIGIN_COLUMNS = {
  account_id: 'uuid',
  environment_id: 'uuid',
  actor_type: 'text',
  actor_id: 'text',
  via: 'jsonb',
  on_behalf_of: 'jsonb',
  request_id: 'text',
  ip_address: 'text',
  user_agent: 'text',
} as const satisfies Columns

export function originRow({ directory, origin }: Pick<Work, 'directory' | 'origin'>): RowOf<typeof ORIGIN_COLUMNS> {
  const { actor, via, onBehalfOf } = causeOf(origin)
  return {
    account_id: directory.accountId,
    environment_id: directory.environmentId,
    actor_type: actor.type,
    actor_id: actor.id,
    via,
    on_behalf_of: onBehalfOf,
    request_id: origin.requestId,
    ip_address: origin.endUser.ip,
    user_agent: origin.endUser.userAgent,
  }
}

/** The columns of events in such a statement, except `n`. */
export const EVENT_COLUMNS = {
  id: 'uuid',
  type: 'text',
  target_type: 'text',
  target_id: 'text',
  data: 'jsonb',
  previous: 'jsonb',
  filled_field: 'text',
} as const satisfies Columns

/** The row of such an event, without `n`. */
export function joinedEventRow(work: EventWork, event: JoinedEvent): object {
  const { id, type, target_type, target_id } = eventRow(work, event)
  const { data, previous, filledField = null } = event
  return { id, type, target_type, target_id, data, previous, filled_field: filledField }
}

/**
 * SQL that records a statement's event rows at the time `ready.at`. A row belongs to the row of `ready` with the same
 * `n`. `from` starts with that table and may leave rows out. `filled` is the value for `filledField`. `only` restricts
 * which events are recorded.
 */
export function recordText(place: {
  more: Writing['more']
  directory: SqlText
  from: SqlText
  filled: SqlText
  only?: SqlText | null
}): SqlText {
  const { only = null } = place
  return sqlText`
    insert into events (directory_id, account_id, environment_id, id, type, actor_type, actor_id, via, on_behalf_of,
      target_type, target_id, request_id, ip_address, user_agent, data, previous, created_at, epoch)
    select ${place.directory}, ready.account_id, ready.environment_id, event.id, event.type, ready.actor_type,
      ready.actor_id, ready.via, ready.on_behalf_of, event.target_type, event.target_id, ready.request_id, ready.ip_address, ready.user_agent,
      case when event.filled_field is null then event.data
        else event.data || jsonb_build_object(event.filled_field, ${place.filled}) end, event.previous,
      ready.at, (select event_epoch())
    from ${place.from} join ${place.more(sqlText`event`)} on event.n = ready.n
    ${only && sqlText`where ${only}`}`
}

/** Appends events to the event stream, in the transaction of the change that they describe. */
export async function record(work: EventWork & Pick<Work, 'db'>, ...events: EventInput[]): Promise<void> {
  for (let start = 0; start < events.length; start += EVENTS_A_STATEMENT) {
    const rows = events.slice(start, start + EVENTS_A_STATEMENT).map((event) => eventRow(work, event))
    await work.db.insertInto('events').values(rows).execute()
  }
}

/** Records one event and returns its id. */
export async function recordOne(work: EventWork & Pick<Work, 'db'>, event: EventInput): Promise<string> {
  const row = eventRow(work, event)
  await work.db.insertInto('events').values(row).execute()
  return row.id
}

/** Whether a pattern matches a type. A pattern is a type, a prefix such as `user.*`, or `*`. */
export function matchesType(pattern: string, type: string): boolean {
  return pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
}

/** Returns the patterns that match no type in the catalogue. */
export function unknownTypes(patterns: readonly string[]): string[] {
  return patterns.filter((pattern) => !eventCatalogue().some(({ type }) => matchesType(pattern, type)))
}

// PostgreSQL allows 65 535 parameters per statement, and a row has sixteen.
const EVENTS_A_STATEMENT = 1000

/** The fields of `after` that changed, with their values in `before`. */
export function changedFrom<T extends object>(before: T, after: T): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(old.get(key)) !== JSON.stringify(value))
  return Object.fromEntries(changed.map(([key]) => [key, old.get(key) ?? null]))
}

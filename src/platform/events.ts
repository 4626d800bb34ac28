import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Events } from './db/schema.gen.ts'
import { newId } from './ids.ts'
import type { Work } from './work.ts'

/** Who caused something, and in which request. */
export interface Origin {
  requestId: string | null
  actor: { type: 'api_key' | 'user' | 'scim' | 'system' | 'cli'; id: string | null }
  /** The end user behind a request of the customer's backend, when it says so. */
  endUser: {
    ip: string | null
    userAgent: string | null
    /** The token that a passed challenge gave to the person's device. */
    trustedDevice?: string | null
  }
  /** Types recorded so far: a route that declares an event and records none fails in tests. */
  recorded: string[]
}

export interface EventInput {
  /** `resource.past_tense` */
  type: string
  target?: { type: string; id: string }
  /** The resource as the API shows it. Never a secret, a code or a token. */
  data: Record<string, unknown>
  /** Of an update: the changed fields as they were. */
  previous?: Record<string, unknown>
}

/** The origin of what the service does on its own, such as jobs. */
export function systemOrigin(): Origin {
  return { requestId: null, actor: { type: 'system', id: null }, endUser: { ip: null, userAgent: null }, recorded: [] }
}

/** Whose event it is, and who caused it. */
type EventWork = Pick<Work, 'directory' | 'origin'>

/** The row of an event, for a statement that writes it together with other rows. */
export function eventRow({ directory, origin }: EventWork, event: EventInput): Insertable<Events> {
  origin.recorded.push(event.type)
  return {
    directory_id: directory.id,
    id: newId(),
    type: event.type,
    actor_type: origin.actor.type,
    actor_id: origin.actor.id,
    target_type: event.target?.type ?? null,
    target_id: event.target?.id ?? null,
    request_id: origin.requestId,
    data: JSON.stringify(event.data),
    previous: event.previous === undefined ? null : JSON.stringify(event.previous),
  }
}

/**
 * The same as an SQL fragment, for a statement that writes events together with other rows: nothing is recorded unless
 * the common table expression `source` has a row.
 */
export function recordIfAny(work: EventWork, source: string, ...events: EventInput[]): RawBuilder<unknown> {
  const rows = events.map((event) => {
    const row = eventRow(work, event)
    return sql`(${row.directory_id}::uuid, ${row.id}::uuid, ${row.type}, ${row.actor_type}, ${row.actor_id},
      ${row.target_type}, ${row.target_id}, ${row.request_id}, ${row.data}::jsonb)`
  })
  return sql`insert into events
    (directory_id, id, type, actor_type, actor_id, target_type, target_id, request_id, data)
    select * from (values ${sql.join(rows)}) as event where exists (select from ${sql.table(source)})`
}

/** Appends to the one event stream, in the transaction of what happened. */
export async function record(work: EventWork & Pick<Work, 'db'>, ...events: EventInput[]): Promise<void> {
  for (let start = 0; start < events.length; start += EVENTS_A_STATEMENT) {
    const rows = events.slice(start, start + EVENTS_A_STATEMENT).map((event) => eventRow(work, event))
    await work.db.insertInto('events').values(rows).execute()
  }
}

// PostgreSQL takes 65 535 parameters a statement, and a row has eleven.
const EVENTS_A_STATEMENT = 1000

/** The fields of `after` that changed, as they were in `before`. */
export function changedFrom<T extends object>(before: T, after: T): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(old.get(key)) !== JSON.stringify(value))
  return Object.fromEntries(changed.map(([key]) => [key, old.get(key) ?? null]))
}

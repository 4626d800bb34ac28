import type { Db } from '../../../platform/db/pool.ts'
import { openPosition, type Position, sealPosition } from '../../../platform/events/event-cursor.ts'
import { toEvent } from '../../../platform/events/event-envelope.ts'
import { readTypes } from '../../../platform/events/event-types.ts'
import { asDownload, csvLine, type Download } from '../../../platform/http/answer.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { reachOf } from '../../../platform/tenancy/directory.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { namesIn } from './names.ts'
import { type EventsOfUser, type Filter, type ReadPage, selectNewest } from './read-store.ts'
import type { AuditQuery } from './schema.ts'

type Reading = Pick<ReachWork, 'platform' | 'reach'>
/** The caller's rights determine which names are shown. */
type NamedReading = Reading & { db: Db; caller: Pick<ManagerCaller, 'organizationId' | 'grants'> }
type Sent = ReturnType<typeof toEvent>

/**
 * A page of events, newest first. Throws `invalid_request` for an unknown type, or for a cursor from a caller with
 * another reach.
 */
export async function listAudit(
  work: NamedReading,
  query: AuditQuery,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ events: Sent[]; names: Record<string, string>; has_more: boolean; next_cursor: string | null }> {
  const { platform, reach, db, caller } = work
  const { events, next } = await readPage(work, toFilter(query), readPosition(work, after), limit)
  const next_cursor = next && sealPosition(platform, reach, next)
  const sent = events.map(toEvent)
  const names = await namesIn({ platform, db }, reach, caller, sent)
  return { events: sent, names, has_more: next !== null, next_cursor }
}

const COLUMNS = [
  ...['id', 'type', 'timestamp', 'environment', 'sub_org_id', 'actor_type', 'actor_id', 'target_type', 'target_id'],
  ...['request_id', 'ip_address', 'user_agent', 'data', 'previous'],
  ...['on_behalf_of_id', 'on_behalf_of_name', 'via_type', 'via_id'],
]

/** The header line of a CSV export. */
export const csvHead = csvLine(COLUMNS)

// How many events are in memory at a time.
const EXPORTED = 1000

const FORMATS = {
  csv: { type: 'text/csv', head: csvHead, line: (event: Sent) => csvLine(cellsOf(event)) },
  ndjson: { type: 'application/x-ndjson', head: '', line: (event: Sent) => `${JSON.stringify(event)}\n` },
}

/**
 * All events that match the query, from a cursor on. Reads the next page when the client has read the previous one,
 * and keeps no connection in between.
 */
export async function exportAudit(
  work: Reading,
  query: AuditQuery,
  { after, format }: { after: string | null; format: keyof typeof FORMATS },
): Promise<Download> {
  const filter = toFilter(query)
  // The first page is read here, so that errors are thrown before anything is sent.
  const first = await readPage(work, filter, readPosition(work, after), EXPORTED)
  const { type, head, line } = FORMATS[format]
  async function* pieces() {
    yield head
    for (let page = first; ; page = await readPage(work, filter, page.next, EXPORTED)) {
      if (page.events.length) yield page.events.map((event) => line(toEvent(event))).join('')
      if (!page.next) return
    }
  }
  return asDownload(type, `audit.${format}`, pieces())
}

const EVERYTHING = toFilter({})

/**
 * The newest events of a directory about a user. Reads at most `steps` pages. `isWhole` is false if there may be more
 * events.
 */
export async function newestEventsOf(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  user: EventsOfUser,
  { limit, steps }: { limit: number; steps: number },
): Promise<{ events: Sent[]; isWhole: boolean }> {
  const found: Sent[] = []
  let before: Position | null = null
  for (let step = 0; step < steps && found.length < limit; step++) {
    const asked = { before, limit: limit - found.length }
    const page: ReadPage = await selectNewest(platform.db, reachOf(directory), { ...EVERYTHING, user }, asked)
    found.push(...page.events.map(toEvent))
    if (page.next === null) return { events: found, isWhole: true }
    before = page.next
  }
  return { events: found, isWhole: false }
}

function readPosition({ platform, reach }: Reading, after: string | null): Position | null {
  return after === null ? null : openPosition(platform, reach, after)
}

function readPage(
  { platform, reach }: Reading,
  filter: Filter,
  before: Position | null,
  limit: number,
): Promise<ReadPage> {
  return selectNewest(platform.db, reach, filter, { before, limit })
}

function toFilter(query: AuditQuery): Filter {
  return {
    types: query.types === undefined ? null : readTypes(query.types),
    actorType: query.actor_type ?? null,
    actorId: query.actor_id?.toLowerCase() ?? null,
    onBehalfOf: query.on_behalf_of ?? null,
    targetType: query.target_type ?? null,
    targetId: query.target_id?.toLowerCase() ?? null,
    user: query.user_id === undefined ? null : { ids: [query.user_id.toLowerCase()], mailed: null },
    ipAddress: query.ip_address ?? null,
    requestId: query.request_id ?? null,
    text: query.q ?? null,
    from: query.from === undefined ? null : new Date(query.from),
    to: query.to === undefined ? null : new Date(query.to),
  }
}

function cellsOf(event: Sent): (string | null)[] {
  const { id, type, timestamp, environment, sub_org_id, actor, target, request_id, ip_address, user_agent } = event
  return [
    ...[id, type, timestamp, environment, sub_org_id, actor.type, actor.id, target?.type ?? null, target?.id ?? null],
    ...[
      request_id,
      ip_address,
      user_agent,
      JSON.stringify(event.data),
      event.previous && JSON.stringify(event.previous),
    ],
    ...[
      actor.on_behalf_of?.id ?? null,
      actor.on_behalf_of?.name ?? null,
      actor.via?.type ?? null,
      actor.via?.id ?? null,
    ],
  ]
}

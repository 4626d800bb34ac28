import { boundedMap } from '../../../platform/bounded-map.ts'
import { findEvents } from '../../../platform/events/event-places.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { bodyOf, type Sendable } from './attempt.ts'

// Each is up to 20 KB. An event for many endpoints is read and serialized once, since events never change.
const KEPT = 200

const kept = perPlatform(() => boundedMap<Sendable>(KEPT))

/** Events in the form to send, by id. Events that are no longer kept are missing. */
export async function findSendable(
  platform: Platform,
  rows: readonly { event_directory_id: string; event_id: string }[],
): Promise<Map<string, Sendable>> {
  const known = kept(platform)
  const found = new Map(rows.flatMap(({ event_id }) => known.get(event_id) ?? []).map((event) => [event.id, event]))
  const missing = rows.filter(({ event_id }) => !found.has(event_id))
  if (missing.length === 0) return found
  const refs = missing.map((row) => ({ directoryId: row.event_directory_id, id: row.event_id }))
  for (const event of await findEvents(platform.db, refs)) {
    const sendable = { id: event.id, body: bodyOf(event) }
    found.set(event.id, sendable)
    known.set(event.id, sendable)
  }
  return found
}

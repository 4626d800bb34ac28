import { boundedMap } from '../../../platform/bounded-map.ts'
import { findEvents } from '../../../platform/events/event-places.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { bodyOf, type Sendable } from './attempt.ts'

// Of 20 KB each: what many endpoints get is read and written as JSON once. Events never change.
const KEPT = 200

const kept = perPlatform(() => boundedMap<Sendable>(KEPT))

/** Events as they are sent, by id; without those that are no longer kept. */
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

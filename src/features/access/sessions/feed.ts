import type { Static } from 'typebox'
import { readStream } from '../../../platform/events/event-stream.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { ReachWork } from '../../../platform/work.ts'
import { sessionEvents } from './events.ts'
import type { Revocation } from './schema.ts'

interface RevocationPage {
  revocations: Static<typeof Revocation>[]
  nextCursor: string
  hasMore: boolean
}

/** Ended sessions after a cursor, oldest first, read from the event stream. Each session is returned exactly once. */
export async function readRevocations(work: ReachWork, after: string | null, limit: number): Promise<RevocationPage> {
  const { events, cursor, hasMore } = await readStream(work, after, { types: [sessionEvents.revoked.type], limit })
  const served = await Promise.all(
    // Not `isServed`: the stream is read by position, and its cursor also moves past events that are left out.
    events.map(({ directory_id }) => isServedAt(work, directory_id)),
  )
  const shown = events.filter((_, n) => served[n])
  const revocations = shown.map(({ data, created_at }) => {
    const { id, user_id, directory_user_id, reason } = Object(data)
    return { session_id: id, user_id, directory_user_id, reason, revoked_at: created_at.toISOString() }
  })
  return { revocations, nextCursor: cursor, hasMore }
}

/** Whether the service that the route belongs to is on in the directory of an event. */
async function isServedAt({ platform, reach }: ReachWork, directoryId: string): Promise<boolean> {
  if (reach.directory || !reach.service) return true
  const directory = await findDirectory(platform, directoryId)
  return directory !== null && isServiceEnabled({ platform, directory }, reach.service)
}

import type { Static } from 'typebox'
import { readStream } from '../../platform/event-stream.ts'
import type { Reach } from '../../platform/http/directory.ts'
import type { Work } from '../../platform/work.ts'
import { sessionEvents } from './events.ts'
import type { Revocation } from './schema.ts'

interface RevocationPage {
  revocations: Static<typeof Revocation>[]
  nextCursor: string
  hasMore: boolean
}

/** Ended sessions after a cursor, oldest first, read from the event stream: each exactly once. */
export async function readRevocations(work: Work<Reach>, after: string | null, limit: number): Promise<RevocationPage> {
  const { events, cursor, hasMore } = await readStream(work, after, { types: [sessionEvents.revoked.type], limit })
  const revocations = events.map(({ data, created_at }) => {
    const { id, user_id, directory_user_id, reason } = Object(data)
    return { session_id: id, user_id, directory_user_id, reason, revoked_at: created_at.toISOString() }
  })
  return { revocations, nextCursor: cursor, hasMore }
}

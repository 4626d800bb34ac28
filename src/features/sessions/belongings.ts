import type { Belonging, UserChange } from '../../platform/belongings.ts'
import type { TxWork } from '../../platform/work.ts'
import { sessionEvents } from './events.ts'
import { revocationOf } from './sessions.ts'
import { type RevokedRow, revokeSessionRows } from './store.ts'

const ended = ({ db, directory }: TxWork, { user, reason }: UserChange) => ({
  query: revokeSessionRows(db, directory, { userId: user.id }, reason),
})

const sessions: Belonging<RevokedRow> = {
  table: 'sessions',
  proof: ended,
  cutOff: (work, change) => (change.keepsSessions ? null : ended(work, change)),
  removal: ended,
  // They ended where they were, and verifiers learn it there.
  move: ended,
  setUpBefore: 'sessions.user_id = users.id and sessions.revoked_at is null',
  announce: { event: sessionEvents.revoked, of: revocationOf },
}

/** What a user has of sessions. */
export const sessionBelongings: Belonging[] = [sessions]

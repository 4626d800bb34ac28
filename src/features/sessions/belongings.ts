import { type Belonging, isPending, type UserChange } from '../../platform/belongings.ts'
import type { TxWork } from '../../platform/work.ts'
import { AT_ONCE, leaveToJob, revocationOf } from './cut-off.ts'
import { markSessionRows } from './cut-off-store.ts'
import { sessionEvents } from './events.ts'
import type { RevokedRow } from './store.ts'

const cutOffOf = ({ user, reason }: UserChange) => ({ userId: user.id, epoch: user.session_epoch + 1, reason })

const ended = ({ db, directory }: TxWork, change: UserChange) => ({
  query: markSessionRows(db, directory, cutOffOf(change), AT_ONCE),
  // With the next epoch every session ends; the query marks some of them.
  columns: () => ({ session_epoch: change.user.session_epoch + 1, sessions_at_most: 0 }),
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
  leave: (work, change, marked) => leaveToJob(work, cutOffOf(change), marked),
}

const stays = { stays: 'It says which sessions still have to be marked.' }
const cutOffs: Belonging = {
  table: 'session_cut_offs',
  proof: stays,
  cutOff: stays,
  removal: stays,
  move: stays,
  isAbsent: isPending,
}

/** What a user has of sessions. */
export const sessionBelongings: Belonging[] = [sessions, cutOffs]

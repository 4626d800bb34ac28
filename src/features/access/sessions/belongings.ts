import { sqlText } from '../../../platform/joined/sql-text.ts'
import { type Belonging, exportsColumns, isPending, type UserChange } from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'
import { AT_ONCE, leaveToJob, revocationOf } from './cut-off.ts'
import { markSessionRows } from './cut-off-store.ts'
import { sessionEvents } from './events.ts'
import type { RevokedRow } from './store.ts'

const cutOffOf = ({ user, reason }: UserChange) => ({ userId: user.id, epoch: user.session_epoch + 1, reason })

const ended = ({ db, directory }: TxWork, change: UserChange) => ({
  query: markSessionRows(db, directory, cutOffOf(change), AT_ONCE),
  // The next epoch ends every session; the query marks some of them as ended.
  columns: () => ({ session_epoch: change.user.session_epoch + 1, sessions_at_most: 0 }),
})

const sessions: Belonging<RevokedRow> = {
  table: 'sessions',
  proof: ended,
  cutOff: (work, change) => (change.keepsSessions ? null : ended(work, change)),
  removal: ended,
  // The sessions end in the old directory, where verifiers learn about it.
  move: ended,
  exports: exportsColumns(
    'sessions',
    'created_at',
    'id auth_method amr aal connection_id authenticated_at created_at last_active_at idle_expires_at expires_at ip_address user_agent trusted_device_id revoked_at revoked_reason',
    'environment_id auth_account_id generation refresh_hash previous_refresh_hash successor_sealed rotated_at organization_epoch user_epoch',
  ),
  setUpBefore: sqlText`sessions.user_id = users.id and sessions.revoked_at is null`,
  announce: { event: sessionEvents.revoked, of: revocationOf },
  leave: (work, change, marked) => leaveToJob(work, cutOffOf(change), marked),
}

const stays = { kept: 'It says which sessions still have to be marked.' }
const cutOffs: Belonging = {
  table: 'session_cut_offs',
  proof: stays,
  cutOff: stays,
  removal: stays,
  move: stays,
  exports: { nothing: 'A note of sessions that ended; the sessions tell it themselves.' },
  isAbsent: isPending,
}

/** The sessions of a user. */
export const sessionBelongings: Belonging[] = [sessions, cutOffs]

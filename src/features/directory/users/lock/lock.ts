import { now } from '../../../../platform/db/now.ts'
import { record } from '../../../../platform/events/events.ts'
import { defineEndReasons } from '../../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { applyToBelongings } from '../belongings.ts'
import { userEvents } from '../events.ts'
import { updateInvitationStatus } from '../invitation.ts'
import {
  asNewVersion,
  findUserRowById,
  type HeldUser,
  NO_LOCK,
  setLockedUntil,
  type UserRow,
  updateUserRow,
} from '../store.ts'
import { recordUser, userEvent } from '../user-event.ts'

const { user_locked: userLocked } = defineEndReasons('user_locked')

/** An administrator's lock. `until` is null for a lock without an end. */
export interface AccessLock {
  reason: string
  until: Date | null
}

/**
 * Locks a user out: no sign-in method works until the lock ends. The caller must have locked the user's row. The same
 * statement ends every session, removes every trusted device, cancels pending sign-ins, and raises the epoch, so that a
 * sign-in in progress fails. A second lock replaces the first. Returns the updated user, and how many sessions ended.
 */
export async function lockAccess(
  work: TxWork,
  user: HeldUser,
  { reason, until }: AccessLock,
): Promise<{ user: UserRow; ended: number }> {
  const lock = { access_locked_at: now, access_locked_until: until, access_lock_reason: reason }
  const change = { user, reason: userLocked, devices: true }
  const {
    user: after,
    announced,
    changed,
  } = await applyToBelongings(work, 'cutOff', change, {
    ...lock,
    ...asNewVersion,
  })
  await record(work, userEvent(work.directory, userEvents.locked, after, user), ...announced)
  await updateInvitationStatus(work, after)
  return { user: after, ended: changed.sessions ?? 0 }
}

/**
 * Ends both kinds of lock of a user, and records it. The caller must have locked the user's row. `lockout` clears the
 * failed attempts at the address.
 */
export async function endLocks(work: TxWork, user: HeldUser): Promise<void> {
  const { db, directory } = work
  const after =
    user.access_locked_at === null
      ? ((await setLockedUntil(db, directory, user.id, null)) ?? user)
      : await updateUserRow(db, directory, user.id, NO_LOCK)
  await recordUser(work, userEvents.unlocked, after, user)
}

/** The columns of an administrator's lock. */
export type LockColumns = Pick<UserRow, 'access_locked_at' | 'access_locked_until' | 'access_lock_reason'>

/** The administrator's lock of a user, to copy to a new user who replaces a locked user. */
export function lockOf({ access_locked_at, access_locked_until, access_lock_reason }: LockColumns): LockColumns {
  return { access_locked_at, access_locked_until, access_lock_reason }
}

/** Records that the user's address is locked. Lists show the user as locked until that time. */
export async function markLocked(work: TxWork, id: string, until: Date): Promise<void> {
  const user = await setLockedUntil(work.db, work.directory, id, until)
  if (user) await recordUser(work, userEvents.locked, user)
}

/** Records that the lock was ended early. */
export async function markUnlocked(work: TxWork, id: string): Promise<void> {
  const user =
    (await setLockedUntil(work.db, work.directory, id, null)) ?? (await findUserRowById(work.db, work.directory, id))
  if (user) await recordUser(work, userEvents.unlocked, user)
}

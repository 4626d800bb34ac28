import { type EventInput, record } from '../../../platform/events/events.ts'
import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'
import { userEvents } from './events.ts'
import { statusOf } from './schema.ts'
import {
  type HeldUser,
  lockUserRow,
  NOT_INVITED,
  type UserChanges,
  type UserRow,
  updateHidden,
  updateUserRow,
} from './store.ts'
import { userEvent } from './user-event.ts'

/** How the person of an invitation has come in. */
export interface InvitationUse {
  /** The sign-in method, or what else has proved the mailbox. */
  by: string
  /** The link that is being redeemed: its own rule uses it. */
  linkId?: string | undefined
}

// Slot: invitations are of the wing of sign-in, which is above.
/** Counts the open invitations of a user as accepted, or withdraws them, and returns the events; or finds one. */
export const openInvitations = defineSlot<{
  accept(work: TxWork, user: UserRow, how: InvitationUse): Promise<EventInput[]>
  withdraw(work: TxWork, user: UserRow): Promise<EventInput[]>
  isOpen(work: TxWork, userId: string): Promise<boolean>
}>('what becomes of open invitations')

/**
 * Lets the status follow where an invitation may have ended without its own rule: with a cut-off, or when it expired. `user` as
 * they were before.
 */
export async function updateInvitationStatus(work: TxWork, user: HeldUser): Promise<void> {
  // Those of the team end with the membership alone.
  if (user.invited_at === null || work.directory.kind === 'console') return
  if (await openInvitations.of(work.platform).isOpen(work, user.id)) return
  // As they are now: the caller may have accepted the invitation meanwhile.
  const now = await lockUserRow(work.db, work.directory, user.id)
  if (!now || now.invited_at === null) return
  await record(work, ...(await changeInvitation(work, now, NOT_INVITED, NOT_INVITED)).announced)
}

// The status does not depend on which.
export const ANY_DATE = new Date(0)

export interface Changed {
  user: HeldUser
  announced: EventInput[]
}

/** Changes what the status follows from. `like` has the same values, to tell whether the API then shows another status. */
export async function changeInvitation(
  work: TxWork,
  user: HeldUser,
  changes: UserChanges,
  like: Pick<Partial<UserRow>, 'invited_at' | 'last_login_at'>,
): Promise<Changed> {
  const { db, directory } = work
  if (statusOf({ ...user, ...like }) === statusOf(user)) {
    await updateHidden(db, directory, user, changes)
    return { user: { ...user, ...like }, announced: [] }
  }
  const after: HeldUser = { ...(await updateUserRow(db, directory, user.id, changes)), held: true }
  return { user: after, announced: [userEvent(directory, userEvents.updated, after, user)] }
}

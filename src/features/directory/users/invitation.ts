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

/** How an invited person signed in. */
export interface InvitationUse {
  /** The sign-in method, or another proof of the mailbox. */
  by: string
  /** The link that is being redeemed, which the redeeming code itself uses up. */
  linkId?: string | undefined
}

// Slot: invitations belong to `sign-in`, which may not be imported from here. `src/wiring` fills the slot.
/** Accepts or withdraws a user's open invitations and returns the events, or checks whether there is one. */
export const openInvitations = defineSlot<{
  accept(work: TxWork, user: UserRow, how: InvitationUse): Promise<EventInput[]>
  withdraw(work: TxWork, user: UserRow): Promise<EventInput[]>
  isOpen(work: TxWork, userId: string): Promise<boolean>
}>('what becomes of open invitations')

/**
 * Updates the user's status after an invitation may have ended implicitly: by a cut-off, or because it expired.
 * `user` is the row from before.
 */
export async function updateInvitationStatus(work: TxWork, user: HeldUser): Promise<void> {
  // Invitations to the team end only with the membership.
  if (user.invited_at === null || work.directory.kind === 'console') return
  if (await openInvitations.of(work.platform).isOpen(work, user.id)) return
  // Read again, since the caller may have accepted the invitation meanwhile.
  const now = await lockUserRow(work.db, work.directory, user.id)
  if (!now || now.invited_at === null) return
  await record(work, ...(await changeInvitation(work, now, NOT_INVITED, NOT_INVITED)).announced)
}

// A placeholder: the status depends only on whether there is a time.
export const ANY_DATE = new Date(0)

export interface Changed {
  user: HeldUser
  announced: EventInput[]
}

/**
 * Changes the columns that determine the user's status. `like` has the same changes as plain values, from which the
 * function knows whether the API will report another status.
 */
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

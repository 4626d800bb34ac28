import type { Done } from '../../platform/belongings-plan.ts'
import { defineEndReasons } from '../../platform/end-reasons.ts'
import { record } from '../../platform/events.ts'
import type { TxWork } from '../../platform/work.ts'
import { applyToBelongings } from './belongings.ts'
import { userEvents } from './events.ts'
import { asNewVersion, type HeldUser, type UserRow } from './store.ts'
import { userEvent } from './user-event.ts'

const reasons = defineEndReasons('mailbox_proved')

/** What the first proof of a mailbox spares. */
interface Kept {
  /** The link that proves it. */
  linkId?: string | undefined
  /** True when the user has proved that the password is theirs. */
  password?: boolean
}

type Proved = Pick<Done<HeldUser>, 'user' | 'announced'>

/** Applies a proof of the mailbox, and records it. Returns the user as they are then. */
export async function proveMailbox(work: TxWork, user: HeldUser, kept: Kept = {}): Promise<HeldUser> {
  const { user: after, announced } = await applyMailboxProof(work, user, kept)
  await record(work, ...announced)
  return after
}

/**
 * Writes that the user has just proved the mailbox. The first proof confirms the address and completes a pending
 * sign-up; later ones change nothing. Someone who registered an address before its owner must not keep access (account
 * pre-hijacking): the first proof removes every session, password, link and factor set up before. The one place for it, with
 * `login/first-proof.ts` for users who have set nothing up.
 * @returns the user as they are then, and the events, which a caller with more to write records with that.
 */
export async function applyMailboxProof(work: TxWork, user: HeldUser, kept: Kept = {}): Promise<Proved> {
  if (user.email_verified) return { user, announced: [] }
  const { linkId, password: keepsPassword = false } = kept
  const change = { user, reason: reasons.mailbox_proved, linkId, keepsPassword, keepsFactors: keepsFactors(user) }
  const proven = { email_verified: true, pending_until: null, ...asNewVersion }
  const { user: after, announced } = await applyToBelongings(work, 'proof', change, proven)
  return { user: after, announced: [...announced, userEvent(work.directory, userEvents.emailVerified, after, user)] }
}

/**
 * A user with a second factor whose earlier address was proved is asked for that factor at this sign-in, so factors and
 * passkeys stay: otherwise the new mailbox alone could remove them. Without a second factor nothing proves who set the
 * account up, and they go.
 */
function keepsFactors(user: UserRow): boolean {
  return user.proved_before && user.mfa_enrolled
}

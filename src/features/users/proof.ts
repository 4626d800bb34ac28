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
 * pre-hijacking): the first proof removes every session, password and link set up before, and the factors that a stranger
 * may have set. The one place for it, with `login/first-proof.ts` for users who have set nothing up.
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

/** Where strangers can make themselves a user of an address. */
const SELF_SERVICE = ['signup', 'social']

/**
 * Whether factors and passkeys stay at the first proof of the mailbox. Those of a user whom the customer's backend added no
 * stranger has set, and the mailbox alone must not remove them: the user answers the challenge. Of who signed up, they stay
 * if the user has a second factor and an earlier address was proved; else nothing tells who set them.
 */
export function keepsFactors({ source, proved_before, mfa_enrolled }: UserRow): boolean {
  return !SELF_SERVICE.includes(source) || (proved_before && mfa_enrolled)
}

import { record } from '../../../../platform/events/events.ts'
import type { Done } from '../../../../platform/lifecycle/belongings-plan.ts'
import { defineEndReasons } from '../../../../platform/lifecycle/end-reasons.ts'
import { defineSlot } from '../../../../platform/platform.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { applyToBelongings } from '../belongings.ts'
import { userEvents } from '../events.ts'
import { acceptInvitations } from '../invited/invited.ts'
import { asNewVersion, type HeldUser, type UserRow } from '../store.ts'
import { mayBelongToStranger, SELF_SERVICE } from '../strangers/strangers.ts'
import { userEvent } from '../user-event.ts'

export const { mailbox_proved: mailboxProved } = defineEndReasons('mailbox_proved')

/** What the first proof of a mailbox must not remove. */
interface Kept {
  /** The link that is the proof. */
  linkId?: string | undefined
  /** True when the user has just entered the correct password, so the sign-up was their own. */
  password?: boolean
  /** True when the proof completes the same sign-up in which the profile was typed. */
  profile?: boolean
  /** The language named in the sign-up that this proof completes. */
  locale?: string | null
  /** The sign-in method, which also accepts the user's invitations. Absent if the proof is not a sign-in. */
  by?: string
}

type Proved = Pick<Done<HeldUser>, 'user' | 'announced'>

/** Applies a proof of the mailbox and records its events. Returns the updated user. */
export async function proveMailbox(work: TxWork, user: HeldUser, kept: Kept = {}): Promise<HeldUser> {
  const { user: after, announced } = await applyMailboxProof(work, user, kept)
  await record(work, ...announced)
  return after
}

/**
 * Writes that the user has just proved the mailbox. The first proof confirms the address and completes a pending
 * sign-up; later proofs change nothing. Someone who registered an address before its owner must not keep access
 * (account pre-hijacking). The first proof therefore removes every session, password and link set up before, and the
 * factors and profile that a stranger may have set. No other code does this, except `login/first-proof.ts` for users
 * who have set nothing up.
 * @returns the updated user and the events, which the caller records together with its own.
 */
export async function applyMailboxProof(work: TxWork, given: HeldUser, kept: Kept = {}): Promise<Proved> {
  const { linkId, password: keepsPassword = false, locale = null, by } = kept
  const { user, announced: accepted } =
    by === undefined ? { user: given, announced: [] } : await acceptInvitations(work, given, { by, linkId })
  if (user.email_verified) return { user, announced: accepted }
  const isTheirs = kept.profile || keepsPassword || !mayBelongToStranger(user)
  const change = { user, reason: mailboxProved, linkId, keepsPassword, keepsFactors: await keepsFactors(work, user) }
  const proven = {
    email_verified: true,
    pending_until: null,
    // The first proof withdraws the invitations that are still open.
    invited_at: null,
    ...(isTheirs ? {} : { first_name: null, last_name: null, phone: null, locale }),
    ...asNewVersion,
  }
  const { user: after, announced } = await applyToBelongings(work, 'proof', change, proven)
  const verified = userEvent(work.directory, userEvents.emailVerified, after, user)
  return { user: after, announced: [...accepted, ...announced, verified] }
}

// Slot: the MFA policy belongs to `access`, which may not be imported from here. `src/wiring` fills the slot.
/** Whether the MFA policy requires a second factor of a user with this address, role and factors. */
export const requiresFactor = defineSlot<
  (work: Work, user: Pick<UserRow, 'email_norm' | 'role' | 'mfa_enrolled' | 'passkey_count'>) => Promise<boolean>
>('who must have a second factor')

/**
 * Whether factors and passkeys survive the first proof of the mailbox. For a user added by the customer's backend they
 * do: no stranger has set them, and the mailbox alone must not remove them. For a user who signed up they survive if an
 * earlier address was proved and the mailbox alone cannot sign in. It cannot if the user has a second factor, or a
 * passkey where the policy requires one.
 */
export async function keepsFactors(work: Work, user: UserRow): Promise<boolean> {
  if (!SELF_SERVICE.includes(user.source)) return true
  if (!user.proved_before || user.mfa_enrolled) return user.proved_before
  return user.passkey_count > 0 && requiresFactor.of(work.platform)(work, { ...user, passkey_count: 0 })
}

import { record } from '../../platform/events.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { getUser, lockUser, proveMailbox } from '../users/users.ts'
import { completeLogin, type Proof } from './door.ts'
import { loginErrors } from './errors.ts'
import type { SessionAnswer } from './session-reply.ts'
import { authSettings } from './settings.ts'
import type { SignInFacts } from './store.ts'
import { inTxUnlessSpent } from './unless-spent.ts'

/** A proof that reached the person through their mailbox. */
export interface MailboxProof extends Proof {
  /** The link that is being redeemed, which outlives the others. */
  linkId?: string
}

/**
 * The door for whoever has shown that the mailbox is theirs. The first such proof confirms the address and takes away
 * every way in that was set before it. `also` writes more in the same transaction, before the session is made.
 * Throws `signup_disabled` for a sign-up that is no longer allowed. Null: the proof had been consumed already; then
 * nothing was written.
 */
export async function completeMailboxLogin(
  work: Work,
  facts: SignInFacts,
  proof: MailboxProof,
  also?: (work: TxWork) => Promise<void>,
): Promise<SessionAnswer | null> {
  if (facts.pending && !(await authSettings.effective(work)).allow_sign_up)
    throw loginErrors.signupDisabled({ detail: 'allow_sign_up is off here.' })
  if (facts.email_verified && !facts.pending && !also) return completeLogin(work, facts, proof)
  return inTxUnlessSpent(work, async (work) => {
    // Held from here on: what the epoch says below is then what it said when the proof was looked at.
    const user = await lockUser(work, facts.user_id)
    // Gone or cut off since the facts were read.
    if (user?.epoch !== facts.epoch) return null
    if (!(await proveMailbox(work, user, { linkId: proof.linkId }))) return null
    if (facts.pending)
      await record(work, {
        type: 'auth.signup.succeeded',
        target: { type: 'user', id: facts.user_id },
        data: { method: proof.method },
      })
    await also?.(work)
    // The first proof takes away every factor that was set before it; what `also` cut off is the other ways in.
    const { epoch, mfa_enrolled, passkey_count } = await getUser(work, user.id)
    const proven = { ...facts, email_verified: true, pending: false, mfa_enrolled, passkey_count, epoch }
    return completeLogin(work, proven, proof)
  })
}

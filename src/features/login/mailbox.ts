import { record } from '../../platform/events.ts'
import { inTxUnlessConsumed } from '../../platform/unless-consumed.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { findUserForUpdate, getUser, type HeldUser, proveMailbox } from '../users/users.ts'
import { completeLogin, type Proof } from './door.ts'
import { loginErrors } from './errors.ts'
import { loginEvents } from './events.ts'
import type { SignInFacts } from './facts.ts'
import type { SessionReply } from './session-reply.ts'
import { authSettings } from './settings.ts'

/**
 * The door for a proof of the mailbox. The first such proof confirms the address and removes every credential set
 * before it. `also` writes more in the same transaction, before the session is created.
 * Throws `signup_disabled` for a sign-up that is no longer allowed.
 * @returns null, with nothing written, when the proof was already consumed.
 */
export async function completeMailboxLogin(
  work: Work,
  facts: SignInFacts,
  proof: Proof,
  also?: (work: TxWork, user: HeldUser) => Promise<void>,
): Promise<SessionReply | null> {
  if (facts.pending && !(await authSettings.effective(work)).allow_sign_up)
    throw loginErrors.signupDisabled({ detail: 'allow_sign_up is off here.' })
  if (facts.email_verified && !facts.pending && !also) return completeLogin(work, facts, proof)
  return inTxUnlessConsumed(work, async (work) => {
    // Locked from here on, so the epoch compared below cannot change before the proof is consumed.
    const user = await findUserForUpdate(work, facts.user_id)
    // The user was deleted or cut off since the facts were read.
    if (user?.epoch !== facts.epoch) return null
    const proved = await proveMailbox(work, user, { linkId: proof.linkId })
    if (facts.pending)
      await record(
        work,
        loginEvents.signedUp({ target: { type: 'user', id: facts.user_id }, data: { method: proof.method.id } }),
      )
    await also?.(work, proved)
    // The first proof removes earlier factors and, like a cut-off in `also`, raises the epoch.
    const { epoch, mfa_enrolled, passkey_count } = also ? await getUser(work, user.id) : proved
    const proven = { ...facts, email_verified: true, pending: false, mfa_enrolled, passkey_count, epoch }
    return completeLogin(work, proven, proof)
  })
}

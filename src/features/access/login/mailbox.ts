import { type EventInput, record } from '../../../platform/events/events.ts'
import { asProvenUser } from '../../../platform/events/origin.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { applyMailboxProof } from '../../directory/users/proof/proof.ts'
import { findUserForUpdate, getUser, type HeldUser } from '../../directory/users/users.ts'
import { completeLogin, type Proof } from './door.ts'
import { loginErrors } from './errors.ts'
import { loginEvents } from './events.ts'
import { firstProofOf } from './first-proof.ts'
import type { SessionReply } from './session-reply.ts'
import { doorSettings } from './settings.ts'
import type { SignInFacts } from './sign-in-facts.ts'

/**
 * Signs in a user who has proved the mailbox. The first such proof confirms the address and removes every credential
 * set before it. `also` writes more in the same transaction, before the session is created. Throws `signup_disabled`
 * for a sign-up that is no longer allowed.
 * @returns null, with nothing written, if the proof was already used.
 */
export async function completeMailboxLogin(
  caller: Work,
  facts: SignInFacts,
  proof: Proof,
  also?: (work: TxWork, user: HeldUser) => Promise<void>,
): Promise<SessionReply | null> {
  const work = asProvenUser(caller, facts.user_id)
  if (facts.pending && !(await doorSettings.effective(work)).allow_sign_up)
    throw loginErrors.signupDisabled({ detail: 'The setting allow_sign_up is off.' })
  if (facts.email_verified && !facts.pending && !also) return completeLogin(work, facts, proof)
  const answer = also || work.db.isTransaction ? null : await proveAndLogIn(work, facts, proof)
  if (answer) return answer
  return inTxUnlessConsumed(work, async (work) => {
    // The row stays locked from here on, so the epoch compared below cannot change before the proof is used.
    const user = await findUserForUpdate(work, facts.user_id)
    // The user was deleted or cut off since the facts were read.
    if (user?.epoch !== facts.epoch) return null
    const { user: proved, announced: events } = await applyMailboxProof(work, user, {
      linkId: proof.linkId,
      by: proof.method.id,
      locale: proof.locale ?? null,
    })
    if (facts.pending) events.push(signedUp(facts, proof))
    if (also) {
      // Recorded now, since `also` may record events about the updated user. Without `also`, the statement that
      // creates the session records them.
      await record(work, ...events.splice(0))
      await also(work, proved)
    }
    // The first proof removes earlier factors and, like a cut-off in `also`, raises the epoch.
    const { epoch, locale, mfa_enrolled, passkey_count } = also ? await getUser(work, user.id) : proved
    const proven = {
      ...facts,
      email_verified: true,
      pending: false,
      invited: false,
      locale,
      mfa_enrolled,
      passkey_count,
      epoch,
    }
    return completeLogin(work, proven, { ...proof, events: [...events, ...(proof.events ?? [])] })
  })
}

/** Signs in a user who has set nothing up before the first proof. Concurrent sign-ins share the statements. */
async function proveAndLogIn(work: Work, facts: SignInFacts, proof: Proof): Promise<SessionReply | null> {
  const firstProof = firstProofOf(work, facts, proof.linkId ?? null)
  return firstProof && completeLogin(work, { ...facts, email_verified: true }, { ...proof, firstProof })
}

function signedUp({ user_id: id }: SignInFacts, { method }: Proof): EventInput {
  return loginEvents.signedUp({ target: { type: 'user', id }, data: { method: method.id } })
}

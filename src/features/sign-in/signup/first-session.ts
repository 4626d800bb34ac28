import type { Identity } from '../../../platform/crypto/identity.ts'
import type { EventInput } from '../../../platform/events/events.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import {
  completeLogin,
  findSignInFacts,
  loginEvents,
  type SessionReply,
  type SignInFacts,
} from '../../access/login/login.ts'
import { createSignup, type SignupProfile, type UserRow } from '../../directory/users/users.ts'
import { assertSignupAllowed } from './policy.ts'

type Proof = Parameters<typeof completeLogin>[2]

/** Creates the first session of a user created in this transaction. Returns null if the proof was already consumed. */
export async function startFirstSession(
  work: TxWork,
  { who, user, proof }: { who: Identity; user: UserRow; proof: Proof },
  events: EventInput[] = [],
): Promise<SessionReply | null> {
  const facts = await findSignInFacts(work, who)
  if (facts?.user_id !== user.id) throw new Error('The user of a sign-up is missing')
  const signedUp = loginEvents.signedUp({ target: { type: 'user', id: user.id }, data: { method: proof.method.id } })
  return completeLogin(work, facts, { ...proof, events: [...events, signedUp] })
}

/**
 * Creates the user of an address whose mailbox was just proved, and signs them in. If a user got the address
 * meanwhile, with this proof (which is then consumed) or in another way, `signIn` signs that user in.
 * Throws `signup_disabled`, and what the gates throw.
 * @returns null if the proof was already consumed.
 */
export async function signUpByMailbox(
  work: Work,
  { who, profile, proof }: { who: Identity; profile: SignupProfile; proof: Proof },
  signIn: (facts: SignInFacts) => Promise<SessionReply | null>,
): Promise<SessionReply | null> {
  await assertSignupAllowed(work)
  const answer = await inTxUnlessConsumed(work, async (work) => {
    const made = await createSignup(work, { ...profile, ...who.address }, { email_verified: true })
    return made && startFirstSession(work, { who, user: made.user, proof }, [made.created])
  })
  if (answer) return answer
  const facts = await findSignInFacts(work, who)
  return facts && signIn(facts)
}

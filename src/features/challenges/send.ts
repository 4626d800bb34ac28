import type { Work } from '../../platform/work.ts'
import { assertMaySignIn, findSignInFacts, loginErrors } from '../login/login.ts'
import { challengeErrors } from './errors.ts'
import { listOffered } from './second-factors.ts'
import { findChallenge } from './store.ts'
import { readToken } from './token.ts'

/**
 * Sends a code to the phone of the challenge's user.
 * Throws `challenge_expired`, `method_disabled`, `rate_limited`, and what the door throws.
 */
export async function sendChallengeCode(work: Work, text: string): Promise<{ deliveryHint: string }> {
  const { directory, db } = work
  const token = readToken(work, text)
  const challenge = token && (await findChallenge(db, directory, token))
  const facts = challenge && (await findSignInFacts(work, { userId: challenge.user_id }))
  if (!facts) throw challengeErrors.expired()
  assertMaySignIn(work, facts)
  const factor = (await listOffered(work, challenge)).find(({ method }) => method === 'sms')
  if (!factor?.send)
    throw loginErrors.methodDisabled({ detail: 'The user has enrolled no phone, or the policy takes none.' })
  return factor.send(work, challenge)
}

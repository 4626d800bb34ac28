import type { Work } from '../../../platform/work.ts'
import { assertMaySignIn, loginErrors } from '../../access/login/login.ts'
import { challengeErrors } from './errors.ts'
import { findChallenge } from './pass.ts'
import { listOffered } from './second-factors.ts'

/**
 * Sends a code to the phone of the challenge's user.
 * Throws `challenge_expired`, `method_disabled`, `rate_limited`, and what the gates throw.
 */
export async function sendChallengeCode(work: Work, text: string): Promise<{ deliveryHint: string }> {
  const { challenge, facts } = await findChallenge(work, text)
  if (!facts) throw challengeErrors.expired()
  await assertMaySignIn(work, facts)
  const factor = (await listOffered(work, challenge)).find(({ method }) => method === 'sms')
  if (!factor?.send)
    throw loginErrors.methodDisabled({
      detail: 'The user has not enrolled a phone, or the MFA policy does not allow sms.',
    })
  return factor.send(work, challenge, facts)
}

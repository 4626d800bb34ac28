import type { TestApp } from '../../../../test/harness.ts'
import { codeOf, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import type { FactorRecords } from '../factors/sample.ts'

/** A sign-in of `factorUser` that waits for the second factor. */
export interface ChallengeRecords {
  ids: { challengeToken: string }
}

export async function makeRecords(
  _: TestApp,
  { scoped, factorEmail }: Start & FactorRecords,
): Promise<ChallengeRecords> {
  const { challenge_token } = succeeded(await signInByLink(scoped, factorEmail))
  return { ids: { challengeToken: challenge_token } }
}

// The code of the next time step is accepted too, and no test has used it yet.
export const samples: Samples = {
  'POST /v1/mfa/challenge/verify': ({ ids, factorSecret }) => ({
    body: { challenge_token: ids.challengeToken, code: codeOf(factorSecret, 1), trust_device: true },
  }),
  'POST /v1/auth/mfa/challenge/send': ({ ids }) => ({ body: { challenge_token: ids.challengeToken, method: 'sms' } }),
}

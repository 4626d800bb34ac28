import { codeOf, plantTotp, signInByLink, succeeded } from '../../../test/factors.ts'
import type { TestApp } from '../../../test/harness.ts'
import type { Start } from '../../../test/records.ts'
import type { Samples } from '../../../test/samples.ts'
import { getWorkIn } from '../../../test/work.ts'
import type { MfaRecords } from '../mfa/sample.ts'
import type { UserRecords } from '../users/sample.ts'

/** `factorUser` has an app too and is signing in; `pendingUser` is enrolling one. */
export interface MfaLoginRecords {
  factorSecret: string
  pendingSecret: string
  ids: { pendingTotp: string; challengeToken: string }
}

export async function makeRecords(
  app: TestApp,
  { scoped, directoryId, factorEmail, ids }: Start & UserRecords & MfaRecords,
): Promise<MfaLoginRecords> {
  const { directory } = await getWorkIn(app.app.platform, directoryId)
  const totp = await plantTotp(app, directory, ids.factorUser, true)
  const pending = await plantTotp(app, directory, ids.pendingUser, false)
  const { challenge_token } = succeeded(await signInByLink(scoped, factorEmail))
  return {
    factorSecret: totp.secret,
    pendingSecret: pending.secret,
    ids: { pendingTotp: pending.id, challengeToken: challenge_token },
  }
}

// The code of the next time step is accepted too, and has not been used.
export const samples: Samples = {
  'GET /v1/mfa/totp': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'POST /v1/mfa/totp': ({ ids }) => ({ body: { userId: ids.user } }),
  'PUT /v1/mfa/totp': ({ ids, pendingSecret }) => ({
    body: { userId: ids.pendingUser, pendingId: ids.pendingTotp, code: codeOf(pendingSecret, 1) },
  }),
  'DELETE /v1/mfa/totp': ({ ids }) => ({ query: { userId: ids.factorUser }, body: { userId: ids.factorUser } }),
  'POST /v1/mfa/totp/backup-codes': ({ ids }) => ({ body: { userId: ids.factorUser } }),
  'POST /v1/mfa/challenge/verify': ({ ids, factorSecret }) => ({
    body: { challenge_token: ids.challengeToken, code: codeOf(factorSecret, 1), trust_device: true },
  }),
  'POST /v1/auth/mfa/challenge/send': ({ ids }) => ({ body: { challenge_token: ids.challengeToken, method: 'sms' } }),
}

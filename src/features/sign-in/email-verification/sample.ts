import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import type { LinkRecords } from '../links/sample.ts'

/** The link that `linkUser` gets to verify the address. */
export interface VerificationRecords {
  ids: { verificationLink: string }
}

export async function makeRecords(
  app: TestApp,
  { scoped, linkEmail, ids }: Start & LinkRecords,
): Promise<VerificationRecords> {
  succeeded(await scoped.post(`/v1/users/${ids.linkUser}/verify/resend`, {}))
  return { ids: { verificationLink: (await mailedLink(app, linkEmail, 'email_verification')).token_hash } }
}

export const samples: Samples = {
  'POST /v1/users/{userId}/verify/resend': ({ ids }) => ({ params: { userId: ids.linkUser } }),
  'POST /v1/auth/email/verify': ({ ids, linkEmail }) => ({
    body: { email: linkEmail, token_hash: ids.verificationLink },
  }),
}

import { freshEmail, freshPassword } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** Two new people: one was mailed a code, the other a link. */
export interface SignupRecords {
  signupEmail: string
  signupCode: string
  newcomerEmail: string
  ids: { signupOtp: string; signupLink: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<SignupRecords> {
  const [byCode, byLink] = [freshEmail('eve'), freshEmail('fay')]
  const sent = succeeded(await scoped.post('/v1/auth/signup/otp/send', { email: byCode, openSignup: true }))
  succeeded(await scoped.post('/v1/auth/signup/authenticate-email/send', { email: byLink, openSignup: true }))
  return {
    signupEmail: byCode,
    signupCode: await mailedCode(app, byCode),
    newcomerEmail: byLink,
    ids: { signupOtp: sent.otp_id, signupLink: (await mailedLink(app, byLink, 'signup_link')).token_hash },
  }
}

export const samples: Samples = {
  'POST /v1/auth/signup': () => ({ body: { email: freshEmail(), openSignup: true } }),
  'POST /v1/auth/signup/password': () => ({
    body: { email: freshEmail(), password: freshPassword(), openSignup: true },
  }),
  'POST /v1/auth/signup/otp/send': () => ({ body: { email: freshEmail(), openSignup: true } }),
  'POST /v1/auth/signup/otp/verify': ({ ids, signupEmail, signupCode }) => ({
    body: { email: signupEmail, otp_id: ids.signupOtp, code: signupCode },
  }),
  'POST /v1/auth/signup/authenticate-email/send': () => ({ body: { email: freshEmail(), openSignup: true } }),
  'POST /v1/auth/signup/authenticate-email/verify': ({ ids, newcomerEmail }) => ({
    body: { email: newcomerEmail, token_hash: ids.signupLink },
  }),
}

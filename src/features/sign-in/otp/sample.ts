import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A code of the generator, and a sign-in code that was mailed to a second user. */
export interface OtpRecords {
  generatedCode: string
  loginEmail: string
  loginCode: string
  ids: { generatedOtp: string; loginOtp: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<OtpRecords> {
  const { otp_id: generatedOtp, code } = succeeded(await scoped.post('/v1/otp/generate', {}))
  const email = freshEmail('bob')
  succeeded(await scoped.post('/v1/users', { email }))
  const { otp_id: loginOtp } = succeeded(await scoped.post('/v1/auth/login/otp/send', { email }))
  const loginCode = await mailedCode(app, email)
  return { generatedCode: code, loginEmail: email, loginCode, ids: { generatedOtp, loginOtp } }
}

export const samples: Samples = {
  'POST /v1/otp/generate': () => ({ body: { session_id: 'checkout-1' } }),
  'POST /v1/otp/validate': ({ ids, generatedCode }) => ({ body: { otp_id: ids.generatedOtp, code: generatedCode } }),
  'GET /v1/otp/settings': () => ({}),
  'PATCH /v1/otp/settings': () => ({ body: { ttl_seconds: 120 } }),
  'PATCH /v1/otp/settings/defaults': () => ({ body: { ttl_seconds: 240 } }),
  'POST /v1/auth/login/otp/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/otp/verify': ({ ids, loginEmail, loginCode }) => ({
    body: { email: loginEmail, otp_id: ids.loginOtp, code: loginCode },
  }),
}

export const orgWideOnly = ['PATCH /v1/otp/settings/defaults']

export const notIds = {
  'POST /v1/otp/generate session_id': 'a name of the caller’s choice',
  'POST /v1/otp/validate session_id': 'a name of the caller’s choice',
}

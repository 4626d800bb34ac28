import { succeeded } from '../../../test/factors.ts'
import { freshEmail } from '../../../test/fresh.ts'
import type { TestApp } from '../../../test/harness.ts'
import type { Start } from '../../../test/records.ts'
import type { Samples } from '../../../test/samples.ts'
import { mailedCode } from '../../../test/sign-in.ts'

/** A second user has been mailed a sign-in code. */
export interface OtpLoginRecords {
  loginEmail: string
  loginCode: string
  ids: { loginOtp: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<OtpLoginRecords> {
  const email = freshEmail('bob')
  succeeded(await scoped.post('/v1/users', { email }))
  const { otp_id } = succeeded(await scoped.post('/v1/auth/login/otp/send', { email }))
  return { loginEmail: email, loginCode: await mailedCode(app, email), ids: { loginOtp: otp_id } }
}

export const samples: Samples = {
  'POST /v1/auth/login/otp/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/otp/verify': ({ ids, loginEmail, loginCode }) => ({
    body: { email: loginEmail, otp_id: ids.loginOtp, code: loginCode },
  }),
}

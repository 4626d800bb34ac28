import { succeeded } from '../../../test/factors.ts'
import type { TestApp } from '../../../test/harness.ts'
import type { Start } from '../../../test/records.ts'
import type { Samples } from '../../../test/samples.ts'

export interface OtpRecords {
  generatedCode: string
  ids: { generatedOtp: string }
}

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<OtpRecords> {
  const { otp_id, code } = succeeded(await scoped.post('/v1/otp/generate', {}))
  return { generatedCode: code, ids: { generatedOtp: otp_id } }
}

export const samples: Samples = {
  'POST /v1/otp/generate': () => ({ body: { session_id: 'checkout-1' } }),
  'POST /v1/otp/validate': ({ ids, generatedCode }) => ({ body: { otp_id: ids.generatedOtp, code: generatedCode } }),
  'GET /v1/otp/settings': () => ({}),
  'PATCH /v1/otp/settings': () => ({ body: { ttl_seconds: 120 } }),
  'PATCH /v1/otp/settings/defaults': () => ({ body: { ttl_seconds: 240 } }),
}

export const orgWideOnly = ['PATCH /v1/otp/settings/defaults']

export const notIds = {
  'POST /v1/otp/generate session_id': 'a name of the caller’s choice',
  'POST /v1/otp/validate session_id': 'a name of the caller’s choice',
}

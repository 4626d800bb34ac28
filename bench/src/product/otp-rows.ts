import type { Bench, Measurement, Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import { callAll, measureRequests, post } from './deployment.ts'

/** One-time codes of the generator: API key checked, row committed before the answer. */
export const otpRows: Row[] = [
  row('otp-generate', 'OTP generate', (bench) =>
    measureRequests(bench, { requests: [post('/v1/otp/generate', {})], expect: '"otp_id"' }),
  ),
  row('otp-validate', 'OTP validate, each code once', measureValidate),
]

function row(id: string, title: string, measure: Row['measure']): Row {
  return {
    id,
    title,
    kind: 'watchword',
    unit: '/s',
    targets: [
      { of: 'http-post', on: 'value', bound: 'at least', figure: 0.5 },
      { of: 'better-auth-otp-send', on: 'value', bound: 'at least', figure: 10 },
      { of: `limit-${id}`, on: 'value', bound: 'at least', figure: null },
    ],
    measure,
  }
}

async function measureValidate(bench: Bench): Promise<Measurement> {
  // As many codes as the fastest machine seen could use up in one measurement.
  const count = 30_000 * bench.seconds
  const made = await callAll(bench, Array(count).fill(post('/v1/otp/generate', {})))
  const requests = made.map((body) =>
    post('/v1/otp/validate', { otp_id: readText(body, 'otp_id'), code: readText(body, 'code') }),
  )
  return await measureRequests(bench, { requests, mode: 'once', expect: '"valid":true' })
}

import { BASE, type Bench, type Measurement, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import type { LoadRequest } from '../load.ts'
import { callAll, measureRequests, post } from './deployment.ts'

const CODES_PER_ROUND = 20_000

/** One-time codes of the generator: API key checked, row committed before the answer. */
export const otpRows: Row[] = [
  row('otp-generate', 'OTP generate', (bench) =>
    measureRequests(bench, {
      requests: [post('/v1/otp/generate', {})],
      expect: '"otp_id"',
      count: CODES_PER_ROUND,
      seconds: 60,
    }),
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
      { of: 'better-auth-otp-send', on: 'value', bound: 'at least', figure: null },
      { of: BASE, on: 'cpuUs', bound: 'at most', figure: null },
    ],
    measure,
  }
}

async function measureValidate(bench: Bench): Promise<Measurement> {
  const requests = await prepareValidations(bench, CODES_PER_ROUND)
  return await measureRequests(bench, { requests, mode: 'once', expect: '"valid":true', seconds: 60 })
}

/** Fresh codes: the requests that validate them. */
export async function prepareValidations(bench: Bench, count: number): Promise<LoadRequest[]> {
  const made = await callAll(bench, Array(count).fill(post('/v1/otp/generate', {})))
  return made.map((body) =>
    post('/v1/otp/validate', { otp_id: readText(body, 'otp_id'), code: readText(body, 'code') }),
  )
}

import type { Bench, Measurement, Row } from '../bench.ts'
import { median } from '../statistics.ts'
import { createOrganization, createUsers, getDeployment, makeEmails, post } from './deployment.ts'

const SAMPLES = 2000

/**
 * Whether a request for a sign-in code tells by its time if somebody has the address: known and unknown addresses in
 * turn, one request at a time, compared by the Mann-Whitney U test (two-sided, normal approximation).
 */
export const enumerationRow: Row = {
  id: 'enumeration-otp-send',
  title: `OTP send: gap of the medians, known and unknown address, ${SAMPLES} samples each`,
  kind: 'watchword',
  unit: 'ms',
  targets: [{ of: null, on: 'value', bound: 'at most', figure: 2 }],
  measure,
}

async function measure(bench: Bench): Promise<Measurement> {
  const subOrgId = await createOrganization(bench)
  const known = makeEmails(SAMPLES)
  await createUsers(
    bench,
    subOrgId,
    known.map((email) => ({ email })),
  )
  const unknown = makeEmails(SAMPLES)
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
  const send = await sender(bench, subOrgId)
  for (const [i, email] of known.entries()) {
    const other = unknown[i] ?? ''
    // Who is first alternates, so that whatever follows a request does not fall on one kind alone.
    if (i % 2 === 0) times.known.push(await send(email))
    times.unknown.push(await send(other))
    if (i % 2 === 1) times.known.push(await send(email))
  }
  const gap = Math.abs((median(times.known) ?? 0) - (median(times.unknown) ?? 0))
  const p = mannWhitney(times.known, times.unknown)
  const problems = p < 0.01 ? [`the times differ: p = ${p.toExponential(1)}`] : []
  console.error(`enumeration-otp-send: gap of the medians ${gap.toFixed(3)} ms, p = ${p.toPrecision(2)}`)
  return { value: gap, p50Ms: median(times.known), p99Ms: null, problems }
}

/** Sends one code and returns how long the answer took, in milliseconds. */
async function sender(bench: Bench, subOrgId: string): Promise<(email: string) => Promise<number>> {
  const { watchword, headers } = await getDeployment(bench)
  const { path } = post('/v1/auth/login/otp/send', {})
  return async (email) => {
    const start = performance.now()
    const reply = await fetch(watchword.baseUrl + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ email, subOrgId }),
    })
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(`OTP send answered ${reply.status}`)
    return performance.now() - start
  }
}

/** Two-sided p-value that two samples come from one distribution. */
export function mannWhitney(a: number[], b: number[]): number {
  const all = [...a.map((value) => ({ value, first: true })), ...b.map((value) => ({ value, first: false }))]
  all.sort((x, y) => x.value - y.value)
  let rankSum = 0
  for (let start = 0; start < all.length; ) {
    let end = start + 1
    while (end < all.length && all[end]?.value === all[start]?.value) end++
    // Equal values share the mean of their ranks.
    const rank = (start + end + 1) / 2
    for (let i = start; i < end; i++) if (all[i]?.first) rankSum += rank
    start = end
  }
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  return 2 * (1 - normalCumulative(Math.abs(u - mean) / deviation))
}

/** Abramowitz and Stegun 26.2.17; the error is below 7.5e-8. */
function normalCumulative(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
}

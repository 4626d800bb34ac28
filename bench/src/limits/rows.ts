import { type Bench, type Measurement, measureLoad, oncePerRun, type Row, toMeasurement } from '../bench.ts'
import { readText } from '../json-field.ts'
import { type LoadPlan, type LoadRequest, runLoad } from '../load.ts'
import { post, sendAll } from '../product/deployment.ts'
import { LOGINS_AT_ONCE } from '../product/password-rows.ts'
import { PASSWORD } from '../references/hash-cost.ts'
import { getLimits, prepareChallenges, prepareCodes, prepareLinks } from './data.ts'
import { firstCodeProof, knownCodeProof } from './proofs.ts'

// A measurement that uses them up ends early.
const CODES_PER_SECOND = 30_000
const SIGN_INS_PER_SECOND = 8000
const PASSWORDS_PER_SECOND = 500

/** What the same durable work costs a bare server that does nothing else, written for it alone. */
export const limitRows: Row[] = [
  row('limit-otp-generate', 'the least work of otp-generate', (bench) =>
    measure(bench, { requests: [post('/otp/generate', {})], expect: '"otp_id"' }),
  ),
  row('limit-otp-validate', 'the least work of otp-validate', measureValidate),
  row('limit-introspect', 'the least work of token-introspect', measureIntrospection),
  row('limit-otp-verify', 'the least work of login-otp-verify', (bench) =>
    measureSignIns(bench, (count) => prepareCodes(bench, count, knownCodeProof)),
  ),
  row('limit-first-verify', 'the least work of login-first-verify', (bench) =>
    measureSignIns(bench, (count) => prepareCodes(bench, count, firstCodeProof)),
  ),
  row('limit-link-verify', 'the least work of magic-link-verify', (bench) =>
    measureSignIns(bench, (count) => prepareLinks(bench, count)),
  ),
  row('limit-challenge-verify', 'the least work of mfa-challenge-verify', (bench) =>
    measureSignIns(bench, (count) => prepareChallenges(bench, count)),
  ),
  {
    ...row('limit-password', 'the least work of password-login', measurePassword),
    targets: [{ of: 'hash', on: 'value', bound: 'at least', figure: null }],
  },
  row('limit-refresh', 'the least work of token-refresh', measureRefresh),
]

function row(id: string, title: string, measure: Row['measure']): Row {
  const targets: Row['targets'] = [{ of: 'http-post', on: 'value', bound: 'at least', figure: null }]
  return { id, title: `Limit: ${title}`, kind: 'reference', unit: '/s', targets, measure }
}

async function measure(bench: Bench, plan: Partial<LoadPlan> & { requests: LoadRequest[] }): Promise<Measurement> {
  const { baseUrl, headers } = await getLimits(bench)
  return await measureLoad(bench, { baseUrl, headers, ...plan })
}

async function callAll(bench: Bench, requests: LoadRequest[]): Promise<string[]> {
  const { baseUrl, headers } = await getLimits(bench)
  return await sendAll({ baseUrl, headers, requests, connections: bench.connections })
}

async function measureValidate(bench: Bench): Promise<Measurement> {
  const made = await callAll(bench, Array(CODES_PER_SECOND * bench.seconds).fill(post('/otp/generate', {})))
  const requests = made.map((body) =>
    post('/otp/validate', { otp_id: readText(body, 'otp_id'), code: readText(body, 'code') }),
  )
  return await measure(bench, { requests, mode: 'once', expect: '"valid":true' })
}

async function measureSignIns(bench: Bench, prepare: (count: number) => Promise<LoadRequest[]>): Promise<Measurement> {
  const requests = await prepare(SIGN_INS_PER_SECOND * bench.seconds)
  return await measure(bench, { requests, mode: 'once', expect: '"access_token"' })
}

/** A sign-in that verifies a password besides. */
async function measurePassword(bench: Bench): Promise<Measurement> {
  const links = await prepareLinks(bench, PASSWORDS_PER_SECOND * bench.seconds)
  const requests = links.map(({ body }) => post('/password', { ...JSON.parse(body ?? ''), password: PASSWORD }))
  return await measure(bench, { requests, connections: LOGINS_AT_ONCE, mode: 'once', expect: '"access_token"' })
}

/** A session for each connection; `refreshTokens` are the newest of their chains. */
const getSessions = oncePerRun(async (bench) => {
  const answers = await callAll(bench, await prepareLinks(bench, bench.connections))
  await bench.settle()
  return {
    accessTokens: answers.map((body) => readText(body, 'session.access_token')),
    refreshTokens: answers.map((body) => readText(body, 'session.refresh_token')),
  }
})

async function measureIntrospection(bench: Bench): Promise<Measurement> {
  const { subOrgId } = await getLimits(bench)
  const { accessTokens } = await getSessions(bench)
  const requests = accessTokens.map((token) => post('/introspect', { token, subOrgId }))
  return await measure(bench, { requests, expect: '"active":true' })
}

async function measureRefresh(bench: Bench): Promise<Measurement> {
  const { baseUrl, headers, subOrgId } = await getLimits(bench)
  const sessions = await getSessions(bench)
  const placeholder = 'REFRESH_TOKEN'
  const request = post('/refresh', { refresh_token: placeholder, subOrgId })
  const result = await runLoad({
    baseUrl,
    headers,
    connections: bench.connections,
    seconds: bench.seconds,
    mode: 'chain',
    requests: sessions.refreshTokens.map(() => request),
    chain: { field: 'session.refresh_token', placeholder, values: sessions.refreshTokens },
    expect: '"refresh_token"',
  })
  sessions.refreshTokens = result.values
  return toMeasurement(result)
}

import {
  BASE,
  type Bench,
  cpuTarget,
  type Measurement,
  oncePerRun,
  type Row,
  type Target,
  toMeasurement,
} from '../bench.ts'
import { readText } from '../json-field.ts'
import { type LoadRequest, runLoad } from '../load.ts'
import { cpuSecondsOf } from '../process-stat.ts'
import {
  callAll,
  createOrganization,
  getDeployment,
  measureRequests,
  post,
  prepareLogins,
  prepareMagicLinks,
} from './deployment.ts'

// One send an address is all that the limits of the product allow within a round.
const LOGINS_PER_ROUND = 4000
// A link needs no mail to be read: more of them are as quickly prepared.
const LINKS_PER_ROUND = 8000
const REFRESHES_PER_ROUND = 12_000
const INTROSPECTIONS_PER_ROUND = 20_000

/** From first factor to session, and what a session is used for. */
export const loginRows: Row[] = [
  row('login-otp-verify', 'login OTP verify → session', [peer('better-auth-otp-verify'), cpuTarget], (bench) =>
    measureVerify(bench, { emailVerified: true }),
  ),
  row(
    'login-first-verify',
    'the same, the first sign-in of an unproved mailbox',
    [peer('better-auth-otp-verify'), cpuTarget],
    (bench) => measureVerify(bench, { emailVerified: false }),
  ),
  row(
    'magic-link-verify',
    'magic-link verify → session',
    [peer('better-auth-link-verify'), cpuTarget],
    measureMagicLink,
  ),
  row('token-refresh', 'refresh with rotation, a chain a connection', [cpuTarget], measureRefresh),
  row(
    'token-introspect',
    'token introspection',
    [
      { of: 'better-auth-session', on: 'value', bound: 'at least', figure: null },
      { of: BASE, on: 'cpuUs', bound: 'at most', figure: null },
    ],
    measureIntrospection,
  ),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

function peer(of: string): Target {
  return { of, on: 'value', bound: 'at least', figure: 4 }
}

const getOrganization = oncePerRun(createOrganization)

async function measureVerify(bench: Bench, users: { emailVerified: boolean }): Promise<Measurement> {
  const requests = await prepareLogins(bench, await getOrganization(bench), { count: LOGINS_PER_ROUND, ...users })
  return await measureRequests(bench, { requests, mode: 'once', expect: '"access_token"' })
}

async function measureMagicLink(bench: Bench): Promise<Measurement> {
  const requests = await prepareMagicLinks(bench, await getOrganization(bench), LINKS_PER_ROUND)
  return await measureRequests(bench, { requests, mode: 'once', expect: '"access_token"' })
}

/** A session for each connection; `refreshTokens` are the newest of their chains. */
const getSessions = oncePerRun(async (bench) => {
  const subOrgId = await getOrganization(bench)
  const answers = await callAll(
    bench,
    await prepareLogins(bench, subOrgId, { count: bench.connections, emailVerified: true }),
  )
  await bench.settle()
  return {
    subOrgId,
    accessTokens: answers.map((body) => readText(body, 'session.access_token')),
    refreshTokens: answers.map((body) => readText(body, 'session.refresh_token')),
  }
})

async function measureRefresh(bench: Bench): Promise<Measurement> {
  const { watchword, headers } = await getDeployment(bench)
  const sessions = await getSessions(bench)
  const { subOrgId, refreshTokens } = sessions
  const placeholder = 'REFRESH_TOKEN'
  const request = post('/v1/auth/token/refresh', { refresh_token: placeholder, subOrgId })
  const before = cpuSecondsOf(watchword.pid)
  const result = await runLoad({
    baseUrl: watchword.baseUrl,
    headers,
    connections: bench.connections,
    count: REFRESHES_PER_ROUND,
    seconds: 60,
    mode: 'chain',
    requests: refreshTokens.map(() => request),
    chain: { field: 'session.refresh_token', placeholder, values: refreshTokens },
    expect: '"refresh_token"',
  })
  sessions.refreshTokens = result.values
  return toMeasurement(result, cpuSecondsOf(watchword.pid) - before)
}

async function measureIntrospection(bench: Bench): Promise<Measurement> {
  const requests = await prepareIntrospections(bench)
  return await measureRequests(bench, {
    requests,
    expect: '"active":true',
    count: INTROSPECTIONS_PER_ROUND,
    seconds: 60,
  })
}

/** Introspections of live sessions, one for each connection. */
export async function prepareIntrospections(bench: Bench): Promise<LoadRequest[]> {
  const { subOrgId, accessTokens } = await getSessions(bench)
  return accessTokens.map((token) => post('/v1/auth/token/introspect', { token, subOrgId }))
}

import { type Bench, type Measurement, oncePerRun, type Row, type Target, toMeasurement } from '../bench.ts'
import { readText } from '../json-field.ts'
import { runLoad } from '../load.ts'
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

/** From first factor to session, and what a session is used for. */
export const loginRows: Row[] = [
  row(
    'login-otp-verify',
    'login OTP verify → session',
    [ceiling(0.2), beside('better-auth-otp-verify'), beside('limit-otp-verify')],
    (bench) => measureVerify(bench, { emailVerified: true }),
  ),
  row(
    'login-first-verify',
    'the same, the first sign-in of an unproved mailbox',
    [ceiling(0.1), beside('better-auth-otp-verify'), beside('limit-first-verify')],
    (bench) => measureVerify(bench, { emailVerified: false }),
  ),
  row(
    'magic-link-verify',
    'magic-link verify → session',
    [ceiling(0.15), beside('better-auth-link-verify'), beside('limit-link-verify')],
    measureMagicLink,
  ),
  row(
    'token-refresh',
    'refresh with rotation, a chain a connection',
    [ceiling(0.25), beside('limit-refresh')],
    measureRefresh,
  ),
  row('token-introspect', 'token introspection', [ceiling(0.5), beside('limit-introspect')], measureIntrospection),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

function ceiling(figure: number): Target {
  return { of: 'http-post', on: 'value', bound: 'at least', figure }
}

/** Only shown, not judged: a peer, or the limit of the same work. */
function beside(of: string): Target {
  return { of, on: 'value', bound: 'at least', figure: null }
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
  const result = await runLoad({
    baseUrl: watchword.baseUrl,
    headers,
    connections: bench.connections,
    seconds: bench.seconds,
    mode: 'chain',
    requests: refreshTokens.map(() => request),
    chain: { field: 'session.refresh_token', placeholder, values: refreshTokens },
    expect: '"refresh_token"',
  })
  sessions.refreshTokens = result.values
  return toMeasurement(result)
}

async function measureIntrospection(bench: Bench): Promise<Measurement> {
  const { subOrgId, accessTokens } = await getSessions(bench)
  const requests = accessTokens.map((token) => post('/v1/auth/token/introspect', { token, subOrgId }))
  return await measureRequests(bench, { requests, expect: '"active":true' })
}

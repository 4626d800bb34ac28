import { type Bench, type Measurement, type Row, toFigure } from '../bench.ts'
import type { LoadRequest } from '../load.ts'
import { query } from '../postgres.ts'
import { median } from '../statistics.ts'
import { callAll, callOnce, createOrganization, createUsers, getDeployment, makeEmails, post } from './deployment.ts'

const SAMPLES = 2000

interface Asked {
  id: string
  status: number
  request(email: string, subOrgId: string): LoadRequest
  /** Of the known users. */
  isProved?: true
  /** The known are invited, and have not accepted. */
  isInvited?: true
  /** Gives the known what the answer must not show. */
  prepare?(bench: Bench, subOrgId: string, known: string[]): Promise<void>
  /** What is missing of what the known were to get, without which there was nothing to hide. */
  missing?(bench: Bench): Promise<string[]>
}

/** The routes whose answer does not depend on whether a user has the address. */
const routes: Asked[] = [
  send('otp-send', '/v1/auth/login/otp/send'),
  send('magic-link-send', '/v1/auth/login/magic-link/send'),
  send('reset-send', '/v1/auth/password/reset/send'),
  send('signup-otp-send', '/v1/auth/signup/otp/send'),
  send('signup-otp-send-open', '/v1/auth/signup/otp/send', { openSignup: true }),
  send('passkey-options', '/v1/auth/login/passkey/options'),
  inEnvironment('passkey-options-environment', '/v1/auth/login/passkey/options'),
  send('authenticate-email-send', '/v1/auth/signup/authenticate-email/send'),
  send('authenticate-email-send-open', '/v1/auth/signup/authenticate-email/send', { openSignup: true }),
  inEnvironment('discovery-otp-send', '/v1/auth/discovery/otp/send'),
  inEnvironment('discovery-magic-link-send', '/v1/auth/discovery/magic-link/send'),
  {
    ...send('otp-send-sms', '/v1/auth/login/otp/send', { channel: 'sms' }),
    isProved: true,
    prepare: enrolPhones,
    missing: missingSms,
  },
  inEnvironment('sso-discover', '/v1/auth/login/sso/discover'),
  { ...send('otp-send-invited', '/v1/auth/login/otp/send'), isInvited: true },
  {
    id: 'password-login',
    status: 401,
    prepare: setPasswords,
    request: (email, subOrgId) => post('/v1/auth/login/password', { email, password: 'not the password', subOrgId }),
  },
]

function send(id: string, path: string, more: object = {}): Asked {
  return { id, status: 200, request: (email: string, subOrgId: string) => post(path, { email, subOrgId, ...more }) }
}

/** Without an organization. */
function inEnvironment(id: string, path: string): Asked {
  return { id, status: 200, request: (email) => post(path, { email }) }
}

/**
 * Whether the time of a request reveals that a user has the address: known and unknown addresses in random order, one
 * request at a time, compared by the Mann-Whitney U test (two-sided, normal approximation).
 */
export const enumerationRows: Row[] = routes.map((route) => ({
  id: `enumeration-${route.id}`,
  title: `${route.id}: gap of the medians, known and unknown address, ${SAMPLES} samples each`,
  kind: 'watchword',
  unit: 'ms',
  targets: [{ of: null, on: 'value', bound: 'at most', figure: 2 }],
  measure: (bench) => measure(bench, route),
}))

async function measure(bench: Bench, route: Asked): Promise<Measurement> {
  const subOrgId = await createOrganization(bench)
  const known = makeEmails(SAMPLES)
  if (route.isInvited) await invite(bench, subOrgId, known)
  else
    await createUsers(
      bench,
      subOrgId,
      known.map((email) => ({ email, ...(route.isProved ? { emailVerified: true } : {}) })),
    )
  await route.prepare?.(bench, subOrgId, known)
  const ask = await asker(bench, route, subOrgId)
  const times = { known: [] as number[], unknown: [] as number[] }
  // A message that is being sent slows the next request: a random order spreads that over both kinds.
  for (const [email, kind] of shuffled(known, makeEmails(SAMPLES))) times[kind].push(await ask(email))
  const later = (median(times.known) ?? 0) - (median(times.unknown) ?? 0)
  const gap = Math.abs(later)
  const p = mannWhitney(times.known, times.unknown)
  const missing = (await route.missing?.(bench)) ?? []
  const problems = [...missing, ...(p < 0.01 ? [`the times differ: p = ${p.toExponential(1)}`] : [])]
  const who = later < 0 ? 'nobody' : 'somebody'
  console.error(`enumeration-${route.id}: ${gap.toFixed(3)} ms longer for ${who} (medians), p = ${p.toPrecision(2)}`)
  return { ...toFigure(gap, problems), p50Ms: median(times.known) }
}

function shuffled(known: string[], unknown: string[]) {
  const all = [
    ...known.map((email) => [email, 'known'] as const),
    ...unknown.map((email) => [email, 'unknown'] as const),
  ]
  return all
    .map((one) => [Math.random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)
}

async function invite(bench: Bench, subOrgId: string, emails: string[]): Promise<void> {
  await callAll(
    bench,
    emails.map((email) => post('/v1/users/invites', { subOrgId, email, deliver: false })),
  )
}

/** A password for each, so that the known are checked against their own. */
async function setPasswords(bench: Bench, subOrgId: string, emails: string[]): Promise<void> {
  const { watchword, headers } = await getDeployment(bench)
  const ids = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const query = `subOrgId=${subOrgId}&limit=1000${cursor && `&cursor=${cursor}`}`
    const reply = await fetch(`${watchword.baseUrl}/v1/users?${query}`, { headers })
    const page: { users: { id: string; email: string }[]; next_cursor: string | null } = JSON.parse(await reply.text())
    for (const user of page.users) ids.set(user.email, user.id)
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  const password = 'correct horse battery staple'
  await callAll(
    bench,
    emails.map((email) => ({
      method: 'PUT',
      path: `/v1/users/${ids.get(email)}/password`,
      body: JSON.stringify({ password, subOrgId }),
    })),
    // As many as the hashers take.
    4,
  )
}

/**
 * A phone for each, to which codes may go. Written by SQL: to enrol one takes a code that was sent to it. Without the
 * service mfa a phone suffices.
 */
async function enrolPhones(bench: Bench, subOrgId: string): Promise<void> {
  const settings = { sms_allowed_countries: ['US'], sms_daily_limit: 100_000 }
  await callOnce(bench, { method: 'PATCH', path: '/v1/otp/settings', body: JSON.stringify({ subOrgId, ...settings }) })
  const signIn = JSON.stringify({ subOrgId, sms_sign_in_enabled: true })
  await callOnce(bench, { method: 'PATCH', path: '/v1/auth/settings', body: signIn })
  // Before the service is switched off, which closes this route as well. The policy allows no SMS unless it says so.
  const policy = JSON.stringify({ subOrgId, allowed_methods: ['totp', 'backup', 'sms'] })
  await callOnce(bench, { method: 'PATCH', path: '/v1/mfa/policy', body: policy })
  const services = JSON.stringify({ subOrgId, enabledAppIds: ['auth', 'otp'] })
  await callOnce(bench, { method: 'PUT', path: '/v1/organization-apps', body: services })
  const { databaseUrl } = await getDeployment(bench)
  await query(
    databaseUrl,
    `with people as (
       select directory_id, users.id, row_number() over () as n
       from users join directories on directories.id = directory_id where organization_id = $1),
     phones as (
       insert into mfa_phones (directory_id, user_id, id, phone, confirmed_at)
       select directory_id, id, gen_random_uuid(), '+1415555' || lpad((n - 1)::text, 4, '0'), now() from people
       returning directory_id, user_id)
     update users set mfa_enrolled = true from phones
     where users.directory_id = phones.directory_id and users.id = phones.user_id`,
    [subOrgId],
  )
}

async function missingSms(bench: Bench): Promise<string[]> {
  const { sms } = await getDeployment(bench)
  return (await sms.receives(SAMPLES, 120)) ? [] : ['not every known user got a text message']
}

/** Asks once and returns how long the answer took, in milliseconds. */
async function asker(bench: Bench, route: Asked, subOrgId: string) {
  const { watchword, headers } = await getDeployment(bench)
  return async (email: string): Promise<number> => {
    const { path, body = '' } = route.request(email, subOrgId)
    const start = performance.now()
    const reply = await fetch(watchword.baseUrl + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    await reply.arrayBuffer()
    if (reply.status !== route.status) throw new Error(`${path} answered ${reply.status}`)
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

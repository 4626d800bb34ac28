import { type Bench, type Measurement, measureLoad, oncePerRun } from '../bench.ts'
import { readText } from '../json-field.ts'
import { describeFailures, type LoadPlan, type LoadRequest, runLoad } from '../load.ts'
import { findWordPair, type MailSink, startMailSink } from '../mail-sink.ts'
import { getPostgres, query } from '../postgres.ts'
import { type SmsSink, startSmsSink } from '../sms-sink.ts'
import { startWatchword, type Watchword } from '../watchword.ts'

/** The product under measurement, with the database and the mail server it uses. */
export interface Deployment {
  watchword: Watchword
  databaseUrl: string
  mail: MailSink
  sms: SmsSink
  headers: Record<string, string>
}

/** The run's one deployment: one process on a database of its own. */
export const getDeployment = oncePerRun(async (bench): Promise<Deployment> => {
  const postgres = await getPostgres(bench)
  const databaseUrl = await postgres.createDatabase('watchword')
  const mail = await startMailSink()
  bench.atEnd(mail.stop)
  const sms = await startSmsSink()
  bench.atEnd(sms.stop)
  const watchword = await startWatchword(
    {
      DATABASE_URL: databaseUrl,
      SMTP_URL: mail.url,
      WATCHWORD_MAIL_FROM: 'Bench <bench@example.com>',
      WATCHWORD_SMS_URL: sms.url,
      WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
      // Pages are requested from one network.
      WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    },
    bench.root,
  )
  bench.atEnd(watchword.stop)
  bench.beforeEach(() => settle(databaseUrl))
  return { watchword, databaseUrl, mail, sms, headers: { 'x-api-key': watchword.apiKey } }
})

export function post(path: string, body: unknown): LoadRequest {
  return { method: 'POST', path, body: JSON.stringify(body) }
}

/** Measures requests against the deployment. */
export async function measureRequests(
  bench: Bench,
  plan: Partial<LoadPlan> & { requests: LoadRequest[] },
): Promise<Measurement> {
  const { watchword, headers } = await getDeployment(bench)
  return await measureLoad(bench, { baseUrl: watchword.baseUrl, headers, ...plan }, watchword.pid)
}

/** Sends each request once, to prepare a measurement; returns the answers' bodies. Throws at any failure. */
export async function callAll(
  bench: Bench,
  requests: LoadRequest[],
  connections = bench.connections,
): Promise<string[]> {
  const { watchword, headers } = await getDeployment(bench)
  return await sendAll({ baseUrl: watchword.baseUrl, headers, requests, connections })
}

/** The same to any server. */
export async function sendAll(
  plan: Pick<LoadPlan, 'baseUrl' | 'headers' | 'requests' | 'connections'>,
): Promise<string[]> {
  const result = await runLoad({ ...plan, mode: 'once', seconds: 300, collect: true })
  const failures = describeFailures(result)
  const [first] = plan.requests
  if (failures.length > 0) throw new Error(`${first?.method} ${first?.path}: ${failures.join()}`)
  return result.bodies
}

/** One request to prepare a measurement; returns the answer's body. */
export async function callOnce(bench: Bench, request: LoadRequest): Promise<string> {
  const [body] = await callAll(bench, [request])
  return body ?? ''
}

let organizationCount = 0

/** A fresh organization; returns its id. */
export async function createOrganization(bench: Bench): Promise<string> {
  const slug = `bench-${++organizationCount}`
  const id = readText(await callOnce(bench, post('/v1/organizations', { name: slug, slug })), 'subOrganization.id')
  // More mail than the limits against abuse let through.
  const limits = { send_limit_per_hour_organization: 1_000_000, send_limit_per_hour_key: 1_000_000 }
  for (const path of ['/v1/otp/settings/defaults', '/v1/otp/settings'])
    await callOnce(bench, {
      method: 'PATCH',
      path,
      body: JSON.stringify(path.endsWith('s/defaults') ? limits : { ...limits, subOrgId: id }),
    })
  // The same people sign in again and again.
  const often = JSON.stringify({ subOrgId: id, sign_in_rate_limit_per_minute: 10_000 })
  await callOnce(bench, { method: 'PATCH', path: '/v1/auth/settings', body: often })
  return id
}

/** Creates users by PUT /v1/users, 500 at a time. */
export async function createUsers(
  bench: Bench,
  subOrgId: string,
  users: { email: string; emailVerified?: boolean }[],
): Promise<void> {
  for (let from = 0; from < users.length; from += 500) {
    const answer = await callOnce(bench, putUsers(subOrgId, users.slice(from, from + 500)))
    const { created }: { created: unknown[] } = JSON.parse(answer)
    if (created.length !== Math.min(500, users.length - from))
      throw new Error(`Bulk create made ${created.length}: ${answer.slice(0, 300)}`)
  }
}

/** Does what PostgreSQL would do by itself in the next minutes: beside a measurement it would take a share of the cores. */
async function settle(databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'vacuum analyze')
  await query(databaseUrl, 'checkpoint')
}

export function putUsers(subOrgId: string, users: { email: string }[]): LoadRequest {
  return { method: 'PUT', path: '/v1/users', body: JSON.stringify({ subOrgId, users }) }
}

/** `count` addresses that no other call in this run returned. */
export function makeEmails(count: number): string[] {
  const batch = ++emailBatchCount
  return Array.from({ length: count }, (_, n) => `user${n}.batch${batch}@example.com`)
}
let emailBatchCount = 0

/**
 * Fresh users, whose mailbox has been proved before or not, with a login code each, read from the mails: the requests
 * that turn the codes into sessions.
 */
export async function prepareLogins(
  bench: Bench,
  subOrgId: string,
  { count, emailVerified }: { count: number; emailVerified: boolean },
): Promise<LoadRequest[]> {
  const { mail } = await getDeployment(bench)
  const emails = makeEmails(count)
  await createUsers(
    bench,
    subOrgId,
    emails.map((email) => ({ email, emailVerified })),
  )
  const answers = await callAll(
    bench,
    emails.map((email) => post('/v1/auth/login/otp/send', { email, subOrgId })),
  )
  const texts = await mail.collect(emails, 180)
  await bench.settle()
  return emails.map((email, n) => {
    const otp_id = readText(answers[n] ?? '', 'otp_id')
    return post('/v1/auth/login/otp/verify', { email, otp_id, code: findWordPair(texts.get(email) ?? ''), subOrgId })
  })
}

/** Fresh users whose mailbox has been proved before, with a sign-in link each: the requests that redeem the links. */
export async function prepareMagicLinks(bench: Bench, subOrgId: string, count: number): Promise<LoadRequest[]> {
  const emails = makeEmails(count)
  await createUsers(
    bench,
    subOrgId,
    emails.map((email) => ({ email, emailVerified: true })),
  )
  const requests = await sendMagicLinks(bench, subOrgId, emails)
  await bench.settle()
  return requests
}

/** Sends each user a sign-in link, which the answer carries instead of a mail: the requests that redeem the links. */
export async function sendMagicLinks(bench: Bench, subOrgId: string, emails: string[]): Promise<LoadRequest[]> {
  const answers = await callAll(
    bench,
    emails.map((email) => post('/v1/auth/login/magic-link/send', { email, subOrgId, deliver: false })),
  )
  return emails.map((email, n) => {
    const token_hash = new URL(readText(answers[n] ?? '', 'url')).searchParams.get('token_hash')
    return post('/v1/auth/login/magic-link/verify', { email, token_hash, subOrgId })
  })
}

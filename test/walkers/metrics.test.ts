import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { measureJobs } from '../../src/platform/jobs/measure.ts'
import { enqueue } from '../../src/platform/jobs/queue.ts'
import { createMetrics } from '../../src/platform/observability/metrics.ts'
import { startApp } from '../harness.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../people/factors.ts'
import { newPasswordUser } from '../people/people.ts'

const app = await startApp({ env: { WATCHWORD_KEY_REQUESTS_PER_SECOND: '1000000' } })
const { platform, metrics } = app.app
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const WRONG = 'incorrect horse battery staple'

/** The figure of a series as `/metrics` shows it: 0 for one that is not there yet. */
async function figure(series: string): Promise<number> {
  const lines = (await metrics.registry.metrics()).split('\n')
  const line = lines.find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
}

/** By how much each series has grown while something was done. */
async function growthOf(series: string[], act: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(series.map(figure))
  await act()
  const after = await Promise.all(series.map(figure))
  return after.map((value, at) => value - (before[at] ?? 0))
}

const login = (subOrgId: string, email: string, password = PASSWORD) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })

test('a sign-in counts by its method, and what a second factor holds apart from a session', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))
  const counted = ['session', 'held'].map((result) => `watchword_sign_ins_total{method="password",result="${result}"}`)
  expect(await growthOf(counted, () => login(subOrgId, email))).toEqual([1, 0])
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const held = { token: '' }
  const holding = await growthOf(counted, async () => {
    held.token = succeeded(await login(subOrgId, email)).challenge_token
  })
  expect(holding).toEqual([0, 1])
  const passing = await growthOf(counted, () =>
    tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token: held.token, code: codeOf(secret, 1) }),
  )
  expect(passing).toEqual([1, 0])
})

test('a wrong password counts as a failure and as a refusal, and as no sign-in', async () => {
  const { subOrgId, email } = await newPasswordUser(tenant, { password: PASSWORD })
  const grown = await growthOf(
    [
      'watchword_failures_total{type="auth.login.failed"}',
      'watchword_refusals_total{code="invalid_credentials"}',
      'watchword_sign_ins_total{method="password",result="session"}',
    ],
    () => login(subOrgId, email, WRONG),
  )
  expect(grown).toEqual([1, 1, 0])
})

test('a limit that is used up counts by its name, and the last act within it does not', async () => {
  const { subOrgId, email } = await newPasswordUser(tenant, { password: PASSWORD })
  const send = () => tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  const series = ['watchword_limits_total{limit="password.reset.minute"}']
  expect(await growthOf(series, async () => [await send(), await send(), await send()])).toEqual([0])
  expect(await growthOf(series, send)).toEqual([1])
})

test('jobs count while they are due and untaken, and after the last attempt', async () => {
  const read = async () => {
    await measureJobs(platform)
    const names = ['waiting', 'oldest_waiting_seconds', 'given_up']
    return Promise.all(names.map((name) => figure(`watchword_jobs_${name}`)))
  }
  const [waiting = 0, , givenUp = 0] = await read()
  await enqueue(platform.db, 'test.due', {}, { delayMs: -90_000 })
  await enqueue(platform.db, 'test.later', {}, { delayMs: 3_600_000 })
  const [due, oldest] = await read()
  expect(due).toBe(waiting + 1)
  expect(oldest).toBeGreaterThanOrEqual(89)
  await sql`update graphile_worker._private_jobs set attempts = max_attempts where task_id in (
    select id from graphile_worker._private_tasks where identifier = 'test.due')`.execute(platform.db)
  expect(await read()).toEqual([waiting, waiting === 0 ? 0 : expect.any(Number), givenUp + 1])
})

test('connections count as used while something holds them, and what waits for one is seen', async () => {
  const used = () => figure('watchword_database_connections{pool="requests",state="used"}')
  const waiting = () => figure('watchword_database_waiting{pool="requests"}')
  const { pool } = platform.database
  const before = await used()
  const held = await Promise.all(Array.from({ length: pool.options.max - before }, () => pool.connect()))
  const next = pool.connect()
  expect([await used(), await waiting()]).toEqual([pool.options.max, 1])
  for (const client of held) client.release()
  const last = await next
  last.release()
  expect([await used(), await waiting()]).toEqual([before, 0])
})

test('a process is measured once, by one timer, whatever runs in it', () => {
  const delay = 'nodejs_eventloop_lag_p99_seconds'
  expect(metrics.registry.getSingleMetric(delay)).toBeDefined()
  expect(createMetrics().registry.getSingleMetric(delay)).toBe(metrics.registry.getSingleMetric(delay))
})

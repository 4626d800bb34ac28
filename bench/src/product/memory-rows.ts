import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, type Measurement, type Row, toFigure } from '../bench.ts'
import { readText } from '../json-field.ts'
import { describeFailures, type LoadPlan, type LoadRequest, runLoad } from '../load.ts'
import { residentMibOf } from '../process-stat.ts'
import { PASSWORD } from '../references/hash-cost.ts'
import { startWatchword, type Watchword } from '../watchword.ts'
import { post, putUsers, sendAll } from './deployment.ts'
import { getExisting } from './process-rows.ts'

const IDLE_SECONDS = 60
const IDLE_ROUNDS = 5
const LOAD_SECONDS = 10
const BULK_CALLS = 20
const BULK_USERS = 500
// With the other fields of a user, 500 of them make a body just below 5 MiB.
const METADATA_CHARACTERS = 10_200
const READINGS = 5
// Fewer callers than those of the other rows: what a deployment does all day.
const GROWTH_CONNECTIONS = 16

/** Resident memory of the process, each time in one that has just started. */
export const memoryRows: Row[] = [
  {
    ...row('memory-idle', `resident memory after ${IDLE_SECONDS} s without requests`, 150, (bench) =>
      measureProcess(bench, async ({ watchword }) => {
        await sleep(IDLE_SECONDS * 1000)
        return toFigure(await residentMibOf(watchword.pid))
      }),
    ),
    rounds: IDLE_ROUNDS,
  },
  row('memory-load', `resident memory after ${LOAD_SECONDS} s of OTP generate at full speed`, 250, (bench) =>
    measureProcess(bench, async (run) => {
      const problems = await load(run, [post('/v1/otp/generate', {})], {
        connections: bench.connections,
        seconds: LOAD_SECONDS,
      })
      return toFigure(await residentMibOf(run.watchword.pid), problems)
    }),
  ),
  row(
    'memory-bulk',
    `resident memory ${IDLE_SECONDS} s after ${BULK_CALLS} × PUT /v1/users of 5 MiB`,
    300,
    measureAfterBulk,
  ),
  {
    ...row(
      'growth',
      `growth of resident memory: ${READINGS} times mixed load and ${IDLE_SECONDS} s idle, the last reading less the first`,
      10,
      measureGrowth,
    ),
    rounds: 1,
  },
]

function row(id: string, title: string, figure: number, measure: Row['measure']): Row {
  const targets: Row['targets'] = [{ of: null, on: 'value', bound: 'at most', figure }]
  return { id, title, kind: 'watchword', unit: 'MiB', targets, measure }
}

interface Run {
  watchword: Watchword
  apiKey: string
}

async function measureProcess(bench: Bench, measure: (run: Run) => Promise<Measurement>): Promise<Measurement> {
  const settings = await getExisting(bench)
  const watchword = await startWatchword(settings)
  try {
    return await measure({ watchword, apiKey: settings.WATCHWORD_BOOTSTRAP_API_KEY })
  } finally {
    await watchword.stop()
  }
}

/** Returns what went wrong, in words. */
async function load(
  { watchword, apiKey }: Run,
  requests: LoadRequest[],
  plan: Pick<LoadPlan, 'connections' | 'seconds'> & Partial<LoadPlan>,
): Promise<string[]> {
  const headers = { 'x-api-key': apiKey }
  return describeFailures(await runLoad({ baseUrl: watchword.baseUrl, headers, requests, mode: 'cycle', ...plan }))
}

/** Sends each request once; returns the bodies of the answers. */
async function callAll({ watchword, apiKey }: Run, requests: LoadRequest[]): Promise<string[]> {
  return await sendAll({ baseUrl: watchword.baseUrl, headers: { 'x-api-key': apiKey }, requests, connections: 1 })
}

let organizations = 0

async function makeOrganization(run: Run): Promise<string> {
  const slug = `memory-${process.pid}-${++organizations}`
  const [answer = ''] = await callAll(run, [post('/v1/organizations', { name: slug, slug })])
  return readText(answer, 'subOrganization.id')
}

function measureAfterBulk(bench: Bench): Promise<Measurement> {
  return measureProcess(bench, async (run) => {
    const subOrgId = await makeOrganization(run)
    const metadata = { note: 'x'.repeat(METADATA_CHARACTERS) }
    const problems: string[] = []
    for (let call = 0; call < BULK_CALLS; call++) {
      const users = Array.from({ length: BULK_USERS }, (_, n) => ({ email: `u${n}.c${call}@example.com`, metadata }))
      const plan = { connections: 1, mode: 'once', seconds: 60, expect: '"failed":[]' } as const
      problems.push(...(await load(run, [putUsers(subOrgId, users)], plan)))
    }
    await sleep(IDLE_SECONDS * 1000)
    return toFigure(await residentMibOf(run.watchword.pid), problems)
  })
}

/** Mixed load, rest, and a reading: five times in one process. */
function measureGrowth(bench: Bench): Promise<Measurement> {
  return measureProcess(bench, async (run) => {
    const { requests, refreshes } = await prepareMix(run)
    const problems: string[] = []
    const readings: number[] = []
    for (let n = 1; n <= READINGS; n++) {
      const seconds = bench.loadSeconds
      const plans = [load(run, requests, { connections: GROWTH_CONNECTIONS, seconds }), refreshes(seconds)]
      problems.push(...(await Promise.all(plans)).flat())
      await sleep(IDLE_SECONDS * 1000)
      const reading = await residentMibOf(run.watchword.pid)
      readings.push(reading)
      console.error(`growth: ${reading.toFixed(1)} MiB after load ${n} of ${READINGS}`)
    }
    return toFigure((readings.at(-1) ?? 0) - (readings[0] ?? 0), problems)
  })
}

/** A user with a password: the request that signs the user in. */
async function preparePassword(run: Run, subOrgId: string, email: string): Promise<LoadRequest> {
  const [made = ''] = await callAll(run, [post('/v1/users', { subOrgId, email })])
  const path = `/v1/users/${readText(made, 'user.id')}/password`
  await callAll(run, [{ method: 'PUT', path, body: JSON.stringify({ subOrgId, password: PASSWORD }) }])
  return post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
}

/**
 * Codes, introspections, sign-ins by password, and look-ups, pages and changes of users, to be repeated; and refreshes of
 * sessions, a chain a connection.
 */
async function prepareMix(run: Run) {
  const subOrgId = await makeOrganization(run)
  const limits = { subOrgId, sign_in_rate_limit_per_minute: 10_000 }
  await callAll(run, [{ method: 'PATCH', path: '/v1/auth/settings', body: JSON.stringify(limits) }])
  const users = Array.from({ length: BULK_USERS }, (_, n) => ({ email: `m${n}@example.com` }))
  await callAll(run, [putUsers(subOrgId, users)])
  const signIn = await preparePassword(run, subOrgId, 'password@example.com')
  // Another user: beyond `max_concurrent_sessions` a sign-in ends the oldest session.
  const refresher = await preparePassword(run, subOrgId, 'sessions@example.com')
  const sessions = await callAll(run, [refresher, refresher])
  const quick: LoadRequest[] = [
    post('/v1/otp/generate', {}),
    { method: 'GET', path: `/v1/users?subOrgId=${subOrgId}&email=m7%40example.com` },
    { method: 'GET', path: `/v1/users?subOrgId=${subOrgId}&limit=20` },
    putUsers(subOrgId, users.slice(0, 20)),
    post('/v1/auth/token/introspect', { token: 'of-no-session', subOrgId }),
    post('/v1/auth/token/introspect', { token: readText(sessions[0] ?? '', 'session.access_token'), subOrgId }),
  ]
  const placeholder = 'REFRESH_TOKEN'
  let values = sessions.map((body) => readText(body, 'session.refresh_token'))
  return {
    requests: [...Array.from({ length: 20 }, () => quick).flat(), signIn],
    refreshes: async (seconds: number): Promise<string[]> => {
      const refresh = post('/v1/auth/token/refresh', { refresh_token: placeholder, subOrgId })
      const result = await runLoad({
        baseUrl: run.watchword.baseUrl,
        headers: { 'x-api-key': run.apiKey },
        requests: values.map(() => refresh),
        connections: values.length,
        mode: 'chain',
        seconds,
        chain: { field: 'session.refresh_token', placeholder, values },
      })
      values = result.values
      return describeFailures(result)
    },
  }
}

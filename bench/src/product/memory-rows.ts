import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Measurement, Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import { describeFailures, type LoadPlan, type LoadRequest, runLoad } from '../load.ts'
import { startWatchword, type Watchword } from '../watchword.ts'
import { post, putUsers } from './deployment.ts'
import { getExisting } from './process-rows.ts'

const IDLE_SECONDS = 5
const LOAD_SECONDS = 10
const BULK_CALLS = 20
const BULK_USERS = 500
// With the other fields of a user, 500 of them make a body just below 5 MiB.
const METADATA_CHARACTERS = 10_200
const REST_SECONDS = 60
const WARM_UP_SECONDS = 60
const MIXED_SECONDS = 600
const MIXED_CONNECTIONS = 16

/** What the process itself holds, each time in one that has just started. */
export const memoryRows: Row[] = [
  row('memory-idle', `resident memory ${IDLE_SECONDS} s after the start`, 150, (bench) =>
    measureProcess(bench, async ({ watchword }) => {
      await sleep(IDLE_SECONDS * 1000)
      return single(await readResidentMib(watchword.pid))
    }),
  ),
  row('memory-load', `resident memory after ${LOAD_SECONDS} s of OTP generate at full speed`, 250, (bench) =>
    measureProcess(bench, async (run) => {
      const problems = await load(run, [post('/v1/otp/generate', {})], {
        connections: bench.connections,
        seconds: LOAD_SECONDS,
      })
      return single(await readResidentMib(run.watchword.pid), problems)
    }),
  ),
  row(
    'memory-bulk',
    `resident memory ${REST_SECONDS} s after ${BULK_CALLS} × PUT /v1/users of 5 MiB`,
    300,
    measureAfterBulk,
  ),
  row(
    'memory-growth',
    `growth of resident memory over ${MIXED_SECONDS} s of mixed load, after ${WARM_UP_SECONDS} s of it`,
    10,
    measureGrowth,
  ),
]

function row(id: string, title: string, figure: number, measure: Row['measure']): Row {
  const targets: Row['targets'] = [{ of: null, on: 'value', bound: 'at most', figure }]
  return { id, title, kind: 'watchword', unit: 'MiB', targets, measure }
}

function single(value: number, problems: string[] = []): Measurement {
  return { value, p50Ms: null, p99Ms: null, problems }
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

let organizations = 0

async function makeOrganization(run: Run): Promise<string> {
  const slug = `memory-${process.pid}-${++organizations}`
  const answer = await runLoad({
    baseUrl: run.watchword.baseUrl,
    headers: { 'x-api-key': run.apiKey },
    requests: [post('/v1/organizations', { name: slug, slug })],
    connections: 1,
    mode: 'once',
    seconds: 30,
    collect: true,
  })
  return readText(answer.bodies[0] ?? '', 'subOrganization.id')
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
    await sleep(REST_SECONDS * 1000)
    return single(await readResidentMib(run.watchword.pid), problems)
  })
}

/** Codes, look-ups, pages and changes, by fewer callers than the other rows: what a deployment does all day. */
function measureGrowth(bench: Bench): Promise<Measurement> {
  return measureProcess(bench, async (run) => {
    const subOrgId = await makeOrganization(run)
    const users = Array.from({ length: BULK_USERS }, (_, n) => ({ email: `m${n}@example.com` }))
    const problems = await load(run, [putUsers(subOrgId, users)], { connections: 1, mode: 'once', seconds: 60 })
    const requests: LoadRequest[] = [
      post('/v1/otp/generate', {}),
      { method: 'GET', path: `/v1/users?subOrgId=${subOrgId}&email=m7%40example.com` },
      { method: 'GET', path: `/v1/users?subOrgId=${subOrgId}&limit=20` },
      putUsers(subOrgId, users.slice(0, 20)),
      post('/v1/auth/token/introspect', { token: 'of-no-session', subOrgId }),
    ]
    const plan = { connections: MIXED_CONNECTIONS, seconds: WARM_UP_SECONDS }
    problems.push(...(await load(run, requests, plan)))
    const before = await readResidentMib(run.watchword.pid)
    problems.push(...(await load(run, requests, { ...plan, seconds: MIXED_SECONDS })))
    return single((await readResidentMib(run.watchword.pid)) - before, problems)
  })
}

/** Resident memory of a process and its descendants, as Linux counts it. */
async function readResidentMib(pid: number): Promise<number> {
  const parents = new Map<number, number>()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    // The command name may hold spaces and parentheses: fields count from the last one.
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isInTree = (one: number): boolean => {
    for (let at: number | undefined = one; at !== undefined && at > 1; at = parents.get(at)) if (at === pid) return true
    return false
  }
  let kib = 0
  for (const one of [...parents.keys()].filter(isInTree)) {
    const status = await readFile(`/proc/${one}/status`, 'utf8').catch(() => '')
    kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
  }
  return kib / 1024
}

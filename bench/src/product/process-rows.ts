import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, type Measurement, oncePerRun, type Row } from '../bench.ts'
import { runLoad } from '../load.ts'
import { getPostgres } from '../postgres.ts'
import { makeMasterKey, startWatchword } from '../watchword.ts'
import { post } from './deployment.ts'

const IDLE_SECONDS = 5

/** The process itself: how soon it serves and what it holds. */
export const processRows: Row[] = [
  row('start-embedded', 'start to ready, fresh embedded database', 'ms', 3000, measureFreshStart),
  row('start', 'start to ready, existing database', 'ms', 1500, measureStart),
  row('memory-idle', `resident memory ${IDLE_SECONDS} s after the start`, 'MiB', 150, (bench) =>
    measureMemory(bench, false),
  ),
  row('memory-load', 'resident memory after OTP generate at full speed', 'MiB', 250, (bench) =>
    measureMemory(bench, true),
  ),
]

function row(id: string, title: string, unit: Row['unit'], figure: number, measure: Row['measure']): Row {
  const targets: Row['targets'] = [{ of: null, on: 'value', bound: 'at most', figure }]
  return { id, title, kind: 'watchword', unit, targets, measure }
}

function single(value: number, problems: string[] = []): Measurement {
  return { value, p50Ms: null, p99Ms: null, problems }
}

async function measureFreshStart(): Promise<Measurement> {
  const dataDir = await mkdtemp(join(tmpdir(), 'watchword-start-'))
  try {
    const watchword = await startWatchword({ WATCHWORD_DATA_DIR: join(dataDir, 'data') })
    await watchword.stop()
    return single(watchword.readyAfterMs)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Settings of a deployment that has been started before: its database is migrated and seeded. */
const getExisting = oncePerRun(async (bench) => {
  const postgres = await getPostgres(bench)
  const settings = {
    DATABASE_URL: await postgres.createDatabase('start'),
    WATCHWORD_MASTER_KEY: makeMasterKey(),
    WATCHWORD_BOOTSTRAP_API_KEY: makeMasterKey(),
  }
  const first = await startWatchword(settings)
  await first.stop()
  return settings
})

async function measureStart(bench: Bench): Promise<Measurement> {
  const watchword = await startWatchword(await getExisting(bench))
  await watchword.stop()
  return single(watchword.readyAfterMs)
}

async function measureMemory(bench: Bench, loaded: boolean): Promise<Measurement> {
  const settings = await getExisting(bench)
  const watchword = await startWatchword(settings)
  try {
    if (!loaded) {
      await sleep(IDLE_SECONDS * 1000)
      return single(await readResidentMib(watchword.pid))
    }
    const result = await runLoad({
      baseUrl: watchword.baseUrl,
      headers: { 'x-api-key': settings.WATCHWORD_BOOTSTRAP_API_KEY },
      requests: [post('/v1/otp/generate', {})],
      connections: bench.connections,
      mode: 'cycle',
      seconds: Math.max(10, bench.seconds),
      expect: '"otp_id"',
    })
    const problems = Object.entries(result.failures).map(([what, count]) => `${count} × ${what}`)
    return single(await readResidentMib(watchword.pid), problems)
  } finally {
    await watchword.stop()
  }
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

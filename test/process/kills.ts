import { randomInt } from 'node:crypto'
import { startEmbedded } from '../../src/platform/embedded/embedded.ts'
import { type Caller, caller, until } from '../harness.ts'
import { signalServer } from '../peers/server-processes.ts'
import { databasePid } from '../run-directories.ts'
import { findViolations } from './kill-check.ts'
import { type Access, emptyJournal, REUSE_SECONDS, readDevelopmentCode, startLoad } from './kill-load.ts'
import { makeDataDir, type Service, startService } from './service.ts'

const KEY = 'a-key-that-survives-every-crash-0123456789'
const VICTIMS = ['service', 'database', 'both'] as const
type Victim = (typeof VICTIMS)[number]
/** The moment of a kill: after so many proofs and sessions at most. */
const LATEST_MOMENT = 30
const PATIENCE_MS = 180_000

/** One kill, and what there was to check after it. */
export interface Kill {
  number: number
  victim: Victim
  proofs: number
  /** Of these proofs, the ones whose presentation had no answer. */
  unanswered: number
  sessions: number
  seconds: number
  violations: string[]
}

/**
 * Kills the service, its database, or both at random moments while people sign in, starts again what was killed, and
 * looks each time for acknowledged writes that are lost, proofs that are consumed without a session, and proofs that are
 * accepted twice.
 */
export async function killRepeatedly(kills: number, onKill: (kill: Kill) => void): Promise<void> {
  const dataDir = makeDataDir()
  const journal = emptyJournal()
  let service = await startReady(dataDir)
  await widenLimits(accessTo(service).api)
  for (let number = 1; number <= kills; number++) {
    const startedAt = performance.now()
    const victim = VICTIMS[number % VICTIMS.length] ?? 'both'
    const round = emptyJournal()
    const load = startLoad(accessTo(service), round, `k${number}`)
    const moment = randomInt(1, LATEST_MOMENT)
    await until(async () => load.isStuck() || round.proofs.length + round.sessions.length >= moment, PATIENCE_MS)
    const ended = load.end()
    const serverPid = databasePid(dataDir)
    await killAll(victim, service, dataDir)
    const violations = await ended
    service = await startAgain(victim, service, dataDir)
    if (databasePid(dataDir) === serverPid) violations.push('the server that was left running is still there')
    const unanswered = round.proofs.filter(({ state }) => state === 'presented').length
    const counts = { proofs: round.proofs.length, unanswered, sessions: round.sessions.length }
    const { url } = await startEmbedded({ dataDir, log: () => undefined, role: 'command' })
    violations.push(...(await findViolations(accessTo(service), url, { round, journal })))
    journal.organizations.push(...round.organizations)
    journal.users.push(...round.users)
    journal.otps.push(...round.otps)
    journal.sessions.push(...round.sessions)
    onKill({ number, victim, ...counts, seconds: (performance.now() - startedAt) / 1000, violations })
  }
}

function accessTo({ baseUrl }: Service): Access {
  const api = caller(baseUrl, KEY)
  return { api, readCode: (email) => readDevelopmentCode(api, email) }
}

async function startReady(dataDir: string): Promise<Service> {
  const service = await startService({
    WATCHWORD_DATA_DIR: dataDir,
    WATCHWORD_BOOTSTRAP_API_KEY: KEY,
    // Its port is another after each start, and tokens are of one issuer.
    WATCHWORD_BASE_URL: 'http://localhost:4000',
  })
  await service.ready()
  return service
}

/** More mail than the limits let through, and time to send a refresh token again. */
export async function widenLimits(api: Caller): Promise<void> {
  const limits = { send_limit_per_hour_organization: 1_000_000, send_limit_per_hour_key: 1_000_000 }
  const replies = [
    await api.patch('/v1/otp/settings/defaults', limits),
    await api.patch('/v1/auth/settings/defaults', {
      refresh_reuse_interval_seconds: REUSE_SECONDS,
      sign_in_rate_limit_per_minute: 10_000,
    }),
  ]
  for (const { status, text } of replies) if (status !== 200) throw new Error(text)
}

async function killAll(victim: Victim, service: Service, dataDir: string): Promise<void> {
  const serverPid = databasePid(dataDir)
  if (serverPid === null) throw new Error('No database is running')
  if (victim !== 'database') service.child.kill('SIGKILL')
  if (victim !== 'service') signalServer(serverPid, 'SIGKILL')
  if (victim !== 'database') await service.ended
  if (victim !== 'service') await until(async () => databasePid(dataDir) !== serverPid)
}

/** The service restarts its database itself. */
async function startAgain(victim: Victim, service: Service, dataDir: string): Promise<Service> {
  if (victim !== 'database') return await startReady(dataDir)
  await until(async () => databasePid(dataDir) !== null)
  await service.ready()
  return service
}

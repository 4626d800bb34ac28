import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Caller, caller, until } from '../harness.ts'
import { startSilentProxy } from '../peers/silent-proxy.ts'
import { findViolations } from '../process/kill-check.ts'
import {
  type Access,
  emptyJournal,
  Interrupted,
  type Journal,
  type ProofKind,
  readDevelopmentCode,
} from '../process/kill-load.ts'
import { widenLimits } from '../process/kills.ts'
import { afterThisTest, type Service, startService } from '../process/service.ts'
import { type Answer, durationOf, noteAnswers } from './answers.ts'
import { type Cluster, type ClusterOptions, makeCluster } from './cluster.ts'
import { startLoad, startTasks } from './load.ts'

const KEY = 'a-key-that-survives-every-failure-0123456789'
const KINDS: ProofKind[] = ['code', 'link', 'challenge']
/** How long a busy machine may take until every part of the service has been used. */
const WARM_MS = 60_000
/** After the database is back, every process must have answered well within this time. */
const PATIENCE_MS = 60_000
/** It may refuse requests for so long after it. */
const REFUSALS_MS = 30_000
/** The service has recovered when it has refused nothing for so long. */
const QUIET_MS = 4000

/** A database of the current schema, and the master key that its secrets are sealed with. */
export interface Base {
  cluster: Cluster
  masterKey: string
}

/** A process of the service. */
export interface Node {
  service: Service
  access: Access
  /** Starts it again after its end. */
  restart(): Promise<void>
}

/** What a scenario works with. */
export interface Stage {
  /** The server that has the data in the end: another one after a failover. */
  primary: Cluster
  standby: Cluster | null
  proxy: Awaited<ReturnType<typeof startSilentProxy>>
  nodes: Node[]
  answers: Answer[]
  journal: Journal
  /** When the failure began and ended. */
  brokenAt: number
  healedAt: number
  notes: string[]
  violations: string[]
}

/** One kind of failure. */
export interface Scenario {
  name: string
  about: string
  /** How many processes of the service there are; 1 by default. */
  processes?: number
  /** Whether a standby follows the database. Each commit waits for it. */
  hasStandby?: true
  /** The callers of the load; all kinds by default. */
  kinds?: ProofKind[]
  /** Whether requests may end without an answer, since a process of the service is killed. */
  breaksConnections?: true
  /** Prepares the scenario. */
  prepare?(): Promise<Preparation | Unfit>
  /** Causes the failure under load, and ends it. */
  run(stage: Stage): Promise<void>
}

/** What a scenario needs in addition to the database and the service. */
export interface Preparation {
  cluster?: ClusterOptions
  env?: Record<string, string>
  /** Where codes are read, if not at /dev/mail. */
  readCode?(email: string): Promise<string>
}

/** Why a scenario cannot run here. */
export interface Unfit {
  unfit: string
}

/** What came of a scenario. Durations are in milliseconds. */
export interface Outcome {
  name: string
  requests: number
  refused: number
  slowest: number
  slowestHealth: number
  /** From the end of the failure to the first good write of the slowest process; null if there was none. */
  firstGood: number | null
  /** From the end of the failure to the last refusal; 0 without one. */
  lastRefusal: number
  notes: string[]
  violations: string[]
}

/** Makes the database that each scenario starts with. */
export async function makeBase(): Promise<Base> {
  const cluster = await makeCluster()
  const masterKey = randomBytes(32).toString('base64')
  await cluster.start()
  const service = await startService(environment({ url: cluster.url, masterKey }))
  await service.ready()
  await widenLimits(caller(service.baseUrl, KEY))
  service.child.kill('SIGTERM')
  await service.ended
  await cluster.stop('SIGINT')
  return { cluster, masterKey }
}

function environment({ url, masterKey }: { url: string; masterKey: string }): Record<string, string> {
  return {
    DATABASE_URL: url,
    WATCHWORD_MASTER_KEY: masterKey,
    WATCHWORD_BOOTSTRAP_API_KEY: KEY,
    // The port of a process changes when it starts again, and tokens are of one issuer.
    WATCHWORD_BASE_URL: 'http://localhost:4000',
    WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    LOG_LEVEL: 'error',
  }
}

/** Runs a scenario and checks what it left. Throws where the service does not come up before the failure. */
export async function runScenario(base: Base, scenario: Scenario): Promise<Outcome | Unfit> {
  const preparation = (await scenario.prepare?.()) ?? {}
  if ('unfit' in preparation) return preparation
  const stage = await openStage(base, scenario, preparation)
  const accesses = stage.nodes.map(({ access }) => access)
  const load = startLoad(accesses, stage.journal, scenario.kinds ?? KINDS)
  const health = watchHealth(stage)
  // A process loads some parts with the first request that needs them, such as the threads that hash passwords.
  await until(async () => load.faults.length > 0 || isWarm(stage), WARM_MS).catch(() => {
    const seen = Map.groupBy(stage.answers.slice(-200), ({ node, path, status }) => `${status} at ${node}: ${path}`)
    throw new Error(
      `Not every process completed a sign-in: ${[...seen].map(([what, { length }]) => `${length} × ${what}`)}`,
    )
  })
  await scenario.run(stage)
  await untilQuiet(stage)
  await health.end()
  await load.end()
  const answers = stage.answers.filter(({ endedAt }) => endedAt >= stage.brokenAt)
  const violations = [...stage.violations, ...load.faults, ...findBadAnswers(answers, scenario)]
  if (health.failures > 0 && !scenario.breaksConnections) violations.push(`/healthz failed ${health.failures} times`)
  const firstGood = firstGoodAfter(stage)
  const refusals = answers.filter(({ isRefusal }) => isRefusal)
  const lastRefusal = Math.max(0, ...refusals.map(({ endedAt }) => endedAt - stage.healedAt))
  if (lastRefusal > REFUSALS_MS) violations.push(`refused requests ${Math.round(lastRefusal)} ms after the failure`)
  if (firstGood === null) violations.push(`no good answer within ${PATIENCE_MS / 1000} s after the failure`)
  else violations.push(...(await check(stage)))
  return {
    name: scenario.name,
    requests: answers.length,
    refused: refusals.length,
    slowest: Math.max(...answers.map(durationOf)),
    slowestHealth: health.slowest,
    firstGood,
    lastRefusal,
    notes: [...stage.notes, ...health.notes(stage), ...describeAnswers(answers, stage)],
    violations: groupAlike(violations),
  }
}

async function openStage(base: Base, scenario: Scenario, preparation: Preparation): Promise<Stage> {
  const options = { copyOf: base.cluster, ...preparation.cluster }
  const syncSettings = scenario.hasStandby ? ['synchronous_standby_names=*'] : []
  const primary = await makeCluster({ ...options, settings: [...syncSettings, ...(options.settings ?? [])] })
  await primary.start()
  const standby = scenario.hasStandby ? await makeCluster({ copyOf: base.cluster, primary }) : null
  await standby?.start()
  const proxy = await startSilentProxy(primary.url)
  afterThisTest(() => proxy.close())
  const answers: Answer[] = []
  const nodes: Node[] = []
  const env = { ...environment({ url: proxy.url, masterKey: base.masterKey }), ...preparation.env }
  for (let index = 0; index < (scenario.processes ?? 1); index++)
    nodes.push(await startNode(env, { index, answers, preparation }))
  const now = performance.now()
  return {
    ...{ primary, standby, proxy, nodes, answers, journal: emptyJournal() },
    ...{ brokenAt: now, healedAt: now, notes: [], violations: [] },
  }
}

async function startNode(
  env: Record<string, string>,
  { index, answers, preparation }: { index: number; answers: Answer[]; preparation: Preparation },
): Promise<Node> {
  const start = async () => {
    const service = await startService(env)
    await service.ready()
    return service
  }
  const api = noteAnswers(() => caller(node.service.baseUrl, KEY), index, answers)
  const readCode = preparation.readCode ?? ((email: string) => awaitCode(api, email))
  const node: Node = {
    service: await start(),
    access: { api, readCode },
    async restart() {
      node.service = await start()
    },
  }
  return node
}

/** The code in the mail to an address, once the service shows its mails: it shows the newest ones only. */
async function awaitCode(api: Caller, email: string): Promise<string> {
  return until(async () => {
    try {
      return await readDevelopmentCode(api, email)
    } catch (error) {
      if (!(error instanceof Interrupted || error instanceof TypeError)) throw error
      return null
    }
  }, PATIENCE_MS)
}

/** Whether each process has completed a sign-in with a second factor, which is the longest. */
function isWarm({ nodes, answers, journal }: Stage): boolean {
  const passed = answers.filter(({ path, status }) => path === '/v1/mfa/challenge/verify' && status === 200)
  return journal.sessions.length >= 20 && nodes.every((_, index) => passed.some(({ node }) => node === index))
}

/** Asks each process over and over whether it lives and whether it is ready. */
function watchHealth({ nodes }: Stage) {
  const tasks = startTasks()
  const health = { slowest: 0, failures: 0, unreadyAt: [] as number[] }
  for (const node of nodes) {
    tasks.repeat(async () => {
      const startedAt = performance.now()
      const reply = await fetch(`${node.service.baseUrl}/healthz`).catch(() => null)
      await reply?.text()
      if (reply?.status !== 200) health.failures++
      else health.slowest = Math.max(health.slowest, performance.now() - startedAt)
    })
    tasks.repeat(async () => {
      if ((await node.service.readiness())?.status !== 200) health.unreadyAt.push(performance.now())
    })
  }
  return {
    get slowest() {
      return health.slowest
    },
    get failures() {
      return health.failures
    },
    notes({ brokenAt, healedAt }: Stage): string[] {
      const [first, last] = [health.unreadyAt[0], health.unreadyAt.at(-1)]
      if (first === undefined || last === undefined) return ['/readyz was 200 all the time']
      const after = (moment: number, from: number) => `${Math.round(moment - from)} ms`
      return [
        `/readyz was not 200 from ${after(first, brokenAt)} after the failure began to ${after(last, healedAt)} after it ended`,
      ]
    },
    end: tasks.end,
  }
}

/** Waits until every process has answered a write well and none has refused anything for a while. */
async function untilQuiet(stage: Stage): Promise<void> {
  const deadline = stage.healedAt + PATIENCE_MS
  for (;;) {
    const now = performance.now()
    const recent = stage.answers.filter(({ endedAt }) => endedAt > Math.max(stage.healedAt, now - QUIET_MS))
    const isQuiet = now - stage.healedAt > QUIET_MS && recent.every(({ status }) => status === 200)
    if ((isQuiet && firstGoodAfter(stage) !== null) || now > deadline) return
    await delay(100)
  }
}

/** When the last process to recover has answered a write well, from the end of the failure on. */
function firstGoodAfter({ nodes, answers, healedAt }: Stage): number | null {
  const moments = nodes.map((_, index) => {
    const good = answers.filter(
      ({ node, isRead, status, endedAt }) => node === index && !isRead && status === 200 && endedAt >= healedAt,
    )
    return good.length === 0 ? null : Math.min(...good.map(({ endedAt }) => endedAt)) - healedAt
  })
  return moments.reduce((latest, moment) => (latest === null || moment === null ? null : Math.max(latest, moment)), 0)
}

/** The slowest request, and what the refusals said. */
function describeAnswers(answers: Answer[], { brokenAt }: Stage): string[] {
  const slowest = answers.reduce((slow, answer) => (durationOf(answer) > durationOf(slow) ? answer : slow))
  const began = Math.round(slowest.startedAt - brokenAt)
  const refusals = Map.groupBy(
    answers.filter(({ isRefusal }) => isRefusal),
    ({ text }) => /"detail":"([^"]*)"/.exec(text)?.[1] ?? 'a page',
  )
  return [
    `slowest: ${slowest.path}, status ${slowest.status}, begun ${began} ms after the failure began`,
    ...[...refusals].map(([detail, some]) => `${some.length} × 503: ${detail}`),
  ]
}

function findBadAnswers(answers: Answer[], { breaksConnections }: Scenario): string[] {
  return answers.flatMap(({ path, status, isRefusal, text }) => {
    if (status === null) return breaksConnections ? [] : [`no answer: ${text}`]
    return status >= 500 && !isRefusal ? [`${path} was answered with ${status}: ${text}`] : []
  })
}

// A server that does not notice the loss of its client keeps the rows locked that a transaction had locked. It ends an idle
// transaction after ten seconds.
const LOCKED_MS = 11_000

async function check({ nodes, primary, journal, brokenAt }: Stage): Promise<string[]> {
  const [node] = nodes
  if (!node) return ['no process']
  await delay(Math.max(0, brokenAt + LOCKED_MS - performance.now()))
  try {
    return await findViolations(node.access, primary.url, { round: journal, journal: emptyJournal() })
  } catch (error) {
    return [`the check ended early: ${error instanceof Error ? error.message : error}`]
  }
}

/** Violations that differ in their ids alone, once, with their number. */
function groupAlike(violations: string[]): string[] {
  const groups = Map.groupBy(violations, (text) => text.replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d+/g, '#'))
  return [...groups.values()].map((alike) => (alike.length === 1 ? `${alike[0]}` : `${alike.length} ×: ${alike[0]}`))
}

/** Causes a failure, lets it last, and ends it. The database is back when `end` has returned. */
export async function breakFor(
  stage: Stage,
  seconds: number,
  { begin, end }: { begin(): Promise<void> | void; end(): Promise<void> | void },
): Promise<void> {
  stage.brokenAt = performance.now()
  await begin()
  await delay(seconds * 1000)
  await end()
  stage.healedAt = performance.now()
}

/** Notes how many reads and writes succeeded during the failure. `leastReads` is the share of reads that must succeed. */
export function noteReads({ answers, brokenAt, healedAt, notes, violations }: Stage, leastReads = 0): void {
  const during = answers.filter(({ startedAt, endedAt }) => startedAt >= brokenAt && endedAt <= healedAt)
  const reads = during.filter(({ isRead }) => isRead)
  const failed = reads.filter(({ status }) => status !== 200).length
  if (failed > (1 - leastReads) * reads.length) violations.push(`${failed} of ${reads.length} reads failed`)
  for (const [name, some] of [
    ['reads', reads],
    ['writes', during.filter(({ isRead }) => !isRead)],
  ] as const)
    notes.push(`${some.filter(({ status }) => status === 200).length} of ${some.length} ${name} succeeded meanwhile`)
}

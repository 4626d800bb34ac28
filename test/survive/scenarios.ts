import { setTimeout as delay } from 'node:timers/promises'
import { MAX_HANGING } from '../../src/platform/db/hanging-commits.ts'
import { CONNECTIONS_PER_PROCESS } from '../../src/platform/db/pool.ts'
import { until } from '../harness.ts'
import { fullDisk } from './full-disk.ts'
import { startTasks } from './load.ts'
import { lockedTable } from './locked-table.ts'
import { mailOutage } from './mail-outage.ts'
import { breakFor, noteReads, type Scenario, type Stage } from './stage.ts'

const LISTENER_BOUND_MS = 6000

/** PostgreSQL ends and is started again three seconds later. */
function restart(name: string, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', about: string): Scenario {
  return {
    name,
    about,
    run: (stage) => breakFor(stage, 3, { begin: () => stage.primary.stop(signal), end: () => stage.primary.start() }),
  }
}

const serviceKilled: Scenario = {
  name: 'service-killed',
  about: 'one of two processes of the service is killed, three times',
  processes: 2,
  breaksConnections: true,
  async run(stage) {
    stage.brokenAt = performance.now()
    for (let round = 0; round < 3; round++) {
      const killed = round % 2
      const from = performance.now()
      stage.nodes[killed]?.service.child.kill('SIGKILL')
      await stage.nodes[killed]?.service.ended
      await delay(2000)
      const startedAt = performance.now()
      await stage.nodes[killed]?.restart()
      stage.notes.push(`ready ${Math.round(performance.now() - startedAt)} ms after the start of the process`)
      const others = stage.answers.filter(({ node, startedAt: at }) => node !== killed && at >= from)
      // A machine that is busy with the start of a process explains that one is too slow, and nothing else.
      const [busy, bad] = [true, false].map((is) =>
        others.filter(({ status, text }) => status !== 200 && text.includes('The service is busy') === is),
      )
      stage.notes.push(`the other process was too busy for ${busy?.length} of ${others.length} requests`)
      if (others.length === 0) stage.violations.push('the other process answered nothing')
      if (bad && bad.length > 0) stage.violations.push(`the other process failed in ${bad.length} requests`)
    }
    stage.healedAt = performance.now()
  },
}

const frozenFailover: Scenario = {
  name: 'frozen-failover',
  about: 'PostgreSQL freezes, a synchronous standby is promoted, and the address leads there',
  processes: 2,
  hasStandby: true,
  // The log line about the promotion is a warning.
  prepare: async () => ({ env: { LOG_LEVEL: 'warn' } }),
  async run(stage) {
    const { primary, standby, proxy } = stage
    if (!standby) throw new Error('There is no standby')
    await breakFor(stage, 5, {
      begin: () => primary.signal('SIGSTOP'),
      async end() {
        await standby.query('select pg_promote()')
        proxy.lead(standby.url)
      },
    })
    stage.primary = standby
    await expectPromotionLogged(stage)
  },
}

/** The process that notices the promotion names `watchword recover`, and only that one. */
async function expectPromotionLogged({ nodes, violations }: Stage): Promise<void> {
  const count = () =>
    nodes.filter(({ service }) => /was promoted.*watchword recover/.test(service.stdout() + service.stderr())).length
  await until(async () => count() > 0, 15_000).catch(() => undefined)
  if (count() !== 1) violations.push(`${count()} of ${nodes.length} processes logged the promotion`)
}

// While only writes fail. On a busy machine a read may wait too long.
const MOST_READS = 0.99
const LOST_SECONDS = 20
// All connections that both processes may open, and the commits that hang before new connections only read.
const MAX_BACKENDS = 2 * CONNECTIONS_PER_PROCESS + MAX_HANGING

/** Commits wait for a standby that is gone, and PostgreSQL does not end them. */
const standbyLost: Scenario = {
  name: 'standby-lost',
  about: `the synchronous standby stops for ${LOST_SECONDS} s, so no commit ends`,
  processes: 2,
  hasStandby: true,
  async run(stage) {
    const { primary, standby, notes, violations } = stage
    let most = 0
    const tasks = startTasks()
    await breakFor(stage, LOST_SECONDS, {
      async begin() {
        await standby?.stop('SIGINT')
        tasks.repeat(async () => {
          const [row] = await primary.query(
            `select count(*)::int as count from pg_stat_activity where application_name = 'watchword'`,
          )
          most = Math.max(most, Number(row?.['count']))
        })
      },
      async end() {
        await standby?.start()
      },
    })
    await tasks.end()
    noteReads(stage, MOST_READS)
    notes.push(`the two processes held ${most} connections at most`)
    if (most > MAX_BACKENDS) violations.push(`${most} connections were in use`)
  },
}

const frozen: Scenario = {
  name: 'frozen',
  about: 'PostgreSQL freezes for 12 s and goes on',
  run: (stage) =>
    breakFor(stage, 12, {
      begin: () => stage.primary.signal('SIGSTOP'),
      end: () => stage.primary.signal('SIGCONT'),
    }),
}

const silent: Scenario = {
  name: 'silent',
  about: 'open connections are silent and stay open; new ones reach the same server at once',
  run: (stage) => breakFor(stage, 0, { begin: () => stage.proxy.silence(), end: () => undefined }),
}

const vanished: Scenario = {
  name: 'vanished',
  about: 'open connections are silent and stay open; new ones get no answer for 10 s',
  run: (stage) =>
    breakFor(stage, 10, {
      begin() {
        stage.proxy.silence()
        stage.proxy.lead(null)
      },
      end: () => stage.proxy.lead(stage.primary.url),
    }),
}

const standbyAddress: Scenario = {
  name: 'standby',
  about: 'the address leads to a standby for 5 s, and connections to it are kept afterwards',
  hasStandby: true,
  async run(stage) {
    await breakFor(stage, 5, {
      begin() {
        if (stage.standby) stage.proxy.lead(stage.standby.url)
        stage.proxy.cut()
      },
      end: () => stage.proxy.lead(stage.primary.url),
    })
    noteReads(stage)
  },
}

const readOnly: Scenario = {
  name: 'read-only',
  about: 'default_transaction_read_only is on for 5 s',
  async run(stage) {
    const set = async (value: string) => {
      await stage.primary.query(
        `set default_transaction_read_only = off`,
        `alter system set default_transaction_read_only = ${value}`,
        'select pg_reload_conf()',
      )
    }
    await breakFor(stage, 5, { begin: () => set('on'), end: () => set('off') })
    noteReads(stage, MOST_READS)
  },
}

const connectionsCut: Scenario = {
  name: 'cut',
  about: 'every connection of two processes is terminated five times, once with a key revoked right after',
  processes: 2,
  async run(stage) {
    const cut = () =>
      stage.primary.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'watchword%'`,
      )
    stage.brokenAt = performance.now()
    for (let round = 0; round < 4; round++) {
      await cut()
      await delay(1000)
    }
    await revokeWhileCut(stage, cut)
    stage.healedAt = performance.now()
  },
}

/** How long another process accepts a key that was revoked while the listeners of the caches were cut. */
async function revokeWhileCut({ nodes, notes, violations }: Stage, cut: () => Promise<unknown>): Promise<void> {
  const [here, there] = nodes
  if (!here || !there) throw new Error('There are not two processes')
  const made = await here.access.api.post('/v1/api-keys', { name: 'revoked', scopes: ['users.read'] })
  const { key, apiKey } = made.body
  const isAccepted = async () => {
    const reply = await fetch(`${there.service.baseUrl}/v1/api-keys/current`, { headers: { 'x-api-key': key } })
    await reply.text()
    return reply.status !== 401
  }
  await until(isAccepted)
  await cut()
  await until(async () => (await here.access.api.delete(`/v1/api-keys/${apiKey.id}`)).status === 200)
  const revokedAt = performance.now()
  await until(async () => !(await isAccepted()))
  const ms = Math.round(performance.now() - revokedAt)
  notes.push(`a key revoked while no cache listened was refused at the other process after ${ms} ms`)
  if (ms > LISTENER_BOUND_MS) violations.push(`a revoked key was accepted for ${ms} ms`)
}

export const scenarios: Scenario[] = [
  serviceKilled,
  restart('postgres-restarted', 'SIGINT', 'PostgreSQL is stopped in order (fast) and started 3 s later'),
  restart('postgres-stopped-at-once', 'SIGQUIT', 'PostgreSQL is stopped at once (immediate) and started 3 s later'),
  restart('postgres-killed', 'SIGKILL', 'every process of PostgreSQL is killed, and it is started 3 s later'),
  frozen,
  frozenFailover,
  standbyLost,
  silent,
  vanished,
  standbyAddress,
  readOnly,
  connectionsCut,
  lockedTable,
  fullDisk,
  mailOutage,
]

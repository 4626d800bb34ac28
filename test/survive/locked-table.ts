import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Answer, durationOf, noteAnswers, quantile } from './answers.ts'
import { startTasks } from './load.ts'
import { breakFor, type Scenario } from './stage.ts'

const BURST = 400
const ORGANIZATIONS = 20

/**
 * Users cannot be written for 8 s. After a second 400 requests try at once, which fills the queue; from two seconds
 * later on, further requests show what a caller gets who comes then.
 */
export const lockedTable: Scenario = {
  name: 'locked-table',
  about: `users is locked for 8 s, and ${BURST} requests at once write to it`,
  async run(stage) {
    const [node] = stage.nodes
    if (!node) throw new Error('There is no process')
    const blocker = new pg.Client({ connectionString: stage.primary.url })
    await blocker.connect()
    const late: Answer[] = []
    const lateApi = noteAnswers(() => node.access.api, 0, late)
    let number = 0
    const organizations: string[] = []
    for (let n = 0; n < ORGANIZATIONS; n++) {
      const made = await node.access.api.post('/v1/organizations', { name: 'Locked', slug: `locked-${n}` })
      organizations.push(made.body.subOrganization.id)
    }
    const write = (api: typeof lateApi) => {
      const users = [{ email: `locked-${number++}@example.com` }]
      return api.put('/v1/users', { subOrgId: organizations[number % ORGANIZATIONS], users }).catch(() => null)
    }
    let burst: Promise<unknown> = Promise.resolve()
    const lateWrites: Promise<unknown>[] = []
    const tasks = startTasks()
    await breakFor(stage, 8, {
      async begin() {
        await blocker.query('begin')
        await blocker.query('lock table users in access exclusive mode')
        void delay(1000).then(() => {
          burst = Promise.all(Array.from({ length: BURST }, () => write(node.access.api)))
        })
        // Each begins while those before it may still wait.
        void delay(3000).then(() => tasks.repeat(async () => void lateWrites.push(write(lateApi))))
      },
      end: async () => {
        await blocker.query('rollback')
      },
    })
    await tasks.end()
    await Promise.all([burst, ...lateWrites])
    await blocker.end()
    const refusals = late.filter(({ isRefusal, endedAt }) => isRefusal && endedAt < stage.healedAt).map(durationOf)
    const [median, p99] = [0.5, 0.99].map((share) => quantile(refusals, share).toFixed(0))
    stage.notes.push(`${refusals.length} refusals with a full queue: p50 ${median} ms, p99 ${p99} ms (target: 100 ms)`)
  },
}

import { request as send } from 'node:http'
import { sql } from 'kysely'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { lockConnections } from '../../../test/held-connections.ts'
import { serve } from '../../../test/walkers/extra-routes.ts'
import { pauseDeadline, startDeadline, timeToAnswer, waitUntilDeadline } from '../db/deadline.ts'
import { isPoolExhausted } from '../db/failure.ts'
import { type Deadline, untilDeadline, withoutDeadline } from '../db/lanes.ts'
import { outsideTurn } from '../limits/place.ts'
import { html } from '../pages/html.ts'
import { definePage } from '../pages/pages.ts'
import { openThreadPool, withTurn } from '../thread-pool.ts'
import type { Route } from './route.ts'

// How long a request waits for the database, and when it is refused without waiting.

const app = await startApp({ bounds: { requestMs: 5000, fullMs: 2000 } })
const { platform } = app.app
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
await sql`create table written (step int)`.execute(platform.db)

let aheadMs = 0
// The clock does not advance between the steps of a test, so a busy machine makes nothing late.
const stoppedMs = performance.now()
// Shared process: stops the clock of `performance.now`. `afterAll` restores it.
const spied = vi.spyOn(performance, 'now').mockImplementation(() => stoppedMs + aheadMs)
afterAll(() => spied.mockRestore())
const pass = (ms: number) => {
  aheadMs += ms
}
afterEach(async () => void (await sql`truncate written`.execute(platform.db)))

const write = (step: number, db = platform.db) => sql`insert into written values (${step})`.execute(db)
const serverProcess = async (db = platform.db) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
const written = async () =>
  (await sql<{ step: number }>`select step from written order by step`.execute(platform.db)).rows.map(
    ({ step }) => step,
  )

const page = (path: `/${string}`, render: () => Promise<unknown>, more: Partial<Route> = {}) =>
  definePage({ path, summary: 'Waits', render: async () => html`${String(await render())}` }).map((route) => ({
    ...route,
    ...more,
  }))

async function writeTwice(between: () => void): Promise<void> {
  await write(1)
  between()
  await write(2)
}

async function writeTwiceAtOnce(between: () => void): Promise<void> {
  await platform.tx(async (tx) => {
    await write(1, tx)
    between()
    await write(2, tx)
  })
}

async function commitLate(): Promise<void> {
  await platform.tx(async (tx) => {
    await write(1, tx)
    pass(4600)
  })
}

const base = await serve(app, [
  ...page('/test/apart', () => writeTwice(() => pass(4600))),
  ...page('/test/apart-in-time', () => writeTwice(() => pass(4000))),
  ...page('/test/transaction', () => writeTwiceAtOnce(() => pass(4600))),
  ...page('/test/commit', commitLate),
  ...page('/test/export', () => writeTwice(() => pass(60_000)), { longRunning: true }),
  ...page('/test/peer', () =>
    writeTwice(() => undefined)
      .then(() => outsideTurn(async () => pass(60_000)))
      .then(() => write(3)),
  ),
])

async function outcomeOf(path: string) {
  const reply = await fetch(base + path)
  return { status: reply.status, retryAfter: reply.headers.get('retry-after'), written: await written() }
}

test('a request whose time is over begins no further statement, and commits nothing', async () => {
  const refused = { status: 503, retryAfter: '1' }
  expect(await outcomeOf('/test/apart')).toEqual({ ...refused, written: [1] })
  await sql`truncate written`.execute(platform.db)
  expect(await outcomeOf('/test/transaction')).toEqual({ ...refused, written: [] })
  expect(await outcomeOf('/test/commit')).toEqual({ ...refused, written: [] })
  expect(await outcomeOf('/test/apart-in-time')).toEqual({ status: 200, retryAfter: null, written: [1, 2] })
})

test('a transaction that runs out of time is rolled back, and its connection goes on', async () => {
  const seen = new Set<number | undefined>()
  const [route] = page('/test/processes', () =>
    platform.tx(async (tx) => {
      seen.add(await serverProcess(tx))
      pass(4600)
      await write(1, tx)
    }),
  )
  if (!route) throw new Error('No route')
  const own = await serve(app, [route])
  for (let i = 0; i < 3; i++) expect((await fetch(`${own}/test/processes`)).status).toBe(503)
  const alive = await sql<{ pid: number }>`select pid from pg_stat_activity where state = 'idle'`.execute(platform.db)
  expect(alive.rows.map(({ pid }) => pid)).toEqual(expect.arrayContaining([...seen]))
})

test('an export and what waits for another server may take longer', async () => {
  expect(await outcomeOf('/test/export')).toEqual({ status: 200, retryAfter: null, written: [1, 2] })
  await sql`truncate written`.execute(platform.db)
  expect(await outcomeOf('/test/peer')).toEqual({ status: 200, retryAfter: null, written: [1, 2, 3] })
})

test('the time of a request stands still while it waits for other servers, once for all of them', async () => {
  const deadline = startDeadline(5000)
  const left = await untilDeadline(deadline, async () => {
    await Promise.all([outsideTurn(async () => pass(10_000)), outsideTurn(async () => pass(20_000))])
    return timeToAnswer(100_000)
  })
  expect(left).toBe(5000)
})

test('a computation costs a request no time, the wait for its turn does', async () => {
  const { clock } = platform
  const queue = { turns: 1, places: 10, lightCost: 1, clock }
  const start = () => {
    throw new Error('No threads')
  }
  const pool = openThreadPool({ ...queue, patienceMs: 2000, busyDetail: 'Busy', start, onWaiting: () => undefined })
  const [first, second] = [startDeadline(5000), startDeadline(5000)]
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const compute = (deadline: Deadline, work: () => Promise<void>) =>
    untilDeadline(deadline, async () => {
      await withTurn(pool, { id: 'a' }, 1, work)
      return timeToAnswer(100_000)
    })
  const left = compute(first, async () => {
    pass(3000)
    await ended
  })
  const leftAfterWait = compute(second, async () => {
    await left
    pass(60_000)
  })
  end()
  expect([await left, await leftAfterWait]).toEqual([5000, 2000])
})

test('what a request has begun in the background goes on after its answer', async () => {
  const { promise: answered, resolve: go } = Promise.withResolvers<void>()
  const background = Promise.withResolvers<void>()
  const [route] = page('/test/background', async () => {
    answered.then(() => write(1)).then(() => background.resolve(), background.reject)
  })
  if (!route) throw new Error('No route')
  const own = await serve(app, [route])
  await (await fetch(`${own}/test/background`)).text()
  // The service has noticed the end of that request before it answers the next.
  await (await fetch(`${own}/healthz`)).text()
  pass(10_000)
  go()
  await background.promise
  expect(await written()).toEqual([1])
})

test('what a request shares with others it waits for no longer than it may, except while its time stands still', async () => {
  const share = (deadline: Deadline) =>
    untilDeadline(deadline, () =>
      waitUntilDeadline(withoutDeadline(() => sql`select pg_sleep(0.2)`.execute(platform.db))).then(
        () => 'read',
        (error: unknown) => isPoolExhausted(error) && 'refused',
      ),
    )
  const [late, answered, outside] = [startDeadline(100), startDeadline(100), startDeadline(100)]
  pauseDeadline(outside)
  pass(200)
  answered.isOver = true
  expect(await Promise.all([late, answered, outside].map(share))).toEqual(['refused', 'read', 'read'])
})

test('a body that arrives slowly leaves the request its whole time', async () => {
  // The key is cached, so the service begins to read the body at once.
  await tenant.get('/v1/api-keys/current')
  const text = JSON.stringify({ subOrgId, email: 'ada@example.com' })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { 'x-api-key': tenant.key, 'content-type': 'application/json', expect: '100-continue' }
  const outgoing = send(`${app.baseUrl}/v1/users`, { method: 'POST', headers }, (answer) => {
    answer.resume()
    resolve(answer.statusCode ?? 0)
  })
  outgoing.on('error', reject)
  outgoing.on('continue', () => {
    pass(20_000)
    outgoing.end(text)
  })
  outgoing.flushHeaders()
  expect(await promise).toBe(200)
})

const waiting = () => platform.database.poolStates().find(({ name }) => name === 'requests')?.waiting
const creation = () => tenant.post('/v1/users', { subOrgId, email: `${crypto.randomUUID()}@example.com` })

test('a request is refused without waiting while no connection becomes free, and served as soon as one does', async () => {
  expect((await creation()).status).toBe(200)
  const end = await lockConnections(platform)
  const first = creation()
  await until(async () => waiting() === 1)
  const second = creation()
  await until(async () => waiting() === 2)
  pass(1100)
  const third = await creation()
  expect([third.status, third.body.code, third.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  expect(waiting()).toBe(2)
  // A job is not waited for by a request.
  const job = withoutDeadline(() => serverProcess())
  await until(async () => waiting() === 3)
  await end()
  expect([(await first).status, (await second).status]).toEqual([200, 200])
  expect(await job).toEqual(expect.any(Number))
  expect((await creation()).status).toBe(200)
})

test('an anonymous request is served while callers are refused', async () => {
  const end = await lockConnections(platform)
  const job = serverProcess()
  await until(async () => waiting() === 1)
  pass(1100)
  const [route] = page('/test/nothing', () => write(1))
  if (!route) throw new Error('No route')
  const own = await serve(app, [route])
  expect((await fetch(`${own}/test/nothing`)).status).toBe(200)
  await end()
  await job
})

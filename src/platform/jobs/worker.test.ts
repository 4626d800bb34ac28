import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { enqueue, type JobHandler } from './queue.ts'
import { renewClaims, startWorker } from './worker.ts'

const { app, logLines } = await startApp()
const { platform } = app

interface Claim {
  locked_by: string | null
  attempts: number
}

async function claims(): Promise<Claim[]> {
  const { rows } = await sql<Claim>`select locked_by, attempts from graphile_worker._private_jobs order by id`.execute(
    platform.db,
  )
  return rows
}

/** A handler that records its payloads, and waits for `release` if given. */
function recorder(release?: Promise<void>) {
  const seen: unknown[] = []
  const handler: JobHandler = {
    name: 'test.record',
    async handle(_platform, payload) {
      seen.push(payload)
      await release
    },
  }
  return { seen, handler }
}

async function claimAll(secondsAgo: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`update graphile_worker._private_jobs
    set locked_by = 'another', locked_at = now() - make_interval(secs => ${secondsAgo}) returning id::text`.execute(
    platform.db,
  )
  return rows.map(({ id }) => id)
}

test('the job of a process that died is given back after a minute, that of a living one never', async () => {
  await enqueue(platform.db, 'test.record', { n: '1' })
  await claimAll(50)
  await renewClaims(platform.db, [])
  expect(await claims()).toEqual([{ locked_by: 'another', attempts: 0 }])
  await renewClaims(platform.db, await claimAll(70))
  expect(await claims()).toEqual([{ locked_by: 'another', attempts: 0 }])
  await claimAll(70)
  await renewClaims(platform.db, [])
  expect(await claims()).toEqual([{ locked_by: null, attempts: 0 }])

  const { seen, handler } = recorder()
  const worker = await startWorker(platform, [handler])
  await until(async () => (await claims()).length === 0)
  await worker.stop(5000)
  expect(seen).toEqual([{ n: '1' }])
})

test('a stop waits for a job, and gives back one that takes too long', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { seen, handler } = recorder(released)
  const worker = await startWorker(platform, [handler])
  await enqueue(platform.db, 'test.record', { n: '2' })
  await until(async () => seen.length === 1)
  expect(await claims()).toEqual([{ locked_by: expect.any(String), attempts: 1 }])
  await worker.stop(50)
  expect(await claims()).toEqual([{ locked_by: null, attempts: 1 }])

  const next = await startWorker(platform, [handler])
  await until(async () => seen.length === 2)
  const stopped = next.stop(10_000)
  release()
  await stopped
  await until(async () => (await claims()).length === 0)
})

test.each(['well', 'badly'])('goes on after the database was away as a job ended %s', async (how) => {
  const pool = platform.database.queuePool()
  const connect = pool.connect.bind(pool)
  const away = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  const ended: unknown[] = []
  const handler: JobHandler = {
    name: 'test.record',
    async handle(_platform, payload) {
      ended.push(payload)
      if (ended.length > 1) return
      Object.assign(pool, { connect: away })
      if (how === 'badly') throw new Error('A test')
    },
  }
  const worker = await startWorker(platform, [handler])
  await enqueue(platform.db, 'test.record', { n: 'away' })
  await until(async () => ended.length === 1 && !worker.isRunning())
  Object.assign(pool, { connect })
  await until(async () => worker.isRunning())
  // Simulates that a minute has passed. The queue still considers the job claimed.
  await claimAll(70)
  await renewClaims(platform.db, [])
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(platform.db)
  await until(async () => (await claims()).length === 0)
  expect(ended).toEqual([{ n: 'away' }, { n: 'away' }])
  await worker.stop(5000)
})

test('goes on after every connection to the database was cut', async () => {
  const { seen, handler } = recorder()
  const worker = await startWorker(platform, [handler])
  const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await cut.execute(platform.db)
  await until(async () =>
    enqueue(platform.db, 'test.record', { n: '3' }).then(
      () => true,
      () => false,
    ),
  )
  await until(async () => seen.length > 0)
  expect(worker.isRunning()).toBe(true)
  const reported = logLines.filter((line) => line.includes('The job queue reported an error'))
  expect(reported.map((line) => JSON.parse(line).error?.code)).toContain('57P01')
  expect(reported.join()).not.toContain('terminating connection')
  await worker.stop(5000)
})

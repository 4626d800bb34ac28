import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { ApiError } from '../errors.ts'
import { closePasswordPool, computePassword } from './password-pool.ts'

const { app, as } = await startApp()
const { platform } = app
const task = { input: 'correct horse', memoryKib: 19_456, iterations: 2, parallelism: 1 }
const threads = Math.max(2, availableParallelism())
const places = threads * 11
const hasher = { platform, directory: { id: 'one' } }

async function waiting(): Promise<number | undefined> {
  return (await platform.metrics.passwordsWaiting.get()).values[0]?.value
}

/** The nice value of a thread of this process. The process id stands for the thread that answers requests. */
function niceness(id: number | string): number {
  return Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
}

/** Requests this many hashes, and waits until all are done. */
async function flood(count: number) {
  const settled = await Promise.allSettled(
    Array.from({ length: count }, () => computePassword(hasher, 'hashArgon2id', task)),
  )
  const hashes = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  return { hashes, errors }
}

test('a thousand at once: ten times as many wait as are hashed, the others are refused', async () => {
  const flooded = flood(1000)
  expect(await waiting()).toBe(places - threads)
  const { hashes, errors } = await flooded
  expect([hashes.length, new Set(hashes).size, errors.length]).toEqual([places, places, 1000 - places])
  for (const error of errors) {
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      definition: { status: 503, code: 'unavailable' },
      details: { headers: { 'retry-after': '1' } },
    })
  }
  // Every place is free again.
  expect(await waiting()).toBe(0)
  const after = await flood(places)
  expect([after.hashes.length, after.errors.length]).toEqual([places, 0])
})

test('requests and the threads of libuv are served while every thread hashes', async () => {
  let done = 0
  const heavy = { ...task, memoryKib: 65_536, iterations: 20 }
  const hashing = Array.from({ length: availableParallelism() }, () =>
    computePassword(hasher, 'hashArgon2id', heavy).finally(() => done++),
  )
  const replies = await Promise.all(Array.from({ length: 20 }, () => as(null).get('/healthz')))
  await Promise.all(Array.from({ length: 20 }, () => readFile(import.meta.filename)))
  expect([new Set(replies.map((reply) => reply.status)), done]).toEqual([new Set([200]), 0])
  await Promise.all(hashing)
  expect(done).toBe(availableParallelism())
})

test('the threads that hash give way to the one that answers', async () => {
  await computePassword(hasher, 'hashArgon2id', task)
  if (process.platform !== 'linux') return
  const threads = readdirSync('/proc/self/task').map(niceness)
  expect(threads).toContain(Math.min(19, niceness(process.pid) + 10))
})

test('work that fails gives its place back', async () => {
  await expect(computePassword(hasher, 'verifyArgon2', { hash: 'no hash', input: '' })).rejects.toThrow()
  expect(await waiting()).toBe(0)
  expect((await flood(places)).errors).toEqual([])
})

test('a closed pool refuses', async () => {
  await closePasswordPool(platform)
  const { hashes, errors } = await flood(2)
  expect([hashes, errors.map((error) => error.definition.code)]).toEqual([[], ['unavailable', 'unavailable']])
})

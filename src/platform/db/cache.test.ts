import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { startSilentProxy } from '../../../test/peers/silent-proxy.ts'
import { startSecondApp } from '../../../test/second-app.ts'
import { type CacheOptions, openCaches } from './cache.ts'
import { startDeadline } from './deadline.ts'
import { isPoolExhausted } from './failure.ts'
import { currentPlace, untilDeadline } from './lanes.ts'

const service = await startApp()
const { platform } = service.app

const HOUR_MS = 3_600_000

/** Caches that listen through a proxy and keep values for an hour, and one cache that counts its reads. */
async function startListening(options: CacheOptions = { disconnectedTtlMs: HOUR_MS }) {
  const proxy = await startSilentProxy(service.databaseUrl)
  const caches = openCaches(proxy.url, platform.log, { ttlMs: HOUR_MS, ...options })
  onTestFinished(async () => {
    await caches.close()
    await proxy.close()
  })
  let reads = 0
  const cache = caches.define('cache_test_listening', async () => ++reads)
  // The first value was read before the cache started to listen.
  await until(async () => {
    const value = Number(await cache.get('key'))
    return value > 1 && (await cache.get('key')) === value
  })
  return { proxy, caches, cache }
}

test('a value is read once for concurrent callers and for those after them', async () => {
  const { caches } = await startListening()
  let reads = 0
  const cache = caches.define<string | null>('cache_test_once', async (key) => {
    reads++
    return key === 'nothing' ? null : key
  })
  for (const [key, value] of [
    ['something', 'something'],
    ['nothing', null],
  ] as const) {
    reads = 0
    expect(await Promise.all([cache.get(key), cache.get(key)])).toEqual([value, value])
    expect(await cache.get(key)).toBe(value)
    expect(reads).toBe(1)
  }
  expect([cache.has('something'), cache.has('nothing')]).toEqual([true, false])
})

test('what could not be read is read again', async () => {
  const { caches } = await startListening()
  let fails = true
  const cache = caches.define('cache_test_failing', async (key) => {
    if (fails) throw new Error('unreadable')
    return key
  })
  await expect(cache.get('key')).rejects.toThrow('unreadable')
  fails = false
  expect(await cache.get('key')).toBe('key')
  fails = true
  expect(await cache.get('key')).toBe('key')
})

test('a change drops what is known and what is being read, and no other entry', async () => {
  const { caches } = await startListening()
  let value = 'before'
  let go = Promise.withResolvers<void>()
  const cache = caches.define('cache_test_changed', async (key) => {
    const read = `${key} ${value}`
    await go.promise
    return read
  })
  const change = (to: string) =>
    platform.tx(async (tx) => {
      await cache.invalidate(tx, 'a')
      value = to
    })
  const reading = cache.get('a')
  await change('after')
  go.resolve()
  expect(await reading).toBe('a before')
  expect(await cache.get('a')).toBe('a after')
  expect(await cache.get('b')).toBe('b after')
  go = Promise.withResolvers<void>()
  await change('later')
  expect(await cache.get('b')).toBe('b after')
  const again = cache.get('a')
  go.resolve()
  expect(await again).toBe('a later')
})

test('a request waits for what another one reads no longer than it may, and the reading goes on', async () => {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const cache = platform.caches.define('cache_test_slow', async (key) => {
    await freed
    return [key, currentPlace().deadline]
  })
  const late = await Promise.allSettled([1, 2].map(() => untilDeadline(startDeadline(20), () => cache.get('key'))))
  expect(late.map((one) => one.status === 'rejected' && isPoolExhausted(one.reason))).toEqual([true, true])
  free()
  expect(await cache.get('key')).toEqual(['key', null])
})

/** Waits until a value is read again, which happens after it was invalidated. */
const untilAfter = (cache: { get(key: string): unknown }, before: number) =>
  until(async () => Number(await cache.get('key')) > before)

test('a lost listening connection makes every entry due, and so does the next one', async () => {
  const { proxy, cache } = await startListening({ disconnectedTtlMs: HOUR_MS })
  const whileListening = Number(await cache.get('key'))
  expect(await cache.get('key')).toBe(whileListening)
  proxy.refuse()
  await untilAfter(cache, whileListening)
  expect(cache.has('key')).toBe(true)
  const whileDeaf = Number(await cache.get('key'))
  expect(await cache.get('key')).toBe(whileDeaf)
  proxy.refuse(false)
  await untilAfter(cache, whileDeaf)
})

test('while nothing is heard, a value is used as briefly as that, and read once for all who ask meanwhile', async () => {
  const { proxy, cache } = await startListening({ disconnectedTtlMs: 0 })
  proxy.refuse()
  const before = Number(await cache.get('key'))
  await untilAfter(cache, before)
  const read = await Promise.all([cache.get('key'), cache.get('key')])
  expect(read[0]).toBe(read[1])
  await untilAfter(cache, Number(read[0]))
})

test('a listening connection whose server does not answer is noticed and replaced', async () => {
  const { proxy, cache } = await startListening({ disconnectedTtlMs: 0, beatMs: 20 })
  const before = Number(await cache.get('key'))
  proxy.silence()
  await untilAfter(cache, before)
})

test('a key that is revoked while another process hears nothing is refused there, however long it may be known', async () => {
  const tenant = await service.tenant()
  const { key } = await tenant.withKey({})
  const other = await startSecondApp(service)
  const { body } = await service.as(key).get('/v1/api-keys/current')
  // Without a running clock, known values never expire.
  // Shared process: stops the clock until the test ends.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  expect((await other.as(key).get('/v1/users')).status).toBe(200)
  const cut = await until(async () => {
    const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'watchword-cache' and datname = current_database()`.execute(platform.db)
    return rows.length >= 2 && rows.length
  })
  expect(cut).toBe(2)
  expect((await tenant.delete(`/v1/api-keys/${body.id}`)).status).toBe(200)
  await until(async () => (await other.as(key).get('/v1/users')).status === 401)
})

test('a value is read again once the clock was set back to before it was read', async () => {
  const { caches } = await startListening()
  const start = Date.now()
  // Shared process: stops the clock until the test ends.
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => void vi.useRealTimers())
  let reads = 0
  const cache = caches.define('cache_test_set_back', async () => ++reads)
  expect(await cache.get('key')).toBe(1)
  expect(await cache.get('key')).toBe(1)
  vi.setSystemTime(start - HOUR_MS)
  expect(await cache.get('key')).toBe(2)
  expect(await cache.get('key')).toBe(2)
})

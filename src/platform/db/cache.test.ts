import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { startDeadline } from './deadline.ts'
import { isPoolExhausted } from './failure.ts'
import { currentPlace, untilDeadline } from './lanes.ts'

const { platform } = (await startApp()).app

test('what is known is answered at once, what has to be read by a promise that all share who ask meanwhile', async () => {
  let reads = 0
  const cache = platform.caches.define<string | null>('cache_test_once', async (key) => {
    reads++
    return key === 'nothing' ? null : key
  })
  for (const [key, value] of [
    ['something', 'something'],
    ['nothing', null],
  ] as const) {
    reads = 0
    const first = cache.get(key)
    expect(first).toBeInstanceOf(Promise)
    expect(cache.get(key)).toBe(first)
    expect(await first).toBe(value)
    expect(cache.get(key)).toBe(value)
    expect(reads).toBe(1)
  }
  expect([cache.has('something'), cache.has('nothing')]).toEqual([true, false])
})

test('what could not be read is read again', async () => {
  let fails = true
  const cache = platform.caches.define('cache_test_failing', async (key) => {
    if (fails) throw new Error('unreadable')
    return key
  })
  await expect(cache.get('key')).rejects.toThrow('unreadable')
  fails = false
  expect(await cache.get('key')).toBe('key')
  expect(cache.get('key')).toBe('key')
})

test('a change drops what is known and what is being read, and no other entry', async () => {
  let value = 'before'
  let go = Promise.withResolvers<void>()
  const cache = platform.caches.define('cache_test_changed', async (key) => {
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
  expect(cache.get('b')).toBe('b after')
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
  const late = await Promise.allSettled(
    [1, 2].map(() => untilDeadline(startDeadline(20), async () => cache.get('key'))),
  )
  expect(late.map((one) => one.status === 'rejected' && isPoolExhausted(one.reason))).toEqual([true, true])
  free()
  expect(await cache.get('key')).toEqual(['key', null])
})

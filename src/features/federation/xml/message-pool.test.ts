import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import type * as worker from '../../../../test/peers/spinning-worker.ts'
import { closeMessagePool, countMessageThreads, defineThreadWork, withMessagePlace } from './message-pool.ts'
import { XmlRefusal } from './refusal.ts'

const app = await startApp()
const { platform } = app.app
const inThread = defineThreadWork<typeof worker>(new URL('../../../../test/peers/spinning-worker.ts', import.meta.url))
const owner = (id: string) => ({ platform, directory: { id } })
const echo = (id: string) => inThread(owner(id), { name: 'echo', bytes: 1 }, id)

test('there are no threads before the first message', async () => {
  expect(countMessageThreads(platform)).toBe(0)
  expect(await echo('one')).toBe('one')
  expect(countMessageThreads(platform)).toBe(1)
})

test('work that does not end is ended after ten seconds, with its thread, and others go on', async () => {
  const spinning = inThread(owner('one'), { name: 'spin', bytes: 1 }, undefined as never).catch((error) => error)
  expect(await echo('two')).toBe('two')
  await app.advance(9)
  expect(await Promise.race([spinning, echo('two')])).toBe('two')
  await app.advance(2)
  const error = await spinning
  expect(error).toBeInstanceOf(XmlRefusal)
  expect(error).toMatchObject({ reason: 'too_large' })
  expect(await Promise.all([echo('one'), echo('two'), echo('three')])).toEqual(['one', 'two', 'three'])
})

test('an error of the work rejects the caller and frees its place', async () => {
  await expect(inThread(owner('one'), { name: 'fail', bytes: 1 }, undefined as never)).rejects.toThrow('of the work')
  expect(await echo('one')).toBe('one')
})

test('one directory holds 32 places, and the others have theirs', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const held = Array.from({ length: 32 }, () => withMessagePlace(owner('full'), () => end))
  await expect(echo('full')).rejects.toMatchObject({
    definition: { code: 'unavailable' },
    details: { headers: { 'retry-after': '1' } },
  })
  expect(await echo('other')).toBe('other')
  resolve()
  await Promise.all(held)
  expect(await echo('full')).toBe('full')
})

test('a message that waits longer than five seconds is refused', async () => {
  const spinning = ['one', 'two'].map((id) =>
    inThread(owner(id), { name: 'spin', bytes: 1 }, undefined as never).catch((error) => error),
  )
  await until(async () => countMessageThreads(platform) === 2)
  const waiting = echo('three').catch((error) => error)
  await app.advance(6)
  expect(await waiting).toMatchObject({ definition: { code: 'unavailable' } })
  await app.advance(5)
  expect(await Promise.all(spinning)).toMatchObject([{ reason: 'too_large' }, { reason: 'too_large' }])
})

test('a closed pool refuses', async () => {
  await closeMessagePool(platform)
  await expect(echo('one')).rejects.toMatchObject({ definition: { code: 'unavailable' } })
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../../test/harness.ts'
import { ApiError } from '../errors.ts'
import { openAdmission } from './admission.ts'

const present = () => false

/** Runs so many that end when they are told to, and says who is running. */
function crowd(places: number) {
  const { inTurn } = openAdmission(places)
  const running: number[] = []
  const ends: (() => void)[] = []
  const enter = (n: number, isGone = present) =>
    inTurn(async () => {
      running.push(n)
      await new Promise<void>((resolve) => {
        ends[n] = resolve
      })
      running.splice(running.indexOf(n), 1)
    }, isGone)
  return { running, ends, enter }
}

test('so many run at once as there are places; the others follow in the order in which they came', async () => {
  const { running, ends, enter } = crowd(2)
  const all = [0, 1, 2, 3].map((n) => enter(n))
  await nextTurn()
  await nextTurn()
  expect(running).toEqual([0, 1])
  ends[1]?.()
  await until(async () => running.includes(2))
  expect(running).toEqual([0, 2])
  ends[0]?.()
  await until(async () => running.includes(3))
  for (const end of ends) end()
  await Promise.all(all)
  expect(running).toEqual([])
})

test('few begin in one turn of the event loop, however many places there are', async () => {
  const { inTurn } = openAdmission(1000)
  let [begun, most] = [0, 0]
  const all = Array.from({ length: 100 }, () => inTurn(async () => void begun++, present))
  let before = 0
  while (begun < 100) {
    await nextTurn()
    most = Math.max(most, begun - before)
    before = begun
  }
  await Promise.all(all)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(16)
})

test('who has hung up takes no place, and who waits too long or behind too many is refused', async () => {
  const { running, ends, enter } = crowd(1)
  const first = enter(0)
  const refusal = (error: unknown) => error instanceof ApiError && error.definition.code
  const [gone, late] = [enter(1, () => true).catch(refusal), enter(2).catch(refusal)]
  const many = Array.from({ length: 1998 }, (_, n) => enter(n + 3).catch(refusal))
  expect(await enter(5000).catch(refusal)).toBe('unavailable')
  expect([await gone, await late, ...(await Promise.all(many))]).toEqual(Array(2000).fill('unavailable'))
  expect(running).toEqual([0])
  ends[0]?.()
  await first
  const next = enter(6000)
  await until(async () => running.includes(6000))
  ends[6000]?.()
  await next
})

test('a pause comes in a later turn, and not to any number at once', async () => {
  const { pause } = openAdmission(1)
  let ended = 0
  const pauses = Array.from({ length: 2000 }, async () => {
    expect(await pause()).toBe(true)
    ended++
  })
  expect(await pause()).toBe(false)
  for (let n = 0; n < 10; n++) await nextTurn()
  expect(ended).toBe(0)
  await Promise.all(pauses)
  expect(await pause()).toBe(true)
})

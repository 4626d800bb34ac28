import { expect, test } from 'vitest'
import { countWaiting, enterQueue, leaveQueue, openFairQueue, refuseWaiting, takeTurn } from './fair-queue.ts'

const LIGHT = 76
const COSTLY = 1024

/** A queue whose time stands still until `pass`, and what became of those who ask it. */
function start(threads = 3, places = 33) {
  let now = 0
  const timers = new Map<() => void, number>()
  const queue = openFairQueue({
    threads,
    places,
    lightCost: LIGHT,
    clock: {
      now: () => new Date(now),
      startTimer(ms, due) {
        timers.set(due, now + ms)
        return () => void timers.delete(due)
      },
    },
  })
  const log: string[] = []
  const turns: { name: string; end: () => void }[] = []
  const ask = (name: string, directory: string, cost: number) => {
    const place = enterQueue(queue, directory, 2000)
    if (!place) return void log.push(`${name} refused`)
    void takeTurn(queue, place, cost).then((end) => {
      if (!end) leaveQueue(queue, place)
      log.push(end ? name : `${name} gave up`)
      if (!end) return
      const finish = () => {
        end()
        leaveQueue(queue, place)
      }
      turns.push({ name, end: finish })
    })
  }
  const settled = async () => {
    for (let n = 0; n < 5; n++) await Promise.resolve()
    return log.splice(0)
  }
  return {
    queue,
    ask,
    settled,
    /** Ends the turns that have these names. */
    async end(...names: string[]) {
      for (const turn of turns.filter(({ name }) => names.includes(name))) {
        turns.splice(turns.indexOf(turn), 1)
        turn.end()
      }
      return settled()
    },
    async pass(ms: number) {
      now += ms
      for (const [due, at] of [...timers]) if (at <= now) due()
      return settled()
    },
    timers: () => timers.size,
  }
}

test('costly hashes of one directory leave a thread, on which another is hashed at once', async () => {
  const { ask, settled, end } = start()
  for (let n = 0; n < 6; n++) ask(`x${n}`, 'x', COSTLY)
  expect(await settled()).toEqual(['x0', 'x1'])
  ask('y0', 'y', LIGHT)
  expect(await settled()).toEqual(['y0'])
  ask('z0', 'z', COSTLY)
  expect(await end('y0')).toEqual([])
  expect(await end('x0')).toEqual(['z0'])
})

test('costly hashes of many directories leave it as well', async () => {
  const { ask, settled } = start()
  for (let n = 0; n < 6; n++) ask(`x${n}`, `x${n}`, COSTLY)
  ask('y0', 'y', LIGHT)
  expect(await settled()).toEqual(['x0', 'x1', 'y0'])
})

test('directories take turns, however many of one wait', async () => {
  const { ask, settled, end } = start(1)
  for (let n = 0; n < 4; n++) ask(`x${n}`, 'x', LIGHT)
  ask('y0', 'y', LIGHT)
  ask('y1', 'y', LIGHT)
  ask('z0', 'z', LIGHT)
  const order = [...(await settled())]
  while (order.length < 7) order.push(...(await end(order.at(-1) ?? '')))
  expect(order).toEqual(['x0', 'y0', 'z0', 'x1', 'y1', 'x2', 'x3'])
})

test('a turn counts what it costs: who has spent little goes first', async () => {
  const { ask, settled, end } = start(2)
  ask('x0', 'x', 10 * LIGHT)
  ask('x1', 'x', 10 * LIGHT)
  for (let n = 0; n < 12; n++) ask(`y${n}`, 'y', LIGHT)
  expect(await settled()).toEqual(['x0', 'y0'])
  const order = [...(await end('x0'))]
  expect(order).toEqual(['y1'])
  for (let n = 1; n < 11; n++) order.push(...(await end(`y${n - 1}`, `y${n}`)))
  expect(order.indexOf('x1')).toBeGreaterThanOrEqual(9)
  expect(order).toContain('x1')
})

test('a directory that comes back has not been forgotten while others wait', async () => {
  const { ask, settled, end } = start(1)
  ask('x0', 'x', LIGHT)
  for (let n = 0; n < 3; n++) ask(`y${n}`, 'y', LIGHT / 2)
  expect(await settled()).toEqual(['x0'])
  expect(await end('x0')).toEqual(['y0'])
  ask('x1', 'x', LIGHT)
  expect(await end('y0')).toEqual(['y1'])
  expect(await end('y1')).toEqual(['x1'])
})

test('nobody waits longer than two seconds, and over all hashes of a request no longer either', async () => {
  const { queue, ask, settled, end, pass, timers } = start(1)
  ask('x0', 'x', LIGHT)
  ask('y0', 'y', LIGHT)
  expect(await settled()).toEqual(['x0'])
  expect(await pass(1999)).toEqual([])
  expect(await pass(1)).toEqual(['y0 gave up'])
  expect([await end('x0'), timers(), countWaiting(queue)]).toEqual([[], 0, 0])
  const place = enterQueue(queue, 'x', 2000)
  if (!place) throw new Error('full')
  ask('y1', 'y', LIGHT)
  const first = takeTurn(queue, place, LIGHT)
  await pass(1500)
  await end('y1')
  const endFirst = await first
  ask('y2', 'y', LIGHT)
  endFirst?.()
  const second = takeTurn(queue, place, LIGHT)
  await pass(500)
  expect(await second).toBeNull()
})

test('a full queue makes room for a directory that has less of it, at the cost of the most crowded', async () => {
  const { ask, settled } = start(1, 4)
  for (let n = 0; n < 5; n++) ask(`x${n}`, 'x', LIGHT)
  expect(await settled()).toEqual(['x4 refused', 'x0'])
  ask('y0', 'y', LIGHT)
  expect(await settled()).toEqual(['x3 gave up'])
  ask('y1', 'y', LIGHT)
  ask('y2', 'y', LIGHT)
  ask('x5', 'x', LIGHT)
  expect(await settled()).toEqual(['y2 refused', 'x5 refused', 'x2 gave up'])
})

test('a full queue takes a directory with less than its share though nobody waits who could make room', async () => {
  const { queue, ask, settled } = start(1, 4)
  // A request between two hashes, or before its first, has a place and waits for no turn.
  for (let n = 0; n < 4; n++) enterQueue(queue, 'x', 2000)
  ask('x4', 'x', LIGHT)
  ask('y0', 'y', LIGHT)
  ask('y1', 'y', LIGHT)
  ask('y2', 'y', LIGHT)
  expect(await settled()).toEqual(['x4 refused', 'y2 refused', 'y0'])
})

test('as many directories as there are places do not keep the next one out, and twice as many do', async () => {
  const { ask, settled } = start(1, 4)
  for (let n = 0; n < 9; n++) ask(`x${n}`, `x${n}`, LIGHT)
  ask('x0 again', 'x0', LIGHT)
  expect(await settled()).toEqual(['x8 refused', 'x0 again refused', 'x0'])
})

test('what is closed refuses all who wait', async () => {
  const { queue, ask, settled } = start(1)
  for (const name of ['x', 'y', 'z']) ask(name, name, LIGHT)
  expect(await settled()).toEqual(['x'])
  refuseWaiting(queue)
  expect(await settled()).toEqual(['y gave up', 'z gave up'])
})

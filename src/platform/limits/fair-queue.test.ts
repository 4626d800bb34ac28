import { setImmediate as nextIteration } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startDeadline } from '../db/deadline.ts'
import { untilDeadline } from '../db/lanes.ts'
import {
  countWaiting,
  enterQueue,
  inTurn,
  leaveQueue,
  type Owner,
  openFairQueue,
  refuseWaiting,
  type Turn,
  takeTurn,
} from './fair-queue.ts'

const LIGHT = 76
const COSTLY = 1024

/** A queue whose clock advances only by `pass`, and the results of its requests. */
function start(threads = 3, places = 33) {
  let now = 0
  const timers = new Map<() => void, number>()
  const queue = openFairQueue({
    turns: threads,
    places,
    patienceMs: 2000,
    lightCost: LIGHT,
    costsKnown: true,
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
    const place = enterQueue(queue, { id: directory })
    if (!place) return void log.push(`${name} refused`)
    void takeTurn(queue, place, cost).then((turn) => {
      log.push(turn ? name : `${name} gave up`)
      if (!turn) return
      const finish = () => {
        turn.leave()
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
    /** Ends the turns with these names. */
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
  const place = enterQueue(queue, { id: 'x' })
  if (!place) throw new Error('full')
  ask('y1', 'y', LIGHT)
  const first = takeTurn(queue, place, LIGHT)
  await pass(1500)
  await end('y1')
  const begun = await first
  ask('y2', 'y', LIGHT)
  begun?.leave()
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
  for (let n = 0; n < 4; n++) enterQueue(queue, { id: 'x' })
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

/** Jobs that end when the test says so, and the list of started jobs. */
function jobs(limits: Partial<Parameters<typeof openFairQueue>[0]>) {
  const queue = openFairQueue({ turns: 3, turnsOfOne: 2, places: 13, placesOfOne: 7, patienceMs: 60_000, ...limits })
  const begun: string[] = []
  const turns = new Map<string, Turn>()
  const ends = new Map<string, () => void>()
  const begin = (id: string, name: string, part?: string, isGone?: () => boolean) => {
    const run = async (turn: Turn) => {
      begun.push(name)
      turns.set(name, turn)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    }
    return inTurn(queue, { id, ...(part ? { part } : {}) }, run, isGone)
  }
  const end = async (...names: string[]) => {
    await nextIteration()
    for (const name of names) {
      ends.get(name)?.()
      await nextIteration()
    }
  }
  return { begun, begin, end, turns }
}

const busy = { definition: { code: 'unavailable' } }

test('an owner that wants all turns leaves the others theirs', async () => {
  const { begun, begin, end } = jobs({})
  const greedy = ['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name))
  const modest = ['b1', 'b2'].map((name) => begin('b', name))
  await nextIteration()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await end('b1')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
  await end('a2')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3'])
  await end('a1', 'b2', 'a3', 'a4')
  expect(await Promise.all([...greedy, ...modest])).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
})

test('the owner with the fewest turns goes next, in any order of arrival', async () => {
  const { begun, begin, end } = jobs({ turns: 2 })
  const all = [begin('a', 'a1'), begin('a', 'a2'), begin('a', 'a3'), begin('a', 'a4'), begin('b', 'b1')]
  await end('a1')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await end('a2', 'b1', 'a3', 'a4')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  await Promise.all(all)
})

test('a job that fails gives its turn and its place back', async () => {
  const queue = openFairQueue({ turns: 1, places: 1, patienceMs: 60_000 })
  await expect(inTurn(queue, { id: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inTurn(queue, { id: 'b' }, async () => 'next')).toBe('next')
})

test('a request is refused if its owner has every place that it may have, or if the queue is full', async () => {
  const { begin, end } = jobs({ turns: 1, placesOfOne: 2, places: 3 })
  const admitted = [begin('a', 'a1'), begin('a', 'a2')]
  await expect(begin('a', 'a3')).rejects.toMatchObject(busy)
  admitted.push(begin('b', 'b1'))
  await expect(begin('b', 'b2')).rejects.toMatchObject(busy)
  await end('a1', 'b1', 'a2')
  expect(await Promise.all(admitted)).toEqual(['a1', 'a2', 'b1'])
})

test('a request that waits too long is refused, and gets no turn later', async () => {
  const { begun, begin, end } = jobs({ turns: 1, patienceMs: 10 })
  const first = begin('a', 'a1')
  await expect(begin('b', 'b1')).rejects.toMatchObject(busy)
  await end('a1')
  await first
  const last = begin('c', 'c1')
  await end('c1')
  expect([await last, begun]).toEqual(['c1', ['a1', 'c1']])
})

test('a part that wants everything leaves the other parts of its owner their turns and places to wait', async () => {
  const { begun, begin, end } = jobs({ turnsOfOne: 1, placesOfOne: 5 })
  const greedy = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => begin('a', name, 'greedy').catch(() => `${name} refused`))
  await expect(begin('a', 'a6', 'greedy')).rejects.toMatchObject(busy)
  const modest = ['m1', 'm2'].map((name) => begin('a', name))
  await expect(begin('a', 'm3')).rejects.toMatchObject(busy)
  await end('a1', 'm1', 'a2', 'm2', 'a3')
  expect(begun).toEqual(['a1', 'm1', 'a2', 'm2', 'a3'])
  expect(await Promise.all([...greedy, ...modest])).toEqual(['a1', 'a2', 'a3', 'a4 refused', 'a5 refused', 'm1', 'm2'])
})

test('no part takes the last turn of its owner, and the part that has had the fewest is next', async () => {
  const { begun, begin, end } = jobs({})
  const all = ['g1', 'g2', 'g3'].map((name) => begin('a', name, 'greedy'))
  all.push(begin('a', 'm1', 'modest'), begin('a', 'm2', 'modest'))
  await nextIteration()
  expect(begun).toEqual(['g1', 'm1'])
  await end('g1', 'g2', 'm1', 'g3', 'm2')
  expect(begun).toEqual(['g1', 'm1', 'g2', 'g3', 'm2'])
  await Promise.all(all)
})

test('owners who fill all places with a few each leave one to an owner that has none', async () => {
  const { begin, end } = jobs({ turns: 1, places: 5 })
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']
  const all = names.map((name) => begin(name.slice(0, 1), name).catch(() => 'refused'))
  for (let n = 0; n < names.length; n++) await end(...names)
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'refused', 'b1', 'b2', 'c1'])
})

test('a request waits for its turn no longer than until its deadline', async () => {
  const { begun, begin, end } = jobs({ turns: 1 })
  const first = begin('a', 'a1')
  await expect(untilDeadline(startDeadline(520), () => begin('b', 'b1'))).rejects.toMatchObject(busy)
  await end('a1')
  await first
  expect(begun).toEqual(['a1'])
})

test('few turns begin in one iteration of the event loop, however many there are', async () => {
  const queue = openFairQueue({ turns: 1000, places: 1000, patienceMs: 60_000, perLoop: 2 })
  let begun = 0
  const all = Array.from({ length: 20 }, () => inTurn(queue, { id: 'a' }, async () => void begun++))
  await nextIteration()
  const counts = [begun]
  while (begun < 20) {
    await nextIteration()
    counts.push(begun)
  }
  await Promise.all(all)
  expect(Math.max(...counts.slice(1).map((count, n) => count - (counts[n] ?? 0)))).toBe(2)
})

test('a request whose client has hung up gets no turn', async () => {
  const { begun, begin, end } = jobs({ turns: 1 })
  const first = begin('a', 'a1')
  const gone = begin('b', 'b1', undefined, () => true)
  const next = begin('c', 'c1')
  await Promise.all([end('a1'), expect(gone).rejects.toMatchObject(busy)])
  await end('c1')
  expect([await first, await next, begun]).toEqual(['a1', 'c1', ['a1', 'c1']])
})

test("an interrupted turn is another's meanwhile, and is resumed even if all are taken", async () => {
  const { begun, begin, end, turns } = jobs({ turns: 1 })
  const all = ['a1', 'a2', 'a3'].map((name) => begin('a', name))
  await nextIteration()
  turns.get('a1')?.leave()
  await nextIteration()
  expect(begun).toEqual(['a1', 'a2'])
  turns.get('a1')?.comeBack()
  await end('a2')
  expect(begun).toEqual(['a1', 'a2'])
  await end('a1', 'a3')
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3'])
})

/**
 * Simulates workers that take one turn after another. Returns each worker's turns and the longest wait in
 * milliseconds.
 */
async function simulate(seconds: number, workers: { owner: Owner; turnMs: number; count: number }[]) {
  const queue = openFairQueue({ turns: 5, turnsOfOne: 3, places: 105, placesOfOne: 32, patienceMs: 60_000 })
  let now = 0
  const sleeping: { until: number; wake: () => void }[] = []
  const turns = workers.map(() => 0)
  const longest = workers.map(() => 0)
  const work = async (n: number, { owner, turnMs }: { owner: Owner; turnMs: number }): Promise<void> => {
    for (;;) {
      const since = now
      await inTurn(queue, owner, async () => {
        longest[n] = Math.max(longest[n] ?? 0, now - since)
        await new Promise<void>((wake) => sleeping.push({ until: now + turnMs, wake }))
      })
      turns[n] = (turns[n] ?? 0) + 1
    }
  }
  for (const [n, { count, ...one }] of workers.entries())
    for (let k = 0; k < count; k++) void work(n, one).catch(() => undefined)
  while (now < seconds * 1000) {
    await nextIteration()
    sleeping.sort((a, b) => a.until - b.until)
    const next = sleeping.shift()
    if (!next) throw new Error('Nobody has a turn')
    now = next.until
    next.wake()
  }
  return { turns, longest }
}

test.each<{ of: string; owners: [Owner, Owner, Owner] }>([
  { of: 'owners', owners: [{ id: 'x' }, { id: 'y' }, { id: 'z' }] },
  {
    of: 'parts of one owner',
    owners: [
      { id: 'a', part: 'x' },
      { id: 'a', part: 'y' },
      { id: 'a', part: 'z' },
    ],
  },
])('long turns of two $of do not delay short turns of a third for longer than one turn', async ({ owners }) => {
  const [x, y, z] = owners
  const { turns, longest } = await simulate(10, [
    { owner: x, turnMs: 1000, count: 8 },
    { owner: y, turnMs: 1000, count: 8 },
    { owner: z, turnMs: 5, count: 4 },
  ])
  expect(turns[2]).toBeGreaterThan(1500)
  // One turn of 1000 ms, and one of its own turns before it.
  expect(longest[2]).toBeLessThan(1020)
  // Workers with long turns continue meanwhile.
  expect([turns[0], turns[1]].every((count) => count !== undefined && count >= 9)).toBe(true)
})

test('an owner whose one turn lasts collects no claim to be next', async () => {
  const { ask, settled, end } = start(2)
  ask('x0', 'x', LIGHT)
  for (let n = 0; n < 9; n++) ask(`y${n}`, 'y', LIGHT)
  const order = [...(await settled())]
  for (let n = 0; n < 5; n++) order.push(...(await end(`y${n}`)))
  expect(order).toEqual(['x0', 'y0', 'y1', 'y2', 'y3', 'y4', 'y5'])
  for (let n = 1; n < 7; n++) ask(`x${n}`, 'x', LIGHT)
  const later: string[] = []
  for (let last = 'y5'; later.length < 6; last = later.at(-1) ?? '') later.push(...(await end(last)))
  expect(later.filter((name) => name.startsWith('x'))).toHaveLength(4)
})

test('the most crowded owner is known after any requests have come and gone', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', 'p', 'q'), fc.boolean()))
  fc.assert(
    fc.property(steps, (all) => {
      const queue = openFairQueue({ turns: 1, places: 1000, patienceMs: 60_000 })
      const places: NonNullable<ReturnType<typeof enterQueue>>[] = []
      for (const [id, part, leaves] of all) {
        const place = leaves ? null : enterQueue(queue, { id, part })
        if (place) places.push(place)
        const left = leaves ? places.shift() : undefined
        if (left) leaveQueue(queue, left)
        for (const group of [queue.all, ...queue.all.members.values()]) {
          const present = [...group.members.values()].map((member) => member.present)
          expect(group.most).toBe(Math.max(0, ...present))
          expect(group.crowds.get(group.most)?.size ?? 0).toBe(
            present.filter((one) => one === group.most && one > 0).length,
          )
          expect(group.sharing).toBe(present.filter((one) => one > 0).length)
        }
      }
    }),
  )
})

test('owners that are gone are forgotten, so that a stream of new ones takes no memory', async () => {
  const queue = openFairQueue({ turns: 2, places: 4, patienceMs: 60_000 })
  const stays = enterQueue(queue, { id: 'stays' })
  for (let n = 0; n < 100; n++) await inTurn(queue, { id: `owner ${n}` }, async () => undefined)
  expect(queue.all.members.size).toBeLessThanOrEqual(16)
  if (stays) leaveQueue(queue, stays)
  expect(queue.all.members.size).toBe(0)
})

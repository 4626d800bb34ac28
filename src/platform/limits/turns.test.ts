import { expect, test } from 'vitest'
import { startDeadline } from '../db/deadline.ts'
import { untilDeadline } from '../db/lanes.ts'
import { inTurn } from './turns.ts'

/** Jobs that end when told, and which of them have begun. */
function jobs(run: ReturnType<typeof inTurn>) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (owner: string, name: string, part?: string) =>
    run({ id: owner, ...(part ? { part } : {}) }, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  return { begun, begin, end: (name: string) => ends.get(name)?.() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const limits = { total: 3, perOwner: 2, waitingPerOwner: 5, waiting: 10, seconds: 60 }

test('an owner that wants all places leaves the others theirs', async () => {
  const { begun, begin, end } = jobs(inTurn(limits))
  const greedy = ['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name))
  const modest = ['b1', 'b2'].map((name) => begin('b', name))
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  end('b1')
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
  end('a2')
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3'])
  for (const name of ['a1', 'b2', 'a3']) end(name)
  await settled()
  end('a4')
  expect(await Promise.all([...greedy, ...modest])).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
})

test('whose owner runs the fewest is next, whoever came first', async () => {
  const { begun, begin, end } = jobs(inTurn({ ...limits, total: 2 }))
  const all = [begin('a', 'a1'), begin('a', 'a2'), begin('a', 'a3'), begin('a', 'a4'), begin('b', 'b1')]
  await settled()
  end('a1')
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  for (const name of ['a2', 'b1', 'a3', 'a4']) {
    end(name)
    await settled()
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  await Promise.all(all)
})

test('a job that fails gives its place back', async () => {
  const run = inTurn({ ...limits, total: 1 })
  await expect(run({ id: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await run({ id: 'a' }, async () => 'next')).toBe('next')
})

const busy = { definition: { code: 'unavailable' } }

test('who finds too many waiting, of all or of its owner, is refused', async () => {
  const { begin, end } = jobs(inTurn({ ...limits, total: 1, waitingPerOwner: 1, waiting: 2 }))
  const admitted = [begin('a', 'a1'), begin('a', 'a2')]
  await expect(begin('a', 'a3')).rejects.toMatchObject(busy)
  admitted.push(begin('b', 'b1'))
  await expect(begin('c', 'c1')).rejects.toMatchObject(busy)
  for (const name of ['a1', 'a2', 'b1']) {
    end(name)
    await settled()
  }
  expect(await Promise.all(admitted)).toEqual(['a1', 'a2', 'b1'])
})

test('who waits too long is refused, and takes no place later', async () => {
  const { begun, begin, end } = jobs(inTurn({ ...limits, total: 1, seconds: 0.01 }))
  const first = begin('a', 'a1')
  await expect(begin('b', 'b1')).rejects.toMatchObject(busy)
  end('a1')
  await first
  const last = begin('c', 'c1')
  await settled()
  end('c1')
  expect([await last, begun]).toEqual(['c1', ['a1', 'c1']])
})

test('a part that wants everything leaves the other parts of its owner their turns and places to wait', async () => {
  const { begun, begin, end } = jobs(inTurn({ ...limits, perOwner: 1, waitingPerOwner: 4 }))
  const greedy = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => begin('a', name, 'greedy').catch(() => `${name} refused`))
  await expect(begin('a', 'a6', 'greedy')).rejects.toMatchObject(busy)
  const modest = ['m1', 'm2'].map((name) => begin('a', name))
  await expect(begin('a', 'm3')).rejects.toMatchObject(busy)
  for (const name of ['a1', 'a2', 'a3', 'm1', 'm2']) {
    end(name)
    await settled()
  }
  expect(begun).toEqual(['a1', 'a2', 'a3', 'm1', 'm2'])
  expect(await Promise.all([...greedy, ...modest])).toEqual(['a1', 'a2', 'a3', 'a4 refused', 'a5 refused', 'm1', 'm2'])
})

test('no part takes the last place of its owner, and whose part runs the fewest is next', async () => {
  const { begun, begin, end } = jobs(inTurn({ ...limits, perOwner: 2 }))
  const all = ['g1', 'g2', 'g3'].map((name) => begin('a', name, 'greedy'))
  all.push(begin('a', 'm1', 'modest'), begin('a', 'm2', 'modest'))
  await settled()
  expect(begun).toEqual(['g1', 'm1'])
  for (const name of ['g1', 'g2', 'm1', 'g3', 'm2']) {
    end(name)
    await settled()
  }
  expect(begun).toEqual(['g1', 'm1', 'g2', 'g3', 'm2'])
  await Promise.all(all)
})

test('owners who fill all places to wait with a few each leave one to whoever has none', async () => {
  const { begin, end } = jobs(inTurn({ ...limits, total: 1, waiting: 4 }))
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']
  const all = names.map((name) => begin(name.slice(0, 1), name).catch(() => 'refused'))
  for (let n = 0; n < names.length; n++) {
    for (const name of names) end(name)
    await settled()
  }
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'refused', 'b1', 'b2', 'c1'])
})

test('a request waits for its turn no longer than it may', async () => {
  const { begun, begin, end } = jobs(inTurn({ ...limits, total: 1 }))
  const first = begin('a', 'a1')
  const second = untilDeadline(startDeadline(520), () => begin('b', 'b1'))
  await expect(second).rejects.toMatchObject({ definition: { code: 'unavailable' } })
  end('a1')
  await first
  expect(begun).toEqual(['a1'])
})

import { expect, test } from 'vitest'
import { inTurn } from './turns.ts'

/** Jobs that end when told, and which of them have begun. */
function jobs(run: ReturnType<typeof inTurn>) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (key: string, name: string) =>
    run(key, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  return { begun, begin, end: (name: string) => ends.get(name)?.() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a key that wants all places leaves the others theirs, and who waits follows in order', async () => {
  const { begun, begin, end } = jobs(inTurn({ total: 3, perKey: 2, waiting: 10 }))
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

test('a job that fails gives its place back', async () => {
  const run = inTurn({ total: 1, perKey: 1, waiting: 1 })
  await expect(run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await run('a', async () => 'next')).toBe('next')
})

test('who finds too many waiting is refused', async () => {
  const { begin, end } = jobs(inTurn({ total: 1, perKey: 1, waiting: 1 }))
  const [first, second] = [begin('a', 'a1'), begin('a', 'a2')]
  await expect(begin('b', 'b1')).rejects.toMatchObject({ definition: { code: 'unavailable' } })
  end('a1')
  await first
  await settled()
  end('a2')
  expect(await second).toBe('a2')
})

import { expect, test } from 'vitest'
import { type BulkOperation, isTooDeep, openQueue, textsIn } from './references.ts'

/** Each operation refers to the next, and the last to none. */
const chain = (length: number, read = () => {}): BulkOperation[] =>
  Array.from({ length }, (_, n) => ({
    n,
    method: 'POST',
    path: '/Groups',
    bulkId: `${n}`,
    version: null,
    data: {
      get member() {
        read()
        return `bulkId:${n + 1}`
      },
    },
  }))

function drain(operations: BulkOperation[]): number[] {
  const queue = openQueue(operations)
  const order: number[] = []
  for (let next = queue.take(); next; next = queue.take()) {
    order.push(next.n)
    queue.settle(next.bulkId ?? '')
  }
  return order
}

test('who is referred to comes first, and each is read once, however long it waits', () => {
  let reads = 0
  const operations = chain(1_000, () => {
    reads += 1
  })
  expect(drain(operations)).toEqual(operations.map(({ n }) => n).toReversed())
  expect(reads).toBe(1_000)
})

test('of a circle the first comes first', () => {
  const [one, other] = chain(2)
  if (!one || !other) throw new Error('There are two.')
  expect(
    drain([
      { ...one, data: ['bulkId:1'] },
      { ...other, data: ['bulkId:0'] },
    ]),
  ).toEqual([0, 1])
})

test('what is nested too deeply is known by looking at its beginning', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}"bulkId:1"${']'.repeat(50_000)}`)
  expect([isTooDeep(deep), textsIn(deep)]).toEqual([true, []])
  expect([isTooDeep([[['bulkId:1']]]), textsIn([[['bulkId:1']]])]).toEqual([false, ['bulkId:1']])
})

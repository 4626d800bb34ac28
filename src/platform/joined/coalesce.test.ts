import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startDeadline } from '../db/deadline.ts'
import { isPoolExhausted } from '../db/failure.ts'
import { currentPlace, untilDeadline } from '../db/lanes.ts'
import { coalesce } from './coalesce.ts'

interface Item {
  directory: string
  id: string
}

/** Joins items and records each statement: its group, which is the directory in a distributed database, and its ids. */
function joined(database: { distributed: boolean }, fails: string[] = []) {
  const statements: [string, string][] = []
  const groupOf = (item?: Item) => (database.distributed ? (item?.directory ?? '') : '')
  const ask = coalesce({
    async run(items: Item[]) {
      const ids = items.map(({ id }) => id)
      statements.push([groupOf(items[0]), ids.join()])
      const failing = ids.find((id) => fails.includes(id))
      if (failing) throw new Error(`${failing} fails`)
      return ids.map((id) => `done ${id}`)
    },
    groupOf,
  })
  const all = (...asked: string[]) => Promise.allSettled(asked.map((id) => ask({ directory: id.slice(0, 1), id })))
  return { all, statements }
}

test('one statement answers all that is asked at once, whatever the directory', async () => {
  const { all, statements } = joined({ distributed: false })
  const answers = await all('a1', 'b1', 'a2')
  expect(answers.map((answer) => answer.status === 'fulfilled' && answer.value)).toEqual([
    'done a1',
    'done b1',
    'done a2',
  ])
  expect(statements).toEqual([['', 'a1,b1,a2']])
})

test('where the database is distributed, each directory has a statement, which names it', async () => {
  const { all, statements } = joined({ distributed: true })
  const answers = await all('a1', 'b1', 'a2')
  expect(answers.map((answer) => answer.status === 'fulfilled' && answer.value)).toEqual([
    'done a1',
    'done b1',
    'done a2',
  ])
  expect(statements).toEqual([
    ['a', 'a1,a2'],
    ['b', 'b1'],
  ])
})

test('what is known of the database after the first request holds for the next', async () => {
  const database = { distributed: false }
  const { all, statements } = joined(database)
  database.distributed = true
  await all('a1', 'b1')
  expect(statements).toEqual([
    ['a', 'a1'],
    ['b', 'b1'],
  ])
})

test('an item that makes its statement fail fails alone, by a statement that names its directory as well', async () => {
  const { all, statements } = joined({ distributed: true }, ['a2'])
  const answers = await all('a1', 'a2', 'b1')
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(statements).toEqual([
    ['a', 'a1,a2'],
    ['b', 'b1'],
    ['a', 'a1'],
    ['a', 'a2'],
  ])
})

test('of many that ask at once as many go together as a statement takes', async () => {
  const { all, statements } = joined({ distributed: false })
  const sizes = () => statements.splice(0).map(([, ids]) => ids.split(',').length)
  const ask = async (count: number) => {
    const answers = await all(...Array.from({ length: count }, (_, n) => `a${n}`))
    // Waits until nothing is running.
    await turn()
    return answers
  }
  expect((await ask(8)).filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
  expect(sizes()).toEqual([8])
  expect((await ask(450)).filter(({ status }) => status === 'fulfilled')).toHaveLength(450)
  expect(sizes()).toEqual([200, 200, 50])
})

test('an item whose request has no time left leaves the queue, and the statement of the others goes on', async () => {
  const begun: string[][] = []
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const ask = coalesce({
    async run(items: string[]) {
      begun.push(items)
      await freed
      return items
    },
    groupOf: () => 'a',
  })
  const soon = <T>(run: () => T) => untilDeadline(startDeadline(20), run)
  const [first, patient] = [soon(() => ask('first')), ask('patient')]
  await turn()
  const [second, third] = [soon(() => ask('second')), ask('third')]
  const late = await Promise.allSettled([first, second])
  expect(late.map((one) => one.status === 'rejected' && isPoolExhausted(one.reason))).toEqual([true, true])
  free()
  expect(await Promise.all([patient, third])).toEqual(['patient', 'third'])
  expect(begun).toEqual([['first', 'patient'], ['third']])
})

test('a shared statement does not end with the time of the request that began it', async () => {
  const deadlines: unknown[] = []
  const ask = coalesce({
    async run(items: string[]) {
      deadlines.push(currentPlace().deadline)
      return items
    },
    groupOf: () => 'a',
  })
  await untilDeadline(startDeadline(10_000), () => ask('a'))
  expect(deadlines).toEqual([null])
})

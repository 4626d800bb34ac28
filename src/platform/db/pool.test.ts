import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { isDatabaseUnavailable } from './pool.ts'

const { platform } = (await startApp()).app

test('transactions that need another connection get one, however many run at once', async () => {
  const nested = async (depth: number): Promise<number> =>
    platform.tx(async (tx) => {
      await sql`select 1`.execute(tx)
      const { rows } = await sql<{ one: number }>`select 1 as one`.execute(platform.db)
      return (rows[0]?.one ?? 0) + (depth > 0 ? await nested(depth - 1) : 0)
    })
  const sums = await Promise.all(Array.from({ length: 60 }, (_, i) => nested(i % 2)))
  expect(sums.reduce((a, b) => a + b)).toBe(90)
})

test('a statement prepared before a table changed costs one refusal a connection, then works again', async () => {
  await sql`create table changing (a int)`.execute(platform.db)
  const read = () => sql`select * from changing where a = ${1}`.execute(platform.db)
  for (let i = 0; i < 3; i++) await read()
  await sql`alter table changing add column b int`.execute(platform.db)
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, read))
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(isDatabaseUnavailable(outcome.reason)).toBe(true)
  for (let i = 0; i < 15; i++) await read().catch(() => undefined)
  await expect(read()).resolves.toMatchObject({ rows: [] })
})

test('a value that is read for several does not wait for those who wait for it', async () => {
  const cache = platform.caches.define('pool_test', async (key) => {
    await sql`select 1`.execute(platform.db)
    return key
  })
  const begun = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
  const go = Promise.withResolvers<void>()
  // Every connection of the common pool is held by a transaction that is about to ask.
  const holders = begun.map((mine) =>
    platform.tx(async (tx) => {
      await sql`select 1`.execute(tx)
      mine.resolve()
      await go.promise
      return cache.get('shared')
    }),
  )
  await Promise.all(begun.map((mine) => mine.promise))
  // The first to ask has no connection yet.
  const first = cache.get('shared')
  go.resolve()
  expect(await Promise.all([first, ...holders])).toEqual(Array(11).fill('shared'))
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { EMBEDDED_CONNECTIONS } from '../embedded/cluster.ts'
import { coalesce } from '../joined/coalesce.ts'
import { currentPlace, inLane, type Lane } from './lanes.ts'
import { CONNECTIONS_PER_PROCESS, type Db, isUniqueViolation } from './pool.ts'

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

test('a statement prepared before a migration is prepared again, on every connection and within a transaction', async () => {
  await sql`create table changing (a int)`.execute(platform.db)
  const read = (db: Db) => sql`select * from changing where a = ${1}`.execute(db)
  const inTransaction = () =>
    platform.tx(async (tx) => {
      await sql`insert into changing (a) values (2)`.execute(tx)
      return read(tx)
    })
  const text = 'select * from changing where a = 1'
  const named = async () => ({ rows: await platform.database.query({ name: 'changing', text }) })
  const ways = [() => read(platform.db), inTransaction, named]
  const everywhere = () => Promise.all(Array.from({ length: 15 }, (_, i) => ways[i % 3]?.()))
  for (let i = 0; i < 3; i++) await everywhere()
  for (const column of ['b', 'c']) {
    await sql`alter table changing add column ${sql.ref(column)} int`.execute(platform.db)
    for (const answer of await everywhere()) expect(answer).toMatchObject({ rows: [] })
  }
  const { rows } = await sql`select count(*)::int as count from changing where a = 2`.execute(platform.db)
  expect(rows).toEqual([{ count: 25 }])
})

test('a value that is read for several does not wait for those who wait for it', async () => {
  const cache = platform.caches.define('pool_test', async (key) => {
    await sql`select 1`.execute(platform.db)
    return key
  })
  const begun = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
  const go = Promise.withResolvers<void>()
  // Transactions that are about to query use every connection of the common pool.
  const holders = begun.map((mine) =>
    platform.tx(async (tx) => {
      await sql`select 1`.execute(tx)
      mine.resolve()
      await go.promise
      return cache.get('shared')
    }),
  )
  await Promise.all(begun.map((mine) => mine.promise))
  // The first query has no connection yet.
  const first = cache.get('shared')
  go.resolve()
  expect(await Promise.all([first, ...holders])).toEqual(Array(11).fill('shared'))
})

test('callers wait neither for the connections of nobody’s requests nor for what is read for these', async () => {
  const go = Promise.withResolvers<void>()
  const read: Lane[] = []
  const cache = platform.caches.define('lanes_test', async (key) => {
    const { lane } = currentPlace()
    read.push(lane)
    await sql`select 1`.execute(platform.db)
    if (lane === 'anonymous') await go.promise
    return key
  })
  const holding = Array.from({ length: 20 }, () =>
    inLane('anonymous', () =>
      platform.tx(async (tx) => {
        await sql`select 1`.execute(tx)
        return cache.get('shared')
      }),
    ),
  )
  const first = inLane('anonymous', async () => cache.get('shared'))
  expect(await cache.get('shared')).toBe('shared')
  const ask = coalesce({
    run: async (items: number[]) => {
      await sql`select 1`.execute(platform.db)
      if (currentPlace().lane === 'anonymous') await go.promise
      return items
    },
    groupOf: () => '',
  })
  const anonymous = inLane('anonymous', () => ask(1))
  expect(await ask(2)).toBe(2)
  expect(read).toEqual(['anonymous', 'callers'])
  go.resolve()
  await Promise.all([...holding, first, anonymous])
  // A value that was read for callers is not shared with anonymous requests.
  await inLane('anonymous', async () => cache.get('shared'))
  expect(read).toEqual(['anonymous', 'callers'])
})

test('what is not there pushes out nothing that is', async () => {
  let reads = 0
  const cache = platform.caches.define('absent_test', async (key) => {
    reads++
    return key === 'there' ? key : null
  })
  await cache.get('there')
  for (let n = 0; n < 25_000; n++) await cache.get(`not there ${n}`)
  expect([cache.has('there'), cache.has('not there 24999'), reads]).toEqual([true, false, 25_001])
})

test('five workers have connections enough on the embedded database', () => {
  // Some connections are left for the command line, and PostgreSQL reserves three.
  expect(5 * CONNECTIONS_PER_PROCESS + 8).toBeLessThanOrEqual(EMBEDDED_CONNECTIONS)
})

test('a taken value is known by the name of its index', async () => {
  await sql`create table taken (a int, b int)`.execute(platform.db)
  await sql`create unique index taken_by_a on taken (a)`.execute(platform.db)
  await sql`create unique index taken_by_a_b on taken (a, b)`.execute(platform.db)
  const insert = () => sql`insert into taken values (1, 1)`.execute(platform.db)
  await insert()
  const error = await insert().catch((error: unknown) => error)
  expect(isUniqueViolation(error, 'taken_by_a')).toBe(true)
  expect(isUniqueViolation(error, 'taken_by_a_b')).toBe(false)
  expect(isUniqueViolation(new Error('violates unique constraint "taken_by_a"'), 'taken_by_a')).toBe(false)
})

test('where only the message names the index, it may have the number of a shard', () => {
  const violation = (name: string) =>
    Object.assign(new Error(`duplicate key value violates unique constraint "${name}"`), { code: '23505' })
  expect(isUniqueViolation(violation('users_by_email_102042'), 'users_by_email')).toBe(true)
  expect(isUniqueViolation(violation('users_by_email'), 'users_by_email')).toBe(true)
  expect(isUniqueViolation(violation('users_by_email_norm_102042'), 'users_by_email')).toBe(false)
  expect(isUniqueViolation(violation('old_users_by_email_102042'), 'users_by_email')).toBe(false)
})

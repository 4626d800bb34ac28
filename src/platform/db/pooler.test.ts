import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { afterEach, expect, inject, test } from 'vitest'
import { administer, databaseUrl } from '../../../test/database.ts'
import { type PoolerKind, startPooler } from '../../../test/peers/pooler-peer.ts'
import { inLane, type Lane, readForAll } from './lanes.ts'
import { type Db, openDatabase } from './pool.ts'
import { findPooler } from './pooler.ts'
import { transactions } from './tx.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const IGNORED = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

async function freshDatabase(): Promise<string> {
  const name = `watchword_${randomUUID().replaceAll('-', '')}`
  await administer(inject('serverUrl'), `create database ${name}`)
  ends.push(() => administer(inject('serverUrl'), `drop database ${name} with (force)`))
  return databaseUrl(inject('serverUrl'), name)
}

async function poolerBefore(url: string, kind: PoolerKind): Promise<string> {
  const pooler = await startPooler(url, kind)
  ends.push(() => pooler.close())
  return pooler.url
}

test('the database itself is no pooler', async () => {
  const url = await freshDatabase()
  expect([await findPooler(url, null), await findPooler(url, url)]).toEqual([null, null])
})

test.each([
  ['that refuses parameters', { ignores: [], keepsStatements: false }],
  ['that ignores parameters', { ignores: IGNORED, keepsStatements: false }],
  ['that keeps statements', { ignores: IGNORED, keepsStatements: true }],
])('a pooler %s is found, again at the next start, and serves what runs at once', async (_, kind) => {
  const directUrl = await freshDatabase()
  const url = await poolerBefore(directUrl, kind)
  const found = { directUrl, keepsStatements: kind.keepsStatements }
  expect([await findPooler(url, directUrl), await findPooler(url, directUrl)]).toEqual([found, found])

  const database = openDatabase(url, { pooler: found })
  ends.push(() => database.close())
  const { db } = database
  const add = (i: number) =>
    db.transaction().execute(async (tx) => {
      const text = 'select $1::int + $2::int as sum'
      const [first] = (await tx.executeQuery<{ sum: number }>(CompiledQuery.raw(text, [i, 1]))).rows
      const [second] = (await tx.executeQuery<{ sum: number }>(CompiledQuery.raw(text, [first?.sum, 1]))).rows
      return second?.sum
    })
  // As many requests at once as connections to the pooler, which has fewer connections to the database.
  for (let wave = 0; wave < 8; wave++)
    expect(await Promise.all(Array.from({ length: 8 }, (_, i) => add(i)))).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
})

test('transactions that hold every connection of a pooler wait for none of it', async () => {
  const directUrl = await freshDatabase()
  const url = await poolerBefore(directUrl, { ignores: IGNORED, keepsStatements: true, connections: 2 })
  const { db, close } = openDatabase(url, { pooler: { directUrl, keepsStatements: true } })
  ends.push(close)
  const tx = transactions(db)
  const ask = (from: Db) => from.executeQuery(CompiledQuery.raw('select 1 as one'))
  const { promise: allHold, resolve } = Promise.withResolvers<void>()
  let holders = 0
  const hold = (lane: Lane) =>
    inLane(lane, () =>
      tx(async (own) => {
        await ask(own)
        if (++holders === 2) resolve()
        await allHold
        const replies = [await ask(db), await readForAll(() => ask(db)), await ask(own)]
        return replies.map(({ rows }) => rows)
      }),
    )
  const answered = [[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]
  expect(await Promise.all([hold('callers'), hold('anonymous')])).toEqual([answered, answered])
})

test('the bounds of a session are those of the connections that a pooler opens from then on, and of no other role', async () => {
  const directUrl = await freshDatabase()
  await findPooler(await poolerBefore(directUrl, { ignores: [], keepsStatements: false }), directUrl)
  const later = openDatabase(await poolerBefore(directUrl, { ignores: [], keepsStatements: false }), {
    pooler: { directUrl, keepsStatements: false },
  })
  ends.push(() => later.close())
  const times = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  const names = [...times, 'enable_seqscan', 'jit', 'max_parallel_workers_per_gather']
  const shown = await Promise.all(
    names.map((name) => later.query({ text: `select current_setting('${name}') as value` })),
  )
  expect(shown.map(([row]) => row?.['value'])).toEqual(['3s', '1s', '10s', 'off', 'off', '0'])
  const stored = `select setrole = current_user::regrole as own, setdatabase = 0 as everywhere from pg_db_role_setting
    where setdatabase in (0, (select oid from pg_database where datname = current_database()))`
  expect(await later.query({ text: stored })).toEqual([{ own: true, everywhere: false }])
})

test('what cannot work is refused in a line', async () => {
  const directUrl = await freshDatabase()
  const url = await poolerBefore(directUrl, { ignores: [], keepsStatements: false })
  await expect(findPooler(url, null)).rejects.toThrow(
    /^PostgreSQL at 127\.0\.0\.1:\d+ is a connection pooler: set WATCHWORD_DATABASE_DIRECT_URL to /,
  )
  await expect(findPooler(url, url)).rejects.toThrow(/^WATCHWORD_DATABASE_DIRECT_URL leads to a connection pooler, too/)
  await expect(findPooler(url, await freshDatabase())).rejects.toThrow(
    /^WATCHWORD_DATABASE_DIRECT_URL is another database than the one behind PostgreSQL at 127/,
  )
})

import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startSilentProxy } from '../../../test/peers/silent-proxy.ts'
import { endClient, openClient } from './client.ts'
import { startDeadline } from './deadline.ts'
import { isConnectionUnusable, isDatabaseUnavailable, sqlState } from './failure.ts'
import { untilDeadline } from './lanes.ts'
import { type DatabaseOptions, type Db, openDatabase } from './pool.ts'
import { transactions } from './tx.ts'

// Longer than a statement takes on a busy machine.
const ANSWER_MS = 1000

function openedDatabase(url: string, options: DatabaseOptions = {}) {
  const database = openDatabase(url, { maxConnections: 1, ...options })
  onTestFinished(() => database.close())
  return database
}

const serverProcess = async (db: Db) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid

async function failureOf(run: () => Promise<unknown>): Promise<unknown> {
  return run().then(
    () => null,
    (error: unknown) => error,
  )
}

test('a connection whose server does not answer is closed, within a transaction too, and the next one is used', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const { db, query } = openedDatabase(proxy.url, { bounds: { answerMs: ANSWER_MS } })
  const asked = {
    'a statement': () => serverProcess(db),
    'a statement without the query builder': () => query({ text: 'select 1' }),
    'a transaction': () => transactions(db)(async (tx) => serverProcess(tx)),
  }
  for (const [name, ask] of Object.entries(asked)) {
    const before = await serverProcess(db)
    proxy.silence()
    const failure = await failureOf(ask)
    expect([name, isDatabaseUnavailable(failure)]).toEqual([name, true])
    expect(await serverProcess(db)).not.toBe(before)
    expect([name, proxy.connections()]).toEqual([name, 1])
  }
})

test('a transaction whose server stops answering ends at its first deadline, and its later statements fail at once', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const { db } = openedDatabase(proxy.url, { bounds: { answerMs: ANSWER_MS } })
  const failures: unknown[] = []
  const failure = await failureOf(() =>
    transactions(db)(async (tx) => {
      await serverProcess(tx)
      proxy.silence()
      for (let i = 0; i < 3; i++) failures.push(await failureOf(() => serverProcess(tx)))
      throw failures[0]
    }),
  )
  expect(failures).toEqual([failure, failure, failure])
})

test('a transaction that fails does not wait for a silent server to roll back', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const { db } = openedDatabase(proxy.url, { bounds: { answerMs: 600_000 } })
  let before: number | undefined
  const failure = await failureOf(() =>
    transactions(db)(async (tx) => {
      before = await serverProcess(tx)
      proxy.silence()
      throw new Error('refused')
    }),
  )
  expect(failure).toEqual(new Error('refused'))
  expect(before).toEqual(expect.any(Number))
  expect(await serverProcess(db)).not.toBe(before)
})

test('a request waits for a silent server no longer than it may', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const { db } = openedDatabase(proxy.url, { bounds: { answerMs: 60_000 } })
  const before = await serverProcess(db)
  proxy.silence()
  const failure = await failureOf(() => untilDeadline(startDeadline(600), () => serverProcess(db)))
  expect(isDatabaseUnavailable(failure)).toBe(true)
  expect(await serverProcess(db)).not.toBe(before)
})

test('a connection to a server that only reads is closed, and the next one writes', async () => {
  const { db, query } = openedDatabase(inject('serverUrl'))
  const write = () => sql`create temporary table written (a int)`.execute(db)
  const before = await serverProcess(db)
  await sql`set default_transaction_read_only = on`.execute(db)
  const failure = await failureOf(write)
  expect([isDatabaseUnavailable(failure), failure]).toMatchObject([true, { code: '25006' }])
  await write()
  expect(await serverProcess(db)).not.toBe(before)
  await query({ text: 'set default_transaction_read_only = on' })
  expect(await failureOf(() => query({ text: 'create temporary table more (a int)' }))).toMatchObject({ code: '25006' })
  await query({ text: 'create temporary table more (a int)' })
})

test('a server that refuses the user or has no such database is a failure of the database', async () => {
  const url = new URL(inject('serverUrl'))
  const [absent, stranger] = [new URL(url), new URL(url)]
  absent.pathname = '/no_such_database'
  stranger.username = 'no_such_role'
  for (const other of [absent, stranger]) {
    const { db } = openedDatabase(other.href)
    const failure = await failureOf(() => serverProcess(db))
    expect([sqlState(failure), isDatabaseUnavailable(failure)]).toEqual([expect.stringMatching(/^(28|3D)/), true])
  }
})

test('what the database does not support is no failure of the database', async () => {
  const { db } = openedDatabase(inject('serverUrl'))
  const before = await serverProcess(db)
  const failure = await failureOf(() =>
    sql`select * from pg_class for update of pg_class nowait group by 1`.execute(db),
  )
  const unsupported = await failureOf(() =>
    sql`create view v as select 1; create or replace view v as select 1 as b, 2`.execute(db),
  )
  expect([failure, unsupported].map(isDatabaseUnavailable)).toEqual([false, false])
  expect(await serverProcess(db)).toBe(before)
})

test('once a server does not answer, no other connection to it is used', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const { db, query } = openedDatabase(proxy.url, { bounds: { answerMs: ANSWER_MS }, maxConnections: 5 })
  const all = () => Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.01)`.execute(db)))
  await all()
  expect(proxy.connections()).toBe(5)
  proxy.silence()
  expect(isDatabaseUnavailable(await failureOf(() => serverProcess(db)))).toBe(true)
  for (let n = 0; n < 6; n++) expect(await query({ text: 'select 1 as one' })).toEqual([{ one: 1 }])
  await all()
  expect(proxy.connections()).toBe(5)
})

test('the job queue gets no connection whose server does not answer, and those that listen are closed', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const pool = openedDatabase(proxy.url, { bounds: { answerMs: ANSWER_MS } }).queuePool()
  const askAsTheQueue = async () => {
    const client = await pool.connect()
    try {
      return (await client.query('select pg_backend_pid() as pid')).rows[0]?.pid
    } finally {
      client.release()
    }
  }
  const listening = await pool.connect()
  const lost = once(listening, 'error')
  listening.on('notification', () => undefined)
  const before = await askAsTheQueue()
  proxy.silence()
  expect(isConnectionUnusable(await failureOf(askAsTheQueue))).toBe(true)
  expect(await askAsTheQueue()).not.toBe(before)
  await lost
  listening.release()
  expect(proxy.connections()).toBe(1)
})

test('a statement that is sent again after a migration has the same deadline', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const { db } = openedDatabase(proxy.url, { bounds: { answerMs: ANSWER_MS } })
  await sql`create temporary table changing (a int)`.execute(db)
  const read = () => sql`select * from changing where a = ${1}`.execute(db)
  for (let n = 0; n < 3; n++) await read()
  await sql`alter table changing add column b int`.execute(db)
  const answered = proxy.silenceAfterAnswer()
  expect(isDatabaseUnavailable(await failureOf(read))).toBe(true)
  await answered
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('closing does not wait for a server that does not answer', async () => {
  const proxy = await startSilentProxy(inject('serverUrl'))
  onTestFinished(() => proxy.close())
  const database = openDatabase(proxy.url, { bounds: { answerMs: ANSWER_MS } })
  await Promise.all([
    serverProcess(database.db),
    database.query({ text: 'select 1' }),
    database.queuePool().query('select 1'),
  ])
  const client = await openClient(proxy.url)
  proxy.silence()
  const asking = failureOf(() => serverProcess(database.db))
  await Promise.all([database.close(), endClient(client)])
  expect(isDatabaseUnavailable(await asking)).toBe(true)
})

import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { startDeadline } from './deadline.ts'
import { isDatabaseUnavailable } from './failure.ts'
import { untilDeadline } from './lanes.ts'
import { type DatabaseOptions, type Db, openDatabase } from './pool.ts'
import { transactions } from './tx.ts'

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
  const { db, query } = openedDatabase(proxy.url, { bounds: { answerMs: 100 } })
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
  const { db } = openedDatabase(proxy.url, { bounds: { answerMs: 100 } })
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

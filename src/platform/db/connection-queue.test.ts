import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openQueue } from './connection-queue.ts'
import { startDeadline } from './deadline.ts'
import { isPoolExhausted } from './failure.ts'
import { untilDeadline } from './lanes.ts'
import { type Database, openDatabase } from './pool.ts'
import { transactions } from './tx.ts'

const ask = ({ db }: Database) => sql`select 1`.execute(db)

/** A database with one connection, which a transaction uses. The queue is full as soon as one request waits. */
async function heldDatabase() {
  const database = openDatabase(inject('serverUrl'), { maxConnections: 1, bounds: { fullMs: 0 } })
  onTestFinished(() => database.close())
  const [held, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = transactions(database.db)(async (tx) => {
    await sql`select 1`.execute(tx)
    held.resolve()
    await freed.promise
  })
  await held.promise
  // By now the queue knows that no connection is free.
  expect(database.isBusy()).toBe(false)
  const free = async () => {
    freed.resolve()
    await holder
  }
  return { database, free }
}

test('a request that has had no connection is refused where the queue is full, all else waits', async () => {
  const { database, free } = await heldDatabase()
  const admitted = { ...startDeadline(60_000), isAdmitted: true }
  const [job, second] = [ask(database), untilDeadline(admitted, () => ask(database))]
  expect(database.isBusy()).toBe(true)
  const refused = await untilDeadline(startDeadline(60_000), () => ask(database)).catch((error: unknown) => error)
  expect(isPoolExhausted(refused)).toBe(true)
  expect(database.poolStates()[0]).toMatchObject({ used: 1, waiting: 2 })
  await free()
  expect(await Promise.all([job, second])).toHaveLength(2)
  expect(database.isBusy()).toBe(false)
  expect(await untilDeadline(startDeadline(60_000), () => ask(database))).toMatchObject({ rows: [expect.anything()] })
})

test('a request whose time ends while it waits gives its connection to the next', async () => {
  const { database, free } = await heldDatabase()
  const admitted = { ...startDeadline(510), isAdmitted: true }
  const late = untilDeadline(admitted, () => ask(database)).catch((error: unknown) => error)
  expect(isPoolExhausted(await late)).toBe(true)
  const job = ask(database)
  await free()
  await job
  expect(database.poolStates()[0]).toMatchObject({ used: 0, idle: 1, waiting: 0 })
})

test('a request does not wait longer because a server is silent while a connection is prepared', async () => {
  const { promise: never } = Promise.withResolvers<void>()
  const pool = new pg.Pool({ connectionString: inject('serverUrl'), onConnect: () => never })
  const refused = await untilDeadline(startDeadline(60_000), () => openQueue(pool, 60_000).take()).catch(
    (error: unknown) => error,
  )
  expect(isPoolExhausted(refused)).toBe(true)
})

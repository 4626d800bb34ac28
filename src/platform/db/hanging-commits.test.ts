import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { administer, databaseUrl } from '../../../test/database.ts'
import { until } from '../../../test/harness.ts'
import { isDatabaseUnavailable, isPoolExhausted } from './failure.ts'
import { MAX_HANGING } from './hanging-commits.ts'
import { type DatabaseOptions, openDatabase } from './pool.ts'

const ANSWER_MS = 1000

/** An empty database, and connections to it whose statements never end. */
async function startHanging() {
  const name = `watchword_${randomUUID().replaceAll('-', '')}`
  await administer(inject('serverUrl'), `create database ${name}`)
  onTestFinished(() => administer(inject('serverUrl'), `drop database if exists ${name} with (force)`))
  const url = databaseUrl(inject('serverUrl'), name)
  let hanging = 0
  const hang = async (count: number, application_name: string) => {
    for (let n = 0; n < count; n++) {
      const client = new pg.Client({ connectionString: url, application_name })
      client.on('error', () => undefined)
      await client.connect()
      client.query('select pg_sleep(600)').catch(() => undefined)
      hanging++
    }
    await until(async () => {
      const { rows } = await watcher.query(
        `select count(*)::int as count from pg_stat_activity
          where query ~ '^select pg_sleep' and query_start < clock_timestamp() - $1 * interval '1 ms'`,
        [ANSWER_MS],
      )
      return rows[0].count === hanging
    })
  }
  const watcher = new pg.Client({ connectionString: url })
  await watcher.connect()
  onTestFinished(() => watcher.end())
  const end = () =>
    watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity where query ~ '^select pg_sleep'`)
  const opened = (options: DatabaseOptions = {}) => {
    const database = openDatabase(url, { bounds: { answerMs: ANSWER_MS }, ...options })
    onTestFinished(() => database.close())
    return {
      read: () => database.query({ text: 'select 1 as one' }),
      write: () => database.query({ text: 'create table if not exists written (n int)' }),
    }
  }
  return { url, hang, end, opened }
}

test('a new connection only reads while too many statements of the service hang', async () => {
  const { hang, end, opened } = await startHanging()
  await hang(MAX_HANGING - 1, 'watchword')
  await hang(1, 'a report')
  await opened().write()
  await hang(1, 'watchword')
  const { read, write } = opened()
  expect(await read()).toEqual([{ one: 1 }])
  const failure = await write().catch((error: unknown) => error)
  expect([isDatabaseUnavailable(failure), failure]).toMatchObject([true, { code: '25006' }])
  expect(await read()).toEqual([{ one: 1 }])
  await end()
  await write().catch(() => undefined)
  await write()
})

test('statements of a service whose address names an application are counted by that name', async () => {
  const { url, hang } = await startHanging()
  const named = new URL(url)
  named.searchParams.set('application_name', 'auth')
  await hang(MAX_HANGING, 'auth')
  const database = openDatabase(named.href, { bounds: { answerMs: ANSWER_MS } })
  onTestFinished(() => database.close())
  const failure = await database.query({ text: 'create table written (n int)' }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: '25006' })
})

test('a new connection of a pooler is refused meanwhile: what is set on it would stay for others', async () => {
  const { url, hang, end, opened } = await startHanging()
  await hang(MAX_HANGING, 'watchword')
  const { read, write } = opened({ pooler: { directUrl: url, keepsStatements: true } })
  expect(isPoolExhausted(await read().catch((error: unknown) => error))).toBe(true)
  await end()
  await write()
})

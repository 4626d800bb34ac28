import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { administer, databaseUrl } from '../../test/database.ts'
import { startApp, until } from '../../test/harness.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { afterThisTest, makeDataDir, refusedStart } from '../../test/process/service.ts'
import { readDeployment } from '../platform/lifecycle/deployment.ts'

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()
await tenant.organization()
/** Uses the timeouts of a deployment, because those of tests are longer. */
const env = { ...settingsOf(app), DATABASE_URL: withoutBounds(app.databaseUrl) }
const { database, host, port } = new pg.Client({ connectionString: app.databaseUrl })
const server = host.startsWith('/') ? `PostgreSQL at socket ${host}` : `PostgreSQL at ${host}:${port}`

beforeEach(() => runCommand(env, 'outgoing', 'release'))

function withoutBounds(text: string): string {
  const url = new URL(text)
  for (const name of ['lock_timeout', 'statement_timeout']) url.searchParams.delete(name)
  return url.href
}

const recoveredAt = async () => (await readDeployment(db)).recoveredAt

test('recover changes nothing without a terminal and without --yes', async () => {
  const before = await readDeployment(db)
  expect(await runCommand(env, 'recover')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'There is no terminal to ask: add --yes.\n',
  })
  expect(await readDeployment(db)).toEqual(before)
})

/** Runs `recover` as in a terminal, and types an answer when asked. Null ends the input (Ctrl-D). */
async function answering(answer: string | null): Promise<{ code: unknown; output: string }> {
  const cli = fileURLToPath(new URL('../cli.ts', import.meta.url))
  const asTerminal = 'data:text/javascript,process.stdin.isTTY=true'
  const child = spawn(process.execPath, ['--import', asTerminal, cli, 'recover'], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', ...env },
  })
  afterThisTest(() => void child.kill('SIGKILL'))
  let output = ''
  let isAnswered = false
  const read = (text: string) => {
    output += text
    if (isAnswered || !output.includes('to continue:')) return
    isAnswered = true
    if (answer === null) child.stdin.end()
    else child.stdin.write(`${answer}\n`)
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read)
  const [code] = await once(child, 'close')
  return { code, output }
}

test('recover names the database and asks in a terminal, and does nothing for another answer', async () => {
  const before = await recoveredAt()
  const refused = await answering('yes')
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  expect(refused.output).toContain(`This changes the database "${database}" of ${server}.`)
  expect([await recoveredAt(), (await readDeployment(db)).hold]).toEqual([before, null])
  const ended = await answering(null)
  expect([ended.code, ended.output]).toEqual([1, expect.stringMatching(/Nothing was changed\.\s*$/)])
  const done = await answering('recover')
  expect([done.code, done.output]).toEqual([0, expect.stringContaining('outgoing release')])
  expect(await recoveredAt()).not.toEqual(before)
})

test('commands and a start say that a database only reads, and what to do', async () => {
  const serverUrl = inject('serverUrl')
  await administer(serverUrl, `alter database ${database} set default_transaction_read_only = on`)
  onTestFinished(() => administer(serverUrl, `alter database ${database} reset default_transaction_read_only`))
  const stderr = `${server} only reads: it is a standby, default_transaction_read_only is on, or its commits hang because a synchronous standby is lost. Set DATABASE_URL to the primary, turn that off, or start the standby.\n`
  for (const args of [['recover', '--yes'], ['outgoing', 'hold'], ['migrate'], ['keys', 'create', '--name', 'backend']])
    expect([args, await runCommand(env, ...args)]).toEqual([args, expect.objectContaining({ code: 1, stderr })])
  expect(await refusedStart(env)).toEqual({ code: 1, line: stderr.trim() })
})

/** Takes a lock until the returned function is called. */
async function lock(statement: RawBuilder<unknown>): Promise<() => Promise<void>> {
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await statement.execute(tx)
    isLocked.resolve()
    await isFree
  })
  await isLocked.promise
  return async () => {
    free()
    await holding
  }
}

const LOCKED = `Another transaction of ${server} holds a lock. If its commit waits for a synchronous standby (wait_event SyncRep in pg_stat_activity), start the standby. Otherwise end it (\`pg_blocking_pids\`). Then try again.\n`

test('a command that waits for a lock in vain says how to find who holds it', async () => {
  const unlock = await lock(sql`select from deployment for update`)
  const held = await runCommand(env, 'outgoing', 'hold')
  await unlock()
  expect(held).toMatchObject({ code: 1, stdout: '', stderr: LOCKED })
})

test('a command whose statement is ended says so', async () => {
  const unlock = await lock(sql`select from deployment for update`)
  // The command waits for the lock longer than a deployment does.
  const holding = runCommand(settingsOf(app), 'outgoing', 'hold')
  await until(async () => {
    const { rows } = await sql`select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update deployment%'`.execute(db)
    return rows.length > 0
  })
  const { code, stderr } = await holding
  await unlock()
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${server} ended a statement that took too long.`)])
})

test('recover that fails says that messages stay held, and is finished by another run', {
  timeout: 60_000,
}, async () => {
  const unlock = await lock(sql`select from organizations for update`)
  const failed = await runCommand(env, 'recover', '--yes', '--json')
  await unlock()
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/Not finished\. Messages stay held\. Run `npx watchword recover` again\.\n/)
  expect(failed.stderr.endsWith(LOCKED)).toBe(true)
  expect((await readDeployment(db)).hold?.because).toBe('recovered')
  const again = await runCommand(env, 'recover', '--yes')
  expect(again.code, again.stderr).toBe(0)
})

test('a command without a database creates none', async () => {
  const dataDir = join(makeDataDir(), 'absent')
  const { DATABASE_URL: _, ...others } = env
  const { code, stderr } = await runCommand({ ...others, WATCHWORD_DATA_DIR: dataDir }, 'recover', '--yes')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`There is no database in ${dataDir}. Run the command with`),
  ])
  expect(existsSync(dataDir)).toBe(false)
})

test('a command on an empty database names it', async () => {
  const name = `empty_${randomUUID().replaceAll('-', '')}`
  await administer(inject('serverUrl'), `create database ${name}`)
  onTestFinished(() => administer(inject('serverUrl'), `drop database ${name} with (force)`))
  const { code, stderr } = await runCommand({ ...env, DATABASE_URL: databaseUrl(env.DATABASE_URL, name) }, 'outgoing')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`There is nothing of Watchword in the database "${name}" of`),
  ])
})

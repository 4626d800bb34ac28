import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { runCommand, settingsOf } from '../../../test/process/cli.ts'
import { runFile } from '../../../test/process/service.ts'

const service = await startApp()
const { db } = service.app.platform
const env = settingsOf(service)
const tenant = await service.tenant()
const home = mkdtempSync(join(tmpdir(), 'watchword-resume-'))
afterAll(() => rmSync(home, { recursive: true }))

const ROWS = 5_000
const BATCH = 500
const HASH = '$2b$04$r2eJDZ82DW.GHLk14ej83.4NaDJs75qVwYrBQ7GJ3bG22vCO6ewbq'

/** Every 700th row fails, and every 900th repeats the row before it. */
function makeFile(name: string): { path: string; people: number; report: object[] } {
  const path = join(home, name)
  const report: object[] = []
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const line = n + 2
    if (n % 700 === 699) report.push({ line, outcome: 'failed', code: 'invalid_field:phone' })
    else if (n % 900 === 899) report.push({ line, outcome: 'skipped', code: 'duplicate_in_file' })
    return `p${n % 900 === 899 ? n - 1 : n}@many.example.com,Ada,${n % 700 === 699 ? 'none' : ''},${HASH}`
  })
  writeFileSync(path, `email,firstName,phone,passwordHash\n${rows.join('\n')}\n`)
  return { path, people: ROWS - report.length, report }
}

const rowsOf = (path: string): number => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).counts.rows : -1)
const reportOf = (path: string): object[] =>
  readFileSync(`${path}.report.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { line: at, outcome, code } = JSON.parse(line)
      return { line: at, outcome, code }
    })
const commandOf = (path: string, subOrgId: string) => [
  ...['import', 'users', path, '--org', subOrgId, '--account', tenant.accountId],
]

/** The numbers of users, passwords and creation events in an organization. */
async function countAll(subOrgId: string) {
  const { id } = await db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', subOrgId)
    .where('environment_id', '=', tenant.environmentId)
    .executeTakeFirstOrThrow()
  const of = async (table: 'users' | 'password_credentials' | 'events') =>
    (await db.selectFrom(table).select('directory_id').where('directory_id', '=', id).execute()).length
  return { users: await of('users'), passwords: await of('password_credentials'), events: await of('events') }
}
const all = (people: number) => ({ users: people, passwords: people, events: people })

test('an import that is killed in the middle goes on: nobody twice, nobody lost, each row reported once', {
  timeout: 120_000,
}, async () => {
  const subOrgId = await tenant.organization()
  const { path, people, report } = makeFile('killed.csv')
  const checkpoint = `${path}.checkpoint.json`
  const early = join(home, 'early.json')
  const kills: number[] = []
  for (const after of [500, 1500, 2500]) {
    const running = runFile('cli.ts', commandOf(path, subOrgId), env)
    await until(async () => rowsOf(checkpoint) >= after)
    running.child.kill('SIGKILL')
    expect(await running.ended, running.stderr()).toBe('SIGKILL')
    if (!existsSync(early)) copyFileSync(checkpoint, early)
    kills.push(rowsOf(checkpoint))
  }
  expect(kills.every((rows) => rows % BATCH === 0 && rows < ROWS)).toBe(true)
  expect((await countAll(subOrgId)).users).toBeLessThan(people)
  const { code, json, stderr } = await runCommand(env, ...commandOf(path, subOrgId), '--json')
  expect(stderr).toContain(`Continuing after row ${kills.at(-1)}`)
  expect([code, json]).toEqual([3, expect.objectContaining({ rows: ROWS, created: people, existed: 0 })])
  expect(await countAll(subOrgId)).toEqual(all(people))
  expect(reportOf(path)).toEqual(report)
  expect(existsSync(checkpoint)).toBe(false)

  // Simulates that every later batch was committed just before its checkpoint was written.
  copyFileSync(early, checkpoint)
  const late = await runCommand(env, ...commandOf(path, subOrgId), '--json')
  expect(late.json).toMatchObject({ rows: ROWS, created: people, existed: 0, failed: json.failed })
  expect(await countAll(subOrgId)).toEqual(all(people))
  expect(reportOf(path)).toEqual(report)

  const again = await runCommand(env, ...commandOf(path, subOrgId), '--json')
  expect(again.json).toMatchObject({ created: 0, existed: people, failed: json.failed })
  expect(await countAll(subOrgId)).toEqual(all(people))
})

test('a signal stops it after the batch, and it says how to go on; the checkpoint is of this file alone', {
  timeout: 120_000,
}, async () => {
  const subOrgId = await tenant.organization()
  const { path, people } = makeFile('stopped.csv')
  const checkpoint = `${path}.checkpoint.json`
  const running = runFile('cli.ts', commandOf(path, subOrgId), env)
  await until(async () => rowsOf(checkpoint) >= BATCH)
  running.child.kill('SIGINT')
  expect(await running.ended, running.stderr()).toBe(130)
  const rows = rowsOf(checkpoint)
  expect(running.stderr()).toMatch(
    new RegExp(`Stopped after row ${rows}\\. Run the same command again to continue there, or with --restart`),
  )
  expect((await countAll(subOrgId)).events).toBe((await countAll(subOrgId)).users)
  expect(statSync(checkpoint).mode & 0o777).toBe(0o600)

  const elsewhere = await runCommand(env, ...commandOf(path, await tenant.organization()))
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('into another organization')])
  const other = await runCommand(env, ...commandOf(path, subOrgId), '--format', 'clerk')
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('belongs to an import with --format csv')])
  writeFileSync(path, `${readFileSync(path, 'utf8')}last@many.example.com,Ada,,\n`)
  const changed = await runCommand(env, ...commandOf(path, subOrgId))
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('the file has changed since')])

  const restarted = await runCommand(env, ...commandOf(path, subOrgId), '--restart', '--json')
  expect(restarted.json).toMatchObject({ rows: ROWS + 1, existed: expect.any(Number) })
  expect(restarted.json.created + restarted.json.existed).toBe(people + 1)
  expect((await countAll(subOrgId)).users).toBe(people + 1)
})

test('two imports of the same people at once make each of them once', { timeout: 120_000 }, async () => {
  const subOrgId = await tenant.organization()
  const [one, other] = [makeFile('one.csv'), makeFile('other.csv')]
  const runs = await Promise.all(
    [one, other].map(({ path }) => runCommand(env, ...commandOf(path, subOrgId), '--json')),
  )
  expect(runs.map(({ code }) => code)).toEqual([3, 3])
  expect(runs.reduce((sum, { json }) => sum + json.created, 0)).toBe(one.people)
  for (const { json } of runs) expect(json.created + json.existed).toBe(one.people)
  expect(await countAll(subOrgId)).toEqual(all(one.people))
})

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { startEmbedded } from '../../src/platform/embedded/embedded.ts'
import { administer, databaseUrl } from '../database.ts'
import { caller, until } from '../harness.ts'
import { databasePid } from '../run-directories.ts'
import {
  afterThisTest,
  makeDataDir,
  makeDirectory,
  productionSettings,
  refusedStart,
  startService,
  takenPort,
} from './service.ts'

test('the first start in development makes a key, shows how to use it, and never shows it again', async () => {
  const settings = { WATCHWORD_DATA_DIR: makeDataDir() }
  // From its source, as an operator runs it; most others are put together for the run.
  const first = await startService(settings, { fromSource: true })
  await first.ready()
  const said = await until(async () => /\n {2}(curl .*)\n/.exec(first.stdout())?.[1])
  expect(first.stdout()).toMatch(/^Watchword \d+\.\d+\.\d+ is ready at http:\/\/localhost:\d+ \(after \d+\.\d s\)$/m)
  expect(first.stdout()).toContain('/docs')
  expect(first.stdout()).toContain('/dev/mail')
  const answer = JSON.parse(
    execFileSync('/bin/sh', ['-c', said], { encoding: 'utf8', env: { PATH: dirname(makeCurl()) } }),
  )
  expect(answer).toHaveProperty('otp_id')
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  expect(first.stdout()).toMatch(/Watchword is stopping\. .*\nWatchword has stopped\.\n$/)
  expect(first.stderr()).toBe('')
  expect(databasePid(settings.WATCHWORD_DATA_DIR)).toBeNull()

  const second = await startService(settings)
  await second.ready()
  await until(async () => second.stdout().includes('is ready at'))
  expect(second.stdout()).not.toMatch(/ww_|curl/)
})

/** A directory with nothing in it but a program called curl. */
function makeCurl(): string {
  const file = join(makeDirectory(), 'curl')
  const source = fileURLToPath(new URL('curl.ts', import.meta.url))
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${source}' "$@"\n`, { mode: 0o755 })
  return file
}

test('a start in production takes the operator’s key, speaks in JSON lines, and tells about its inside on the private port alone', async () => {
  const settings = await productionSettings()
  const service = await startService({ ...settings, LOG_LEVEL: 'info' }, { fromSource: true })
  await service.ready()
  const reply = await caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY).get('/v1/organizations')
  expect(reply.status).toBe(200)
  const lines = await until(async () => {
    const found = service
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return found.some((line) => /is ready$/.test(line.msg)) && found
  })
  expect(lines.filter((line) => 'port' in line)).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      port: Number(new URL(service.baseUrl).port),
      durationMs: expect.any(Number),
      msg: expect.stringMatching(/^Watchword .* is ready$/),
    },
  ])
  expect(service.stdout()).not.toContain(settings['WATCHWORD_BOOTSTRAP_API_KEY'])
  const metrics = await (await fetch(`${service.privateUrl}/metrics`)).text()
  expect(metrics).toContain('watchword_http_request_duration_seconds_count')
  expect(metrics).toContain('process_resident_memory_bytes')
  expect((await service.readiness())?.body).toEqual({
    status: 'ok',
    checks: { database: 'ok', migrations: 'ok', queue: 'ok', signing_key: 'ok' },
  })
  expect((await fetch(`${service.privateUrl}/v1/organizations`)).status).toBe(404)
  for (const path of ['/readyz', '/metrics']) expect((await fetch(service.baseUrl + path)).status).toBe(404)
})

test('a wrong setting is one line', async () => {
  const settings = await productionSettings()
  const refusals: [Record<string, string>, string][] = [
    [{ WATCHWORD_PORT: '1' }, 'WATCHWORD_PORT is not a setting of Watchword: did you mean PORT?'],
    [
      { WATCHWORD_MASTER_KEY: 'short' },
      'WATCHWORD_MASTER_KEY has a master key that is not 32 bytes as base64: create one with `openssl rand -base64 32`.',
    ],
    [
      { WATCHWORD_METRICS_HOST: 'no.such.host.invalid' },
      'WATCHWORD_METRICS_HOST is no.such.host.invalid, which has no address: use one of this machine.',
    ],
  ]
  for (const [change, line] of refusals)
    expect(await refusedStart({ ...settings, ...change })).toEqual({ code: 1, line })
})

test('a database takes no other master key and none is made for it: each is one line, and changes nothing', async () => {
  const { WATCHWORD_MASTER_KEY: key = '', ...settings } = await productionSettings()
  const first = await startService({ ...settings, WATCHWORD_MASTER_KEY: key })
  await first.ready()
  first.child.kill('SIGTERM')
  await first.ended
  const other = await refusedStart({ ...settings, WATCHWORD_MASTER_KEY: randomBytes(32).toString('base64') })
  expect(other.code).toBe(1)
  expect(other.line).toMatch(
    /^The master key does not fit this database, .*: set WATCHWORD_MASTER_KEY to that key, or .*\.$/,
  )
  const dataDir = makeDataDir()
  const development = { ...settings, NODE_ENV: 'development', WATCHWORD_DATA_DIR: dataDir }
  const refused = await refusedStart(development)
  const file = join(dirname(dataDir), 'master.key')
  expect(refused).toEqual({
    code: 1,
    line: expect.stringMatching(
      /^The database is sealed with master key [0-9a-f]{16}, and .*master\.key, where .* is missing: restore that file or /,
    ),
  })
  expect(existsSync(file)).toBe(false)
  writeFileSync(file, key)
  await (await startService(development)).ready()
})

test('a database that refuses is one line without the password', async () => {
  const settings = await productionSettings()
  const url = new URL(databaseUrl(inject('serverUrl'), 'watchword_nowhere').replace('@/', '@localhost/'))
  const where = 'PostgreSQL at [^ ]+( [^ ]+)?'
  const missing = await refusedStart({ ...settings, DATABASE_URL: url.href })
  expect(missing.line).toMatch(
    new RegExp(
      `^${where} has no database "watchword_nowhere": create it with .createdb watchword_nowhere., or correct DATABASE_URL\\.$`,
    ),
  )
  await administer(
    inject('serverUrl'),
    `create role watchword_barred login password 'secret-of-mine' connection limit 0`,
  )
  afterThisTest(() => administer(inject('serverUrl'), 'drop role watchword_barred'))
  url.username = 'watchword_barred'
  url.password = 'secret-of-mine'
  const barred = await refusedStart({ ...settings, DATABASE_URL: url.href })
  expect(barred.code).toBe(1)
  expect(barred.line).not.toContain('secret-of-mine')
})

test('a wrong password is one line without the password', async () => {
  const database = await startEmbedded({ dataDir: makeDataDir(), log: () => undefined })
  afterThisTest(() => database.stop())
  const settings = await productionSettings()
  const wrong = await refusedStart({ ...settings, DATABASE_URL: database.url.replace(/:[^:@/]+@/, ':not-it@') })
  expect(wrong.line).toMatch(
    /^PostgreSQL at socket .* refuses user watchword: correct the user name and password in DATABASE_URL\.$/,
  )
  expect(wrong.line).not.toContain('not-it')
})

test('waits for a database that starts later', async () => {
  const dataDir = makeDataDir()
  const first = await startEmbedded({ dataDir, log: () => undefined })
  await first.stop()
  const settings = await productionSettings()
  const service = await startService({ ...settings, LOG_LEVEL: 'info', DATABASE_URL: first.url })
  await until(async () => service.stdout().includes('Waiting for PostgreSQL at socket'))
  const again = await startEmbedded({ dataDir, log: () => undefined })
  afterThisTest(() => again.stop())
  await service.ready()
  expect(service.stdout().match(/Waiting for/g)).toHaveLength(1)
})

test('a port in use is one line that names the setting', async () => {
  const settings = await productionSettings()
  const port = await takenPort()
  const line = (setting: string) =>
    `Port ${port} is in use by another process: stop that one, or set ${setting} to another port.`
  expect(await refusedStart({ ...settings, PORT: port })).toEqual({ code: 1, line: line('PORT') })
  const metrics = { WATCHWORD_METRICS_PORT: port, WATCHWORD_METRICS_HOST: '0.0.0.0' }
  expect(await refusedStart({ ...settings, ...metrics })).toEqual({ code: 1, line: line('WATCHWORD_METRICS_PORT') })
})

test('the first key is made only by a start that can show it', async () => {
  const settings = { WATCHWORD_DATA_DIR: makeDataDir() }
  const port = await takenPort()
  for (const setting of ['PORT', 'WATCHWORD_METRICS_PORT']) {
    const refused = await startService({ ...settings, WATCHWORD_METRICS_HOST: '0.0.0.0', [setting]: port })
    expect(await refused.ended).toBe(1)
  }
  const service = await startService(settings)
  await service.ready()
  const [key] = await until(async () => /ww_live_\w+/.exec(service.stdout()))
  const { body } = await caller(service.baseUrl, key).get('/v1/api-keys')
  expect(body.apiKeys).toHaveLength(1)
})

test('a second owner of the embedded database is refused, and the first goes on', async () => {
  const settings = { WATCHWORD_DATA_DIR: makeDataDir() }
  const first = await startService(settings)
  await first.ready()
  const second = await refusedStart(settings)
  expect(second.code).toBe(1)
  expect(second.line).toContain(`is already in use by process ${first.child.pid}: stop that one first`)
  expect((await first.readiness())?.status).toBe(200)
})

test('a full disk is one line', async () => {
  const dataDir = makeDataDir()
  await (await startEmbedded({ dataDir, log: () => undefined })).stop()
  // PostgreSQL writes this file at each start; on a device that is always full it gets the answer of a full disk.
  const file = join(dataDir, 'postgres', 'postmaster.opts')
  rmSync(file)
  symlinkSync('/dev/full', file)
  expect(await refusedStart({ WATCHWORD_DATA_DIR: dataDir })).toEqual({
    code: 1,
    line: expect.stringMatching(
      /^The embedded PostgreSQL in .* did not start .*postgres\.log ends with: .*No space left on device/,
    ),
  })
})

test('an operator who migrates apart is told what lacks, and nothing is applied', async () => {
  const database = await startEmbedded({ dataDir: makeDataDir(), log: () => undefined })
  afterThisTest(() => database.stop())
  const settings = { ...(await productionSettings()), DATABASE_URL: database.url, WATCHWORD_MIGRATE_ON_START: 'false' }
  const { code, line } = await refusedStart(settings)
  expect(code).toBe(1)
  expect(line).toMatch(
    /^The database lacks 0200_release_0_1_0\.sql, and WATCHWORD_MIGRATE_ON_START is false: run `npx watchword migrate` first\.$/,
  )
})

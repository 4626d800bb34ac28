import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { expect, test } from 'vitest'
import { caller, until } from '../../test/harness.ts'
import { runCommand } from '../../test/process/cli.ts'
import { afterThisTest, makeDataDir, makeDirectory, startService } from '../../test/process/service.ts'

const COMPLETE = ['--account', 'Acme', '--owner-email', 'ada@acme.com', '--organization', 'First Customer']

test('sets a new deployment up from nothing, and refuses a second time', async () => {
  const env = { WATCHWORD_DATA_DIR: makeDataDir() }
  const missing = await runCommand(env, 'setup', '--account', 'Acme')
  expect([missing.code, missing.stderr]).toEqual([
    2,
    '--owner-email <address> is missing, and there is no terminal to ask for it.\n',
  ])
  const wrong = await runCommand(env, 'setup', ...COMPLETE, '--slug', 'No Slug')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/^--slug <slug>: A slug has up to 63 /)])

  const made = await runCommand(env, 'setup', ...COMPLETE, '--json')
  expect(made.code).toBe(0)
  expect(made.json).toMatchObject({ accountId: expect.any(String), organizationId: expect.any(String) })
  const again = await runCommand(env, 'setup', ...COMPLETE)
  expect([again.code, again.stdout, again.stderr]).toEqual([1, '', 'The account Acme already has an owner.\n'])

  // A service started afterwards uses the same account, and the command line uses the service's database.
  const service = await startService(env)
  await service.ready()
  const { stdout } = await runCommand(env, 'keys', 'create', '--org', 'first-customer')
  const listed = await caller(service.baseUrl, stdout.trim()).get('/v1/organizations')
  expect(listed.body.subOrganizations).toEqual([
    expect.objectContaining({ id: made.json.organizationId, slug: 'first-customer' }),
  ])
  expect((await service.readiness())?.status).toBe(200)
})

test('creates no database where the settings name none, and says which one it has set up', async () => {
  const refused = await runCommand({}, 'setup', ...COMPLETE)
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    1,
    '',
    'There is no database in /.watchword/data. Set DATABASE_URL to the database of the service, or WATCHWORD_DATA_DIR to create one there.\n',
  ])
  expect(existsSync('/.watchword')).toBe(false)
  const env = { WATCHWORD_DATA_DIR: makeDataDir() }
  const { stdout } = await runCommand(env, 'setup', ...COMPLETE)
  expect(stdout).toContain(`Database      the embedded database in ${env.WATCHWORD_DATA_DIR}\n`)
})

test('takes an empty directory for no database, as other commands do', async () => {
  const place = makeDirectory()
  const dataDir = join(place, '.watchword', 'data')
  mkdirSync(dataDir, { recursive: true })
  const program = fileURLToPath(new URL('../cli.ts', import.meta.url))
  const env = { PATH: process.env['PATH'] ?? '' }
  const { status, stderr } = spawnSync(process.execPath, [program, 'setup', ...COMPLETE], {
    ...{ cwd: place, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  })
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^There is no database in .*\.watchword\/data\. Set DATABASE_URL/),
  ])
  const listed = await runCommand({ WATCHWORD_DATA_DIR: dataDir }, 'keys', 'list')
  expect([listed.code, listed.stderr]).toEqual([1, expect.stringMatching(/^There is no database in /)])
  const { json } = await runCommand({ WATCHWORD_DATA_DIR: dataDir }, 'doctor', '--json')
  expect(json.findings).toContainEqual({
    ...{ check: 'database', state: 'ok', detail: 'Embedded, created at the first start.' },
  })
  expect(readdirSync(dataDir)).toEqual([])
})

test('asks on a terminal for what is missing, again after a wrong answer', async () => {
  const program = fileURLToPath(new URL('../cli.ts', import.meta.url))
  const terminal = spawn(process.execPath, [program, 'setup', '--account', 'Acme'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      WATCHWORD_DATA_DIR: makeDataDir(),
      WATCHWORD_MASTER_KEY: randomBytes(32).toString('base64'),
    },
    cwd: '/',
  })
  afterThisTest(() => terminal.kill('SIGKILL'))
  let shown = ''
  terminal.onData((text) => {
    shown += text
  })
  let seen = 0
  const answer = async (prompt: string, text: string) => {
    const at = await until(async () => shown.includes(prompt, seen) && shown.indexOf(prompt, seen) + prompt.length)
    seen = at
    terminal.write(`${text}\r`)
  }
  await answer('Email address of the owner: ', 'nobody')
  await until(async () => shown.includes('nobody is not an email address.'))
  await answer('Email address of the owner: ', 'ada@acme.com')
  await answer('Name of the owner [ada]: ', '')
  await answer('Name of the first organization, a customer of yours: ', 'Müller & Söhne')
  await answer('Its short name in URLs [muller-sohne]: ', '')
  await until(async () => shown.includes('Organization  Müller & Söhne'), 25_000)
  expect(shown).toContain('Next: npx watchword keys create --name backend --org muller-sohne')
})

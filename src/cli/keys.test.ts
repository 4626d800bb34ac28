import { expect, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const service = await startApp()
const env = settingsOf(service)
const cli = (...args: string[]) => runCommand(env, ...args)
const countKeys = async () => (await service.app.platform.db.selectFrom('api_keys').select('id').execute()).length

test('makes, lists and revokes a key, and records it', async () => {
  const made = await cli('keys', 'create', '--name', 'backend', '--expires', '90d', '--requests-per-second', '50')
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^ww_live_[0-9A-Za-z]{49}\n$/)])
  expect(made.stderr).toMatch(/^Key [0-9a-f-]{36} \(backend\): it is shown only once\.\n$/)
  const key = made.stdout.trim()
  const organization = await service.as(key).post('/v1/organizations', { name: 'Acme', slug: 'acme' })
  expect(organization.status).toBe(200)

  const { json } = await cli('keys', 'list', '--json')
  expect(json.apiKeys).toEqual([
    expect.objectContaining({
      name: 'backend',
      scopes: ['*'],
      subOrgId: null,
      requestsPerSecond: 50,
      createdBy: 'cli',
    }),
  ])
  expect(JSON.stringify(json)).not.toContain(key)
  const listed = await cli('keys', 'list')
  expect(listed.stdout).toMatch(/^ID .*SCOPES\n[0-9a-f-]{36} .*\n$/)

  const [{ id }] = json.apiKeys
  expect(await cli('keys', 'revoke', id)).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n`, stderr: '' })
  await until(async () => (await service.as(key).get('/v1/organizations')).status === 401)
  expect((await cli('keys', 'revoke', id, '--json')).json).toEqual({ id, revoked: true, wasLive: false })
  const { account_id } = await service.app.platform.db
    .selectFrom('api_keys')
    .select('account_id')
    .executeTakeFirstOrThrow()
  const events = await service.events({ accountId: account_id })
  expect(
    events.filter(({ type }) => type.startsWith('api_key.')).map(({ type, actor_type }) => [type, actor_type]),
  ).toEqual([
    ['api_key.created', 'cli'],
    ['api_key.revoked', 'cli'],
  ])
})

test('a key of one organization, environment and scope can do no more', async () => {
  const { json } = await cli('keys', 'create', '--org', 'acme', '--env', 'staging', '--scopes', 'users.read', '--json')
  expect(json.apiKey).toMatchObject({ environment: 'staging', scopes: ['users.read'], subOrgId: expect.any(String) })
  expect((await service.as(json.key).get('/v1/users')).status).toBe(200)
  expect((await service.as(json.key).post('/v1/users', { email: 'ada@example.com' })).body.code).toBe(
    'insufficient_scope',
  )
})

test('gives a key a new secret, and keeps the previous one for the overlap', async () => {
  const first = (await cli('keys', 'create', '--json')).json
  const { id } = first.apiKey
  const second = (await cli('keys', 'rotate', id, '--overlap', '3600', '--json')).json
  expect(second.apiKey).toMatchObject({ id, scopes: ['*'] })
  const status = async (key: string) => (await service.as(key).get('/v1/organizations')).status
  expect([await status(first.key), await status(second.key)]).toEqual([200, 200])
  const third = await cli('keys', 'rotate', id)
  expect(third.stderr).toBe(`Key ${id} (cli): it is shown only once.\n`)
  await until(async () => (await status(second.key)) === 401)
  expect([await status(first.key), await status(third.stdout.trim())]).toEqual([401, 200])
  expect(await cli('keys', 'rotate', id, '--overlap', '604801')).toMatchObject({
    code: 2,
    stderr: '--overlap is 604801: use a whole number of seconds from 0 to 604800.\n',
  })
})

test('the version is told by a command and by an option', async () => {
  const line = expect.stringMatching(/^Watchword \d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)\n$/)
  for (const asked of ['version', '--version', '-V']) expect(await cli(asked)).toMatchObject({ code: 0, stdout: line })
})

test('a wrong call says why and makes nothing', async () => {
  const before = await countKeys()
  const calls: [string[], number, RegExp][] = [
    [['--scopes', 'users.fly'], 2, /^--scopes has users\.fly: /],
    [['--scopes', ','], 2, /^--scopes has none: /],
    [['--name', ' '], 2, /^--name must be one line of 1 to 200 characters\./],
    [['--expires', 'tomorrow'], 2, /^--expires is tomorrow: /],
    [['--expires', '2020-01-01'], 2, /^--expires is 2020-01-01: /],
    [['--requests-per-second', '0'], 2, /^--requests-per-second is 0: /],
    [['--colour', 'red'], 2, /^error: unknown option '--colour'/],
    [['--env', 'nowhere'], 1, /^There is no environment nowhere: use one of production, staging\./],
    [['--org', 'nobody'], 1, /^There is no organization nobody: /],
    [['--account', 'nobody'], 1, /^There is no account nobody: /],
  ]
  for (const [args, code, line] of calls) {
    const result = await cli('keys', 'create', ...args)
    expect([args, result.code, result.stdout, result.stderr]).toEqual([args, code, '', expect.stringMatching(line)])
  }
  expect(await countKeys()).toBe(before)
  expect(await cli('keys', 'revoke', 'everything')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is not the id of a key/),
  })
  const unknown = '0198c6d5-2f7a-7c31-a1a4-4f3f5a1c9b20'
  expect(await cli('keys', 'revoke', unknown)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no key /),
  })
})

test('every command explains itself with an example', async () => {
  const commands = [
    ['setup'],
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'revoke'],
    ['keys', 'rotate'],
    ['orgs', 'list'],
    ['orgs', 'show'],
    ['users', 'list'],
    ['users', 'show'],
    ['users', 'end-sessions'],
    ['users', 'resend'],
    ['mail', 'test'],
    ['mail', 'suppressions', 'list'],
    ['mail', 'suppressions', 'clear'],
    ['reset'],
    ['signing-keys', 'list'],
    ['signing-keys', 'rotate'],
    ['master-key', 'rotate'],
    ['migrate'],
    ['doctor'],
    ['import', 'users'],
    ['openapi'],
  ]
  const helps = await Promise.all(commands.map((command) => cli(...command, '--help')))
  expect(helps.map(({ code }) => code)).toEqual(commands.map(() => 0))
  for (const { stdout } of helps) expect(stdout).toContain('$ npx watchword ')
  expect((await cli('nonsense')).code).toBe(2)
})

test('a list shows to the minute when a key ends', async () => {
  const { json } = await cli('keys', 'create', '--name', 'short', '--expires', '1d', '--json')
  const { stdout } = await cli('keys', 'list')
  expect(stdout).toMatch(new RegExp(`^${json.apiKey.id} .* until \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ `, 'm'))
})

test('in a mode that there is not no key is made', async () => {
  const before = await countKeys()
  const { code, stdout, stderr } = await runCommand({ ...env, NODE_ENV: 'prod' }, 'keys', 'create')
  expect([code, stdout, stderr]).toEqual([1, '', 'NODE_ENV is prod: use production or development (or test).\n'])
  expect(await countKeys()).toBe(before)
})

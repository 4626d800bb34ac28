import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { startSmtpPeer } from '../../test/peers/smtp-peer.ts'
import { succeeded } from '../../test/people/factors.ts'
import { provisioned } from '../../test/people/scim.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { makeDataDir, takePort } from '../../test/process/service.ts'
import { variables } from '../platform/config/config.ts'
import { openDatabase } from '../platform/db/pool.ts'
import { startEmbedded } from '../platform/embedded/embedded.ts'

const service = await startApp()
const env = settingsOf(service)

async function states(settings: Record<string, string>) {
  const { code, json } = await runCommand(settings, 'doctor', '--json')
  const findings: { check: string; state: string; detail: string }[] = json.findings
  return { code, of: (check: string) => findings.find((finding) => finding.check === check), findings }
}

test('a healthy deployment has no problem, and no mail is sent', async () => {
  const mail = await startSmtpPeer({ withoutStarttls: true })
  const settings = {
    ...env,
    SMTP_URL: `smtp://localhost:${mail.port}`,
    WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>',
  }
  const { code, findings } = await states(settings)
  await mail.stop()
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(code).toBe(0)
  expect(mail.deliveries).toEqual([])
  const text = await runCommand(env, 'doctor')
  expect(text.stdout).toMatch(/^ok {7}configuration {2}Every setting is valid; mode development\.\n/)
})

test('lists every setting, and of those that are set no value', async () => {
  const { code, json } = await runCommand(
    { ...env, WATCHWORD_TRUST_PROXY: '10.1.2.3' },
    'doctor',
    '--variables',
    '--json',
  )
  const listed: { name: string; isSet: boolean; description: string }[] = json.variables
  expect(code).toBe(0)
  expect(listed.map(({ name }) => name)).toEqual(Object.keys(variables))
  expect(listed.filter(({ name, isSet }) => isSet && name.startsWith('WATCHWORD_TRUST'))).toHaveLength(1)
  expect(listed.find(({ name }) => name === 'SMTP_URL')?.isSet).toBe(false)
  const { stdout } = await runCommand({ ...env, WATCHWORD_TRUST_PROXY: '10.1.2.3' }, 'doctor', '--variables')
  expect(stdout).toMatch(/^set WATCHWORD_TRUST_PROXY +\S/m)
  expect(stdout).not.toContain('10.1.2.3')
})

test('each problem is told with what to do about it, and the exit code is 1', async () => {
  const production = { ...env, NODE_ENV: 'production', WATCHWORD_BASE_URL: 'http://auth.example.com' }
  const insecure = await states(production)
  expect(insecure.code).toBe(1)
  expect(insecure.of('base URL')).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('set WATCHWORD_BASE_URL'),
  })
  expect(insecure.of('SMS')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^Off: WATCHWORD_SMS_URL/) })
  expect(insecure.of('mail')).toMatchObject({ state: 'problem', detail: expect.stringContaining('SMTP_URL') })

  const unreachable = await states({
    ...env,
    SMTP_URL: `smtp://127.0.0.1:${await takePort()}`,
    WATCHWORD_MAIL_FROM: 'a@b.example',
  })
  expect(unreachable.of('mail')?.state).toBe('problem')
  const otherKey = await states({ ...env, WATCHWORD_MASTER_KEY: randomBytes(32).toString('base64') })
  expect(otherKey.of('master key')).toMatchObject({
    state: 'problem',
    detail: expect.stringMatching(/^The master key does not fit/),
  })
  const nobody = await states({ ...env, DATABASE_URL: `postgres://me:secret-of-mine@127.0.0.1:${await takePort()}/x` })
  expect(nobody.of('database')).toMatchObject({
    state: 'problem',
    detail: expect.stringMatching(/does not answer \(ECONNREFUSED\): start it, or correct DATABASE_URL\.$/),
  })
  expect(JSON.stringify(nobody.findings)).not.toContain('secret-of-mine')
  const sms = await states({ ...env, WATCHWORD_SMS_URL: 'https://AC12:secret-of-mine@sms.example/Messages.json' })
  expect(sms.findings.filter(({ state }) => state !== 'ok')).toEqual([
    { check: 'configuration', state: 'problem', detail: expect.stringMatching(/^WATCHWORD_SMS_URL names no sender/) },
    { check: 'SMS', state: 'warning', detail: 'Not checked: see configuration on WATCHWORD_SMS_URL.' },
  ])
  expect(JSON.stringify(sms.findings)).not.toContain('secret-of-mine')
  expect([unreachable.code, otherKey.code, nobody.code, sms.code]).toEqual([1, 1, 1, 1])
})

test('no problem hides another', async () => {
  const mailUrl = `smtp://127.0.0.1:${await takePort()}`
  const nobody = `postgres://me@127.0.0.1:${await takePort()}/x`
  const wrong = {
    PORT: 'x',
    LOG_LEVEL: 'loud',
    WORKERS: '0',
    WATCHWORD_PROT: '1',
    WATCHWORD_SOCIAL_GOOGLE_CLIENT_ID: 'a',
  }
  const { code, findings } = await states({
    ...{ ...wrong, DATABASE_URL: nobody, WATCHWORD_MASTER_KEY: 'short' },
    ...{ SMTP_URL: mailUrl, WATCHWORD_MAIL_FROM: 'a@b.example' },
  })
  expect(code).toBe(1)
  expect(findings.map(({ check, state, detail }) => [check, state, detail.split(/ |:/, 1)[0]])).toEqual([
    ['configuration', 'problem', 'WATCHWORD_PROT'],
    ['configuration', 'problem', 'PORT'],
    ['configuration', 'problem', 'WATCHWORD_SOCIAL_GOOGLE_CLIENT_SECRET'],
    ['configuration', 'problem', 'WORKERS'],
    ['configuration', 'problem', 'LOG_LEVEL'],
    ['Node', 'ok', 'Version'],
    ['base URL', 'ok', 'http'],
    ['passwords', 'ok', 'A'],
    ['database', 'problem', 'PostgreSQL'],
    ['master key', 'problem', 'WATCHWORD_MASTER_KEY'],
    ['mail', 'problem', 'The'],
    ['mail domain', 'ok', 'Not'],
    ['SMS', 'ok', 'Text'],
  ])
  const { DATABASE_URL, ...embedded } = env
  const refused = await states({
    ...{ ...embedded, WATCHWORD_DATA_DIR: makeDataDir() },
    ...{ WORKERS: '9', WATCHWORD_BOOTSTRAP_API_KEY: `ww_live_${'a1B2c3D4e5F6'.repeat(4)}z` },
  })
  const ofStart = refused.findings.filter(({ check, state }) => check === 'configuration' && state === 'problem')
  expect(ofStart.map(({ detail }) => detail.slice(0, 60))).toEqual([
    'WORKERS is 9: the embedded database serves at most 5. For mo',
    'WATCHWORD_BOOTSTRAP_API_KEY looks like a Watchword key but i',
  ])
  const mode = await states({ ...env, NODE_ENV: 'prod', DATABASE_URL: 'mysql://x' })
  expect(mode.findings.map(({ check, state, detail }) => [check, state, detail.split(/ |:/, 1)[0]])).toEqual([
    ['configuration', 'problem', 'NODE_ENV'],
    ['configuration', 'problem', 'WATCHWORD_BASE_URL'],
    ['configuration', 'problem', 'DATABASE_URL'],
    ['Node', 'ok', 'Version'],
    ['base URL', 'warning', 'Not'],
    ['passwords', 'ok', 'A'],
    ['database', 'warning', 'Not'],
    ['master key', 'ok', 'Valid'],
    ['mail', 'problem', expect.any(String)],
    ['SMS', 'ok', 'Off'],
  ])
})

test('a schema that cannot be read hides neither the database nor the master key', async () => {
  const broken = `broken_${randomBytes(4).toString('hex')}`
  const { pool } = service.app.platform.database
  await pool.query(`create database ${broken}`)
  const url = new URL(service.databaseUrl)
  url.pathname = `/${broken}`
  const other = openDatabase(url.href, { maxConnections: 1 })
  await other.pool.query('create table schema_migrations (x int)')
  await other.close()
  const half = await states({ ...env, DATABASE_URL: url.href })
  await pool.query(`drop database ${broken} with (force)`)
  expect(
    half.findings.filter(({ check }) => ['database', 'clock', 'migrations', 'master key'].includes(check)),
  ).toMatchObject([
    { check: 'database', state: 'ok' },
    { check: 'clock', state: 'ok' },
    { check: 'migrations', state: 'problem' },
    { check: 'master key', state: 'ok' },
  ])
})

test('a database that only reads is a problem', async () => {
  const standby = `standby_${randomBytes(4).toString('hex')}`
  const { pool } = service.app.platform.database
  await pool.query(`create database ${standby}`)
  await pool.query(`alter database ${standby} set default_transaction_read_only = on`)
  const url = new URL(service.databaseUrl)
  url.pathname = `/${standby}`
  const result = await states({ ...env, DATABASE_URL: url.href })
  await pool.query(`drop database ${standby} with (force)`)
  expect([result.code, result.of('database')]).toMatchObject([
    1,
    {
      state: 'problem',
      detail: expect.stringMatching(/^PostgreSQL \S+\. It is read-only\. .* Set DATABASE_URL to the primary/),
    },
  ])
})

test('looking changes nothing', async () => {
  const dataDir = makeDataDir()
  expect((await states({ WATCHWORD_DATA_DIR: dataDir })).code).toBe(0)
  expect(existsSync(dataDir)).toBe(false)
  const database = await startEmbedded({ dataDir, log: () => undefined })
  const unmigrated = await states({ WATCHWORD_DATA_DIR: dataDir })
  await database.stop()
  expect(unmigrated.of('migrations')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^0200_release_0_1_0\.sql not applied: .*npx watchword migrate/),
  })
})

test('migrates apart from the service, and tells what is applied', async () => {
  const settings = { WATCHWORD_DATA_DIR: makeDataDir() }
  const refused = await runCommand(settings, 'keys', 'list')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^There is no database in .*\. Run the command with the settings of the service/),
  ])
  const before = (await runCommand(settings, 'migrate', '--status', '--json')).json
  expect([before.applied, before.unknown]).toEqual([[], []])
  const made = (await runCommand(settings, 'migrate', '--json')).json
  expect(made.applied).toEqual(before.pending)
  const after = (await runCommand(settings, 'migrate', '--status', '--json')).json
  expect(after).toEqual({ applied: before.pending, pending: [], unknown: [] })
  expect((await runCommand(settings, 'migrate')).stdout).toBe('The schema is up to date.\n')
})

test('prints the description of the API, on stdout or into a file', async () => {
  const printed = await runCommand({}, 'openapi', '--base-url', 'https://auth.example.com')
  const document = JSON.parse(printed.stdout)
  expect([document.openapi, document.servers.map((server: { url: string }) => server.url)]).toEqual([
    '3.1.0',
    ['https://auth.example.com/api', 'https://auth.example.com'],
  ])
  const file = join(makeDataDir(), '..', 'openapi.json')
  expect(await runCommand({}, 'openapi', '--out', file)).toMatchObject({ code: 0, stdout: '' })
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).paths)).toContain('/healthz')
  const unwritable = await runCommand({}, 'openapi', '--out', '/nowhere/openapi.json')
  expect(unwritable.code).toBe(1)
  expect((await runCommand({}, 'version', '--json')).json).toEqual({
    watchword: expect.stringMatching(/^\d+\./),
    node: process.versions.node,
  })
})

test('connections that make users beside provisioning are a warning, and others are not', async () => {
  const tenant = await service.tenant()
  const { subOrgId } = await provisioned(service, tenant)
  const make = async (name: string, jit_provisioning: boolean | null) => {
    const body = { subOrgId, name, protocol: 'oidc', jit_provisioning }
    const { id } = succeeded(await tenant.post('/v1/sso/connections', body)).connection
    succeeded(await tenant.patch(`/v1/sso/connections/${id}`, { subOrgId, status: 'active' }))
  }
  await make('By default', null)
  expect((await states(env)).of('SSO')).toBeUndefined()
  await make('Beside', true)
  expect((await states(env)).of('SSO')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/jit_provisioning is true: Beside \([0-9a-f-]{36}\)\./),
  })
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, enabled: false }))
  expect((await states(env)).of('SSO')).toBeUndefined()
})

test('warns of redirect URIs that several providers share, and says how to change each', async () => {
  const { db } = service.app.platform
  const tenant = await service.tenant()
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  const { connection } = (await key.post('/v1/sso/connections', { name: 'Old', protocol: 'oidc' })).body
  await key.put('/v1/social/providers', { provider: 'github', enabled: true, client_id: 'mine', client_secret: 'x' })
  const own = await states(env)
  expect([own.code, own.of('redirect URIs')]).toMatchObject([0, { state: 'ok' }])
  // Earlier releases stored connections like this. No route does.
  await db.updateTable('sso_connections').set({ config: '{}' }).where('id', '=', connection.id).execute()
  await db.updateTable('social_providers').set({ options: '{}' }).execute()
  const google = { WATCHWORD_SOCIAL_GOOGLE_CLIENT_ID: 'client', WATCHWORD_SOCIAL_GOOGLE_CLIENT_SECRET: 'secret' }
  const { code, findings } = await states({ ...env, ...google, WATCHWORD_SOCIAL_CALLBACK: 'shared' })
  expect(code).toBe(0)
  expect(
    findings.filter(({ state }) => state !== 'ok').map(({ check, state, detail }) => [check, state, detail]),
  ).toEqual([
    ['redirect URIs', 'warning', expect.stringContaining('OpenID connections: 1. ')],
    ['redirect URIs', 'warning', expect.stringContaining('Social applications: 1. ')],
    ['redirect URIs', 'warning', expect.stringContaining('WATCHWORD_SOCIAL_CALLBACK')],
  ])
  const { connection: changed } = (
    await key.patch(`/v1/sso/connections/${connection.id}`, { oidc_callback: 'connection' })
  ).body
  await key.put('/v1/social/providers', { provider: 'github', enabled: true, callback: 'provider' })
  expect(changed.oidc_callback).toBe('connection')
  expect((await states({ ...env, ...google })).of('redirect URIs')?.state).toBe('ok')
})

test('warns of a promotion that the service has not noticed yet', async () => {
  const { db } = service.app.platform
  expect((await states(env)).of('timeline')).toBeUndefined()
  // Only a promotion or a restore changes the timeline.
  await sql`update event_stream set cluster = regexp_replace(event_cluster(), '/.*/', '/00000000/')`.execute(db)
  expect((await states(env)).of('timeline')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('run `npx watchword recover`'),
  })
  await sql`update event_stream set cluster = event_cluster()`.execute(db)
})

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { codeOf, signInByLink, succeeded } from '../../../test/people/factors.ts'
import { newPendingUser } from '../../../test/people/people.ts'
import { runCommand, settingsOf } from '../../../test/process/cli.ts'
import { snapshot } from '../../../test/snapshot.ts'
import { makeTotpSecret, otpauthUrl } from '../../features/sign-in/factors/totp.ts'

const service = await startApp()
const env = settingsOf(service)
const tenant = await service.tenant()
const home = mkdtempSync(join(tmpdir(), 'watchword-totp-'))
afterAll(() => rmSync(home, { recursive: true }))

// A test vector of crypt_blowfish for the password U*U.
const HASH = '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const write = (...lines: string[]) => {
  const path = join(home, `${randomUUID()}.csv`)
  writeFileSync(path, lines.join('\n'))
  return path
}
const importUsers = (path: string, subOrgId: string, ...args: string[]) =>
  runCommand(env, 'import', 'users', path, '--account', tenant.accountId, '--org', subOrgId, '--json', ...args)
const reportOf = (path: string) =>
  readFileSync(`${path}.report.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('the authenticator app of an imported person passes at their next sign-in, and is told nowhere', async () => {
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  const [plain, url] = [makeTotpSecret(), makeTotpSecret()]
  const path = write(
    'email,emailVerified,passwordHash,totp_secret',
    `ada@example.com,true,${HASH},${plain.toLowerCase()}`,
    `bob@example.com,true,,"${otpauthUrl(url, 'Acme, Inc.', 'bob@example.com')}"`,
    'eve@example.com,true,,',
  )
  const before = await snapshot(service)
  expect((await importUsers(path, subOrgId, '--dry-run')).json).toMatchObject({ created: 3, failed: 0 })
  expect(await snapshot(service)).toEqual(before)
  const run = await importUsers(path, subOrgId)
  expect([run.code, run.json], run.stderr).toMatchObject([0, { created: 3 }])

  const users = succeeded(await caller.get('/v1/users')).users as { id: string; email: string; mfaEnrolled: boolean }[]
  const enrolled = Object.fromEntries(users.map(({ email, mfaEnrolled }) => [email, mfaEnrolled]))
  expect(enrolled).toEqual({ 'ada@example.com': true, 'bob@example.com': true, 'eve@example.com': false })
  const idOf = (name: string) => users.find(({ email }) => email.startsWith(name))?.id ?? ''
  expect(succeeded(await caller.get(`/v1/mfa/totp?userId=${idOf('ada')}`)).enrollment).toMatchObject({
    ...{ enrolled: true, pending: false, enrolledAt: expect.any(String), backupCodesRemaining: 0 },
  })

  const byPassword = { email: 'ada@example.com', password: 'U*U' }
  const ada = succeeded(await caller.post('/v1/auth/login/password', byPassword))
  expect([ada.session, ada.challenge_token]).toEqual([null, expect.any(String)])
  const verify = (challenge_token: string, code: string) =>
    caller.post('/v1/mfa/challenge/verify', { challenge_token, code })
  const wrong = await verify(ada.challenge_token, codeOf(url))
  expect([wrong.status, wrong.body.code]).toEqual([401, 'mfa_code_invalid'])
  expect(succeeded(await verify(ada.challenge_token, codeOf(plain))).session).toMatchObject({
    access_token: expect.any(String),
  })
  // A code works once, as for any authenticator app.
  const second = succeeded(await caller.post('/v1/auth/login/password', byPassword))
  expect((await verify(second.challenge_token, codeOf(plain))).status).toBe(401)
  const bob = succeeded(await signInByLink(caller, 'bob@example.com'))
  expect(succeeded(await verify(bob.challenge_token, codeOf(url))).session).toMatchObject({
    access_token: expect.any(String),
  })
  expect(succeeded(await signInByLink(caller, 'eve@example.com')).session).toMatchObject({
    access_token: expect.any(String),
  })

  const events = await service.events({ accountId: tenant.accountId, type: 'mfa.enrolled' })
  expect(events.map((event) => [event.target_id, event.actor_type, event.request_id, event.data])).toEqual(
    ['ada', 'bob'].map((name) => [
      ...[idOf(name), 'cli', run.json.importId],
      { directory_user_id: idOf(name), method: 'totp' },
    ]),
  )
  expect(await service.mails('ada@example.com')).toEqual([])
  const { db } = service.app.platform
  const rows = await db.selectFrom('totp_enrollments').selectAll().execute()
  expect(rows.map(({ secret_sealed, expires_at }) => [secret_sealed.slice(0, 3), expires_at])).toEqual([
    ['v1.', null],
    ['v1.', null],
  ])
  const told = [
    run.stdout,
    run.stderr,
    JSON.stringify(rows),
    JSON.stringify(await service.events({ accountId: tenant.accountId })),
    service.logLines,
  ]
  for (const text of told.map(String))
    for (const secret of [plain, plain.toLowerCase(), url]) expect(text.includes(secret)).toBe(false)

  const again = await importUsers(path, subOrgId)
  expect(again.json).toMatchObject({ created: 0, existed: 3, failed: 0 })
  expect(await db.selectFrom('totp_enrollments').selectAll().execute()).toHaveLength(2)
})

test('a secret that cannot work fails its row, which the report names without it', async () => {
  const subOrgId = await tenant.organization()
  const secret = makeTotpSecret()
  const eight = otpauthUrl(secret, 'Acme', 'a').replace('digits=6', 'digits=8')
  const path = write(
    'email,totpSecret',
    'short@example.com,JBSWY3DP',
    `eight@example.com,${eight}`,
    `fine@example.com,${secret}`,
  )
  const run = await importUsers(path, subOrgId)
  expect([run.code, run.json], run.stderr).toMatchObject([3, { created: 1, failed: 2 }])
  const report = reportOf(path)
  expect(report).toMatchObject(
    ['short', 'eight'].map((name) => ({
      ...{ email: `${name}@example.com`, outcome: 'failed', code: 'invalid_field:totpSecret' },
      reason: expect.stringMatching(/^totpSecret must be base32 of 10 to 64 bytes, or an otpauth/),
    })),
  )
  expect(JSON.stringify(report)).not.toMatch(new RegExp(`JBSWY3DP|${secret}`))
})

test('where people may not enroll an app, rows with one fail, and the others are imported', async () => {
  const [off, barred] = [await tenant.organization(), await tenant.organization()]
  const enabledAppIds = ['auth', 'password', 'otp']
  succeeded(await tenant.put('/v1/organization-apps', { subOrgId: off, enabledAppIds }))
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId: barred, allowed_methods: ['sms'] }))
  const path = write('email,totpSecret', `a@example.com,${makeTotpSecret()}`, 'b@example.com,')
  for (const [subOrgId, code] of [
    [off, 'service_disabled'],
    [barred, 'method_disabled'],
  ] as const)
    for (const args of [['--dry-run'], []]) {
      const { json, stderr } = await importUsers(path, subOrgId, ...args)
      expect(json, stderr).toMatchObject({ created: 1, failed: 1, reasons: { [code]: 1 } })
    }
})

test('the first proof of an address that was not verified needs the app too, and a waiting sign-up gives way', async () => {
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  const { email } = await newPendingUser(service.app.platform.db, tenant, { subOrgId })
  const secret = makeTotpSecret()
  const path = write('email,totpSecret', `${email},${secret}`)
  expect((await importUsers(path, subOrgId)).json).toMatchObject({ created: 1 })
  const find = async () => succeeded(await caller.get('/v1/users')).users
  expect(await find()).toMatchObject([{ email, status: 'active', mfaEnrolled: true }])
  const { session, challenge_token } = succeeded(await signInByLink(caller, email))
  expect(session).toBeNull()
  const passed = await caller.post('/v1/mfa/challenge/verify', { challenge_token, code: codeOf(secret) })
  expect(succeeded(passed).session).toMatchObject({ access_token: expect.any(String) })
  expect(await find()).toMatchObject([{ email, emailVerified: true, mfaEnrolled: true }])
})

test('no API key brings factors along', async () => {
  const subOrgId = await tenant.organization()
  const users = [{ email: 'key@example.com', totpSecret: makeTotpSecret() }]
  const { body } = await tenant.put('/v1/users', { subOrgId, users })
  expect(body).toEqual({
    ...{ created: [], skipped: [] },
    failed: [{ email: 'key@example.com', error: 'invalid_field:totpSecret' }],
  })
})

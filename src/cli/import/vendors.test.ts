import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { runCommand, settingsOf } from '../../../test/process/cli.ts'

const service = await startApp()
const env = settingsOf(service)
const tenant = await service.tenant()
const fixtures = fileURLToPath(new URL('../../../test/fixtures/import/', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'watchword-import-'))
cpSync(fixtures, home, { recursive: true })
afterAll(() => rmSync(home, { recursive: true }))

// Every hash in the fixtures is of this password.
const PASSWORD = 'open sesame 42'

interface Case {
  file: string
  args?: string[]
  format: string
  /** The imported users, by the part of the address before the @. */
  users: Record<string, object>
  /** Users whose password was imported. The active ones can sign in with it. */
  withPassword?: string[]
  /** The whole report, without the outcome of failed rows. */
  report?: object[]
}

const unsupported = (kind: string) => `The password is hashed with ${kind}, which cannot be imported.`
const noAddress = { code: 'invalid_email', reason: 'The email address is missing.', email: null }

const cases: Case[] = [
  {
    file: 'auth0-users.ndjson',
    format: 'auth0',
    users: {
      ada: {
        ...{ emailVerified: true, displayName: null, firstName: 'Ada', lastName: 'Lovelace', status: 'active' },
        externalId: 'auth0|5dea9f9c82dd7c0e76e4ec01',
        metadata: { user_metadata: { theme: 'dark' }, app_metadata: { plan: 'gold' } },
      },
      grace: { displayName: 'Grace Hopper', phone: '+14155550100', active: false, status: 'inactive', metadata: {} },
    },
    report: [{ line: 3, ...noAddress }],
  },
  {
    file: 'auth0-users.csv',
    format: 'auth0',
    users: {
      csv: {
        ...{ emailVerified: true, displayName: 'Cee "C" Vee', firstName: 'Cee' },
        externalId: 'auth0|5dea9f9c82dd7c0e76e4ec11',
        metadata: { user_metadata: { theme: 'light' } },
      },
    },
  },
  {
    file: 'auth0-hashes.ndjson',
    format: 'auth0',
    users: {
      hash: { emailVerified: true, externalId: 'auth0|5dea9f9c82dd7c0e76e4ec93' },
      identified: { emailVerified: false, externalId: 'auth0|euclid' },
    },
    withPassword: ['hash', 'identified'],
  },
  {
    file: 'auth0-import.json',
    format: 'auth0',
    users: { bcrypt: { externalId: 'legacy|1' }, argon2: {}, pbkdf2: {}, scrypt: {}, ldap: { emailVerified: true } },
    withPassword: ['bcrypt', 'argon2', 'pbkdf2', 'scrypt', 'ldap'],
    report: [
      {
        ...{ line: 60, email: 'md5@auth0.example.com' },
        ...{ code: 'invalid_field:passwordHash', reason: unsupported('md5') },
      },
    ],
  },
  {
    file: 'clerk.csv',
    args: ['--drop-unreadable-hashes'],
    format: 'clerk',
    users: {
      ...{ bcrypt: { firstName: 'bcrypt', lastName: 'Tester', externalId: 'user_1', mfaEnrolled: true } },
      ...{ argon2id: {}, pbkdf2: {}, django: {}, sha1: {}, firebase: {}, werkzeug: {}, phpass: { userId: null } },
      none: { phone: '+14155550102', emailVerified: false },
    },
    withPassword: ['bcrypt', 'argon2id', 'pbkdf2', 'django', 'sha1', 'firebase', 'werkzeug'],
    report: [
      {
        ...{ line: 9, email: 'phpass@clerk.example.com', outcome: 'imported_without_password' },
        ...{ code: 'invalid_field:passwordHash', reason: unsupported('phpass') },
      },
    ],
  },
  {
    file: 'clerk.json',
    format: 'clerk',
    users: {
      json: {
        ...{ firstName: 'Jay', lastName: 'Son', emailVerified: true, active: false, externalId: 'user_2abc' },
        metadata: { public_metadata: { plan: 'gold' } },
      },
    },
  },
  {
    file: 'cognito.csv',
    format: 'cognito',
    users: {
      ada: {
        ...{ displayName: 'Ada Lovelace', firstName: 'Ada', phone: '+14155550103', emailVerified: true },
        ...{ externalId: 'ada', metadata: { plan: 'gold' } },
      },
    },
    report: [
      {
        ...{ line: 4, record: 2, email: null, id: 'phone-only', outcome: 'skipped' },
        ...{ code: 'phone_only', reason: 'A person with a phone number and no email address.' },
      },
    ],
  },
  {
    file: 'cognito.json',
    format: 'cognito',
    users: {
      json: {
        ...{ emailVerified: true, externalId: 'b1f0c9a2-0000-4000-8000-000000000001', active: false },
        metadata: { plan: 'silver' },
      },
    },
  },
  {
    file: 'keycloak-realm.json',
    format: 'keycloak',
    users: {
      argon2: { firstName: 'argon2', emailVerified: true, metadata: { locale: 'de', teams: ['a', 'b'] } },
      ...{ sha512: {}, sha256: {}, sha1: {}, off: { active: false, status: 'inactive' } },
      named: { firstName: 'Näme “[{,}]”\\', emailVerified: false, userId: null },
    },
    withPassword: ['argon2', 'sha512', 'sha256', 'sha1', 'off'],
    report: [
      {
        ...{ line: 149, email: 'scrypted@keycloak.example.com' },
        ...{ code: 'invalid_field:passwordHash', reason: unsupported('scrypt') },
      },
      {
        ...{ line: 174, email: null, outcome: 'skipped' },
        ...{ code: 'service_account', reason: 'The service account of app.' },
      },
    ],
  },
  {
    file: 'firebase.json',
    args: ['--firebase-hash-config', join(home, 'firebase-hash-config.txt')],
    format: 'firebase',
    users: {
      json1: {
        ...{ displayName: 'json1', phone: '+14155550105', externalId: 'json1', emailVerified: true },
        metadata: { customClaims: { admin: true } },
      },
      json2: { active: false },
    },
    withPassword: ['json1', 'json2'],
    report: [
      {
        ...{ line: 29, record: 3, email: null, id: 'anonymous1', outcome: 'skipped' },
        ...{ code: 'anonymous', reason: 'An anonymous person, without an email address.' },
      },
    ],
  },
  {
    file: 'firebase.csv',
    args: [
      '--firebase-signer-key',
      'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
    ],
    format: 'firebase',
    users: {
      csv1: { displayName: 'csv1, Esq.', externalId: 'csv1', metadata: { customClaims: { admin: true } } },
      csv2: { active: false },
    },
    withPassword: ['csv1', 'csv2'],
  },
  {
    file: 'people.csv',
    args: ['--map', 'Vorname=firstName', '--map', 'Badge=metadata.badge'],
    format: 'csv',
    users: {
      ada: {
        ...{ firstName: 'Ada', lastName: 'Lovelace; Countess', displayName: 'Ada "L"', emailVerified: true },
        metadata: { badge: '17', team: 'red\r\nblue' },
      },
      HOPPER: { firstName: 'Grace', emailVerified: false, metadata: { badge: '18' } },
    },
    withPassword: ['ada'],
    report: [
      {
        ...{ line: 6, email: 'hopper@plain.example.com', outcome: 'skipped' },
        ...{ code: 'duplicate_in_file', reason: 'The same address as in line 4.' },
      },
      { line: 7, email: 'not-an-address', code: 'invalid_email', reason: 'The email address is invalid.' },
      {
        ...{ line: 8, email: 'bad@plain.example.com', code: 'invalid_field:passwordHashType' },
        reason: expect.stringMatching(/^The type of the password hash is missing or unknown: use one of bcrypt, /),
      },
      { line: 9, email: null, code: 'invalid_field:line', reason: 'The row has 11 columns instead of 9.' },
      {
        ...{ line: 10, email: 'maybe@plain.example.com', code: 'invalid_field:emailVerified' },
        reason: 'emailVerified is neither true nor false.',
      },
    ],
  },
  {
    file: 'people.ndjson',
    format: 'ndjson',
    users: { one: { firstName: 'One' }, two: { displayName: 'Two', emailVerified: true, metadata: { n: 2 } } },
    withPassword: ['two'],
    report: [
      { line: 3, email: null, code: 'invalid_field:line', reason: 'The record is not a JSON object.' },
      { line: 5, email: null, code: 'invalid_field:line', reason: 'The record is not a JSON object.' },
      { line: 6, record: 5, ...noAddress },
    ],
  },
]

test.each(cases)(
  '$file',
  { timeout: 60_000 },
  async ({ file, args = [], format, users, withPassword = [], report = [] }) => {
    const subOrgId = await tenant.organization()
    const path = join(home, file)
    const command = ['import', 'users', path, '--org', subOrgId, '--account', tenant.accountId, ...args, '--json']
    const lines = report.map((line) => ({ outcome: 'failed', ...line }))
    const failed = lines.filter(({ outcome }) => outcome === 'failed').length
    const exitCode = failed ? 3 : 0
    const counts = { format, created: Object.keys(users).length, existed: 0, failed }

    const dry = await runCommand(env, ...command, '--dry-run')
    expect(dry, dry.stderr).toMatchObject({ code: exitCode, json: { ...counts, dryRun: true, importId: null } })
    expect((await tenant.get(`/v1/users?subOrgId=${subOrgId}`)).body.users).toEqual([])

    const run = await runCommand(env, ...command)
    expect(run, run.stderr).toMatchObject({ code: exitCode, json: { ...counts, dryRun: false } })
    const reportFile = `${path}.report.ndjson`
    expect(run.json.report).toBe(lines.length ? reportFile : null)
    const written = existsSync(reportFile) ? readFileSync(reportFile, 'utf8').trim().split('\n') : []
    const named = { record: expect.any(Number), id: expect.toBeOneOf([null, expect.any(String)]), organization: null }
    expect(written.map((line) => JSON.parse(line))).toEqual(lines.map((line) => ({ ...named, ...line })))
    expect(existsSync(`${path}.checkpoint.json`)).toBe(false)

    const found = await tenant.get(`/v1/users?subOrgId=${subOrgId}`)
    const byName = Object.fromEntries(
      found.body.users.map((user: { email: string }) => [user.email.split('@')[0], user]),
    )
    expect(byName).toEqual(
      Object.fromEntries(Object.entries(users).map(([name, fields]) => [name, expect.objectContaining(fields)])),
    )
    for (const { email, active } of found.body.users) {
      const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
      const known = active ? [200, undefined] : [403, 'user_inactive']
      const expected = withPassword.includes(email.split('@')[0]) ? known : [401, 'invalid_credentials']
      expect([email, login.status, login.body.code]).toEqual([email, ...expected])
    }
  },
)

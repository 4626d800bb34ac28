import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TProperties } from 'typebox'
import { describe, expect, test } from 'vitest'
import { directoryRolePermissions, permissionScopes } from '../../src/contract/permissions.ts'
import { MFA_POLICY_DEFAULTS } from '../../src/features/access/mfa/policy.ts'
import { MAX_USERS_PER_REQUEST } from '../../src/features/directory/users/bulk/bulk.ts'
import { BURST_SECONDS } from '../../src/features/provisioning/scim/settings.ts'
import { KEPT_DAYS } from '../../src/features/records/deliveries/limits.ts'
import { settingsFamily as otpSettings } from '../../src/features/sign-in/otp/settings.ts'
import { passkeySettings } from '../../src/features/sign-in/relying-party/settings.ts'
import { ERASURE_DAYS } from '../../src/features/tenancy/erasure/store.ts'
import { serviceIds } from '../../src/features/tenancy/services/selection.ts'
import { parseConfig, variables } from '../../src/platform/config/config.ts'
import { MAX_VALUES } from '../../src/platform/http/hostile.ts'
import { mailKinds } from '../../src/platform/mail/kinds.ts'
import { NOTICE_USEFUL_SECONDS } from '../../src/platform/mail/outbox.ts'
import { mailSettings } from '../../src/platform/mail/settings.ts'
import { isAnyCaller } from '../../src/platform/tenancy/authorize.ts'
import { authSettingsFamily } from '../../src/wiring/auth-settings.ts'
import { routes } from '../../src/wiring/routes.ts'

// The tables of the guides say what the code does: no row is missing, and none is left over.

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')

/** The rows of the tables of a guide whose first two headings are these, as cells. */
function rowsOf(guide: string, ...headings: [string, string]): string[][] {
  const tables = read(`docs/${guide}.md`).match(/(?:^\|.*\n)+/gm) ?? []
  return tables.flatMap((table) => {
    const [head = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf)
    return headings.every((heading, at) => head[at] === heading) ? rows : []
  })
}

const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const namesOf = (rows: string[][]) => rows.flatMap(([first]) => namesIn(first)).toSorted()

describe.each([
  ['sign-in/sessions', rowsOf('sign-in/sessions', 'Field', 'Default'), authSettingsFamily],
  ['sign-in/otp', rowsOf('sign-in/otp', 'Field', 'Default'), otpSettings],
  ['sign-in/passkeys', rowsOf('sign-in/passkeys', 'Field', 'Default'), passkeySettings],
  ['operate/mails', rowsOf('operate/mails', 'Field', 'Default'), mailSettings()],
] as const)('the settings in %s.md', (_, rows, { schema, defaults }) => {
  const properties: TProperties = schema.properties

  test('are those of the code', () => {
    expect(namesOf([...rows])).toEqual(Object.keys(properties).toSorted())
  })

  test('have its defaults and bounds', () => {
    const plain = rows.filter(([name]) => ['number', 'boolean'].includes(typeof defaults[namesIn(name)[0] ?? '']))
    expect(plain.length).toBeGreaterThan(_ === 'operate/mails' ? -1 : 0)
    for (const [cell, shown = '', range = ''] of plain) {
      const [name = ''] = namesIn(cell)
      const value = defaults[name]
      expect([name, dense(shown).replace(/\(.*\)$/, '')]).toEqual([name, String(value)])
      const { minimum, maximum }: { minimum?: number; maximum?: number } = { ...properties[name] }
      if (typeof value === 'number' && /\d–/.test(range))
        expect([name, dense(range)]).toEqual([name, `${minimum}–${maximum}`])
    }
  })
})

/** Without the spaces that set off thousands. */
const dense = (text: string) => text.replaceAll(/\s/g, '')

test('the kinds of mails in mails.md are those of the code', () => {
  expect(namesOf(rowsOf('operate/mails', 'Kind', 'Says'))).toEqual([...mailKinds()].toSorted())
})

test('the variables in configuration.md are those of the code', () => {
  expect(namesOf(rowsOf('reference/configuration', 'Variable', 'Default'))).toEqual(Object.keys(variables).toSorted())
})

test('the defaults in configuration.md are those of the code: to set one changes nothing', () => {
  const rows = rowsOf('reference/configuration', 'Variable', 'Default')
  // Where a social provider is unless one says so, is with what is known of it.
  const plain = rows.filter(([name = '', shown = '']) => !name.includes('_SOCIAL_') && /^`[^`<>]+`$/.test(shown))
  expect(plain.length).toBeGreaterThan(10)
  const absent = parseConfig({})
  for (const [name = '', shown = ''] of plain)
    expect([name, parseConfig({ [name.replaceAll('`', '')]: shown.replaceAll('`', '') })]).toEqual([name, absent])
})

test('the policy in mfa.md has the fields and the defaults of the code', () => {
  const rows = rowsOf('sign-in/mfa', 'Field', 'Default').map(([name = '', shown = '']) => [namesIn(name)[0], shown])
  expect(
    Object.fromEntries(rows.map(([name = '', shown = '']) => [name, JSON.parse(shown.replaceAll('`', ''))])),
  ).toEqual(MFA_POLICY_DEFAULTS)
})

test('the scopes in api-keys.md are those that a route asks for', () => {
  const asked = routes.flatMap(({ scope }) => (scope === null || isAnyCaller(scope) ? [] : [scope]))
  expect(namesOf(rowsOf('reference/api-keys', 'Scope', 'Allows'))).toEqual(
    [...new Set(asked), 'links.issue'].toSorted(),
  )
})

test('the scopes in invites.md are those that the role admin takes', () => {
  const rows = new Map(
    rowsOf('directory/invites', 'Role', 'Scopes of the key').map(([role = '', scopes = '']) => [role, scopes]),
  )
  const written = [...(rows.get('`admin`') ?? '').matchAll(/`([a-z_.]+)`/g)].map(([, scope]) => scope)
  const asked = directoryRolePermissions.admin.map((permission) => permissionScopes[permission] ?? '*')
  expect(written).toEqual([...new Set(asked)].toSorted())
})

test('the services in organizations.md are those of the code, each with a route of its own', () => {
  const rows = rowsOf('directory/organizations', 'Service', 'Switches')
  expect(namesOf(rows)).toEqual([...serviceIds].toSorted())
  const served = new Set(routes.flatMap(({ service }) => service ?? []))
  expect(serviceIds.filter((id) => !served.has(id))).toEqual([])
})

/** What each row of what is kept is about: the tables that a clean-up removes rows of. */
const KEPT: Record<string, string[]> = {
  codes: ['otps'],
  'counters of limits': ['rate_counters'],
  'stored responses for `Idempotency-Key`': ['idempotency_keys'],
  sessions: ['sessions'],
  'deleted users, also from SCIM': ['users', 'scim_users'],
  'links, invitations, locks': ['links', 'lockouts'],
  'former roles of team members': ['former_team_roles'],
  'logs of SCIM requests': ['scim_logs'],
  'traces of sign-ins by a connection': ['sso_traces'],
  'deliveries of webhooks': ['webhook_deliveries'],
  'addresses whose mails bounced': ['bounced_addresses'],
  'reports of bounces': ['bounce_reports'],
  'second-factor challenges, SCIM tokens, SAML assertions, logout tokens, sign-ins and sessions at identity providers':
    [
      'mfa_challenges',
      'scim_tokens',
      'saml_assertions',
      'logout_tokens',
      'federated_sessions',
      'federated_sign_ins',
      'exchange_codes',
    ],
  'devices that users signed in from, except the first of each user': ['known_devices'],
  'passkey ceremonies, authenticator app enrollments, unverified phone numbers, trusted devices': [
    'webauthn_ceremonies',
    'totp_enrollments',
    'mfa_phones',
    'trusted_devices',
  ],
}

/** Rows that no clean-up of a table of its own is behind, and what they have to say. */
const KEPT_OTHERWISE: Record<string, string> = {
  'sign-ups whose address was never verified':
    /interval '(\d+ hours)'/.exec(read('src/features/sign-in/signup/pending.ts'))?.[1] ?? '',
  events: `${parseConfig({}).eventRetentionDays} days`,
  'organizations whose erasure was requested': `${ERASURE_DAYS} days`,
  'mails and text messages that wait': `${NOTICE_USEFUL_SECONDS / 3600} hours for notices`,
  exports: 'not kept',
}

/** For how long a clean-up keeps what its condition names, as the guide says it. */
function periodIn(condition: string): string {
  const [, period] = /interval '([^']+)'/.exec(condition) ?? []
  if (condition.includes('KEPT_DAYS')) return `${KEPT_DAYS} days`
  return period?.replace(/^1 hour$/, 'an hour') ?? 'until their end'
}

test('what is kept, in privacy.md, is what the clean-ups keep', () => {
  const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).map(read)
  const removals = sources.flatMap((source) => {
    const [shared = ''] = /^const isOver = .*$/m.exec(source) ?? []
    // Users go with what hangs on them.
    const [, users] = /^const isPast = (.*)$/m.exec(source) ?? []
    const purged = users === undefined ? [] : [{ table: 'users', period: periodIn(users) }]
    const others = [...source.matchAll(/defineRetention\(\{\s*table: '(\w+)',([\s\S]*?)\}\)/g)].map(
      ([, table = '', body = '']) => ({ table, period: periodIn(body.replace('isOver', shared)) }),
    )
    return [...others, ...purged]
  })
  expect(removals.map(({ table }) => table).toSorted()).toEqual(Object.values(KEPT).flat().toSorted())
  const rows = new Map(rowsOf('operate/privacy', 'What', 'Kept').map(([what = '', kept = '']) => [what, kept]))
  expect([...rows.keys()].toSorted()).toEqual([...Object.keys(KEPT), ...Object.keys(KEPT_OTHERWISE)].toSorted())
  for (const [what, period] of Object.entries(KEPT_OTHERWISE))
    expect([what, rows.get(what)]).toEqual([what, expect.stringContaining(period)])
  for (const [what, tables] of Object.entries(KEPT)) {
    const kept = rows.get(what) ?? ''
    const wrong = removals.filter(({ table, period }) => tables.includes(table) && !kept.includes(period))
    expect([what, kept, wrong]).toEqual([what, kept, []])
  }
})

test('the limits in http.md are those of the code', () => {
  const { defaults: code } = otpSettings
  const { defaults: auth } = authSettingsFamily
  const { networkRequestsPerSecond: network } = parseConfig({})
  const rows = new Map(rowsOf('reference/http', 'What', 'Limit').map(([what = '', limit = '']) => [what, dense(limit)]))
  const expected: Record<string, string> = {
    'Codes sent to one address or phone number': `${code.rate_limit_per_minute} a minute, ${code.rate_limit_per_hour} an hour`,
    'Messages sent for one organization': `${code.send_limit_per_hour_organization} an hour`,
    'Messages caused by one API key or one team member': `${code.send_limit_per_hour_key} an hour`,
    'Codes and links requested from one network, if `X-End-User-IP` is sent': `${code.send_limit_per_hour_network} an hour`,
    'Codes sent by SMS for one organization': `${code.sms_daily_limit} a day; further codes are created but not sent`,
    'Wrong attempts for one code': `${code.max_attempts}`,
    'Links mailed to one address': `${auth.magic_link_rate_limit_per_minute} a minute, ${auth.magic_link_rate_limit_per_hour} an hour, for each kind of link`,
    'Wrong passwords for one address': `${auth.lockout_max_attempts}, then a lock`,
    'Sign-ins of one user, with all methods together': `${auth.sign_in_rate_limit_per_minute} a minute`,
    'Requests of the SCIM client of an organization': `${auth['scim_requests_per_second']} a second, with bursts of up to ${BURST_SECONDS * Number(auth['scim_requests_per_second'])}`,
    'Passkey sign-ins started without an address from one network, if `X-End-User-IP` is sent': `${passkeySettings.defaults.start_limit_per_minute_network} a minute`,
    'Requests without a credential, and wrong credentials, of one client network': `${network} a second each, with bursts of up to ${10 * Number(network)}`,
    'Values in one request; in `PUT /v1/users`, values in each row': `${MAX_VALUES}`,
    'Users in one `PUT /v1/users`': `${MAX_USERS_PER_REQUEST}, 5 MiB`,
  }
  // What has no name in the code; tests of the features exceed each.
  const elsewhere = [
    'Wrong attempts for all sign-in and sign-up codes of one address together, or for all generated codes of one address or `session_id`',
    'Passkey sign-ins started for one address from one network',
    'Tests and replays of one webhook',
    '[Invitations to the team](../directory/team.md#inviting) by one inviter; for one account in production; for one account in all other environments together',
    'Notices to one address about passwords and email addresses that an API key sets',
    'Direct sign-ups with one address',
    'Requests of one API key',
  ]
  expect([...rows.keys()].toSorted()).toEqual([...Object.keys(expected), ...elsewhere].toSorted())
  const shown = Object.keys(expected).map((what) => [what, rows.get(what)])
  expect(shown).toEqual(Object.entries(expected).map(([what, limit]) => [what, dense(limit)]))
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { chainAll, tampering } from '../../test/people/audit.ts'
import { eraseDue, eraseNow } from '../../test/people/erasure.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'
import { createAccount } from '../features/tenancy/accounts/accounts.ts'

const service = await startApp()
const env = settingsOf(service)
const { platform } = service.app
const { db } = platform
await platform.tx((tx) => createAccount(tx, 'Home'))
const tenant = await service.tenant()
const subOrgId = await tenant.organization('acme')
const { body } = await tenant.post('/v1/users', { subOrgId, email: 'ada@example.com' })
await chainAll(platform)

const file = (text: string) => {
  const directory = mkdtempSync(join(tmpdir(), 'watchword-heads-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'heads.ndjson')
  writeFileSync(path, text)
  return path
}

test('one old row that was changed in the database is found, with its place', async () => {
  const intact = await runCommand(env, 'audit', 'verify')
  expect([intact.code, intact.stdout]).toEqual([
    0,
    expect.stringMatching(/^Compared \d+ events of \d+ directories: no findings\.\n$/),
  ])
  const change = sql`update events set data = data || '{"email":"eve@example.com"}'
    where type = 'user.created' and target_id = ${body.user.id}`
  await tampering(
    db,
    (db) => change.execute(db),
    async () => {
      const found = await runCommand(env, 'audit', 'verify', '--json')
      expect([found.code, found.json.intact]).toEqual([1, false])
      expect(found.json.findings).toEqual([
        {
          kind: 'changed',
          event_id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
          event_type: 'user.created',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          directory: expect.any(String),
          environment: 'production',
          organization: 'acme',
          sub_org_id: subOrgId,
          block: expect.any(Number),
          detail: 'What differs: data.',
        },
      ])
      const told = await runCommand(env, 'audit', 'verify')
      expect([told.code, told.stdout]).toEqual([
        1,
        expect.stringMatching(/^changed +acme in production: evt_\S+ user\.created of /),
      ])
      const { accountId } = tenant
      const own = await runCommand(
        env,
        'audit',
        'verify',
        '--account',
        accountId,
        '--org',
        'acme',
        '--env',
        'production',
      )
      expect(own.code).toBe(1)
      expect((await runCommand(env, 'audit', 'verify', '--account', accountId, '--env', 'staging')).code).toBe(0)
    },
  )
})

test('heads that were kept say when the end was cut off', async () => {
  const heads = await runCommand(env, 'audit', 'heads')
  const lines = heads.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toEqual({
    directory: expect.any(String),
    block: expect.any(Number),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    at: expect.any(String),
  })
  const kept = file(heads.stdout)
  expect((await runCommand(env, 'audit', 'verify', '--heads', kept)).code).toBe(0)
  const cut = async () => {
    for (const table of ['events', 'audit_blocks', 'audit_heads'])
      await sql`delete from ${sql.table(table)}`.execute(db)
  }
  await tampering(db, cut, async () => {
    expect((await runCommand(env, 'audit', 'verify')).code).toBe(0)
    const found = await runCommand(env, 'audit', 'verify', '--json', '--heads', kept)
    expect(found.code).toBe(1)
    expect(found.json.findings.map((finding: { kind: string }) => finding.kind)).toEqual(
      lines.map(() => 'tail_removed'),
    )
  })
})

test('wrong usage says so', async () => {
  for (const text of ['{}', 'no JSON', '{"directory":"x","block":1,"hash":"00"}'])
    expect((await runCommand(env, 'audit', 'verify', '--heads', file(text))).code).toBe(2)
  const missing = await runCommand(env, 'audit', 'verify', '--heads', '/nowhere/heads')
  expect([missing.code, missing.stderr]).toEqual([2, '/nowhere/heads cannot be read.\n'])
  expect((await runCommand(env, 'audit', 'verify', '--org', 'nobody')).code).toBe(1)
})

test('what went with an erased organization is reported, and is no finding', async () => {
  await eraseNow(service, tenant, subOrgId)
  await chainAll(platform)
  const reported = await runCommand(env, 'audit', 'verify', '--json', '--account', tenant.accountId, '--org', subOrgId)
  expect([reported.code, reported.json.intact, reported.json.findings]).toEqual([0, true, []])
  expect(reported.json.erased).toContainEqual({
    directory: expect.any(String),
    environment: 'production',
    sub_org_id: subOrgId,
    events: 1,
    by: [{ event_id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/), timestamp: expect.stringMatching(/^\d{4}-/) }],
  })
  const told = await runCommand(env, 'audit', 'verify')
  expect([told.code, told.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^erased +organization in production: 1 events, with the organization \S+\. Covered by evt_\S+ of [\s\S]*: no findings\.\n$/m,
    ),
  ])
})

test('an organization that is back after a restore is erased on the command line, without the 30 days', async () => {
  const of = ['--account', tenant.accountId]
  const back = await tenant.organization('back')
  const wrong = await runCommand(env, 'orgs', 'erase', 'back', '--name', 'Back', ...of)
  expect([wrong.code, (await runCommand(env, 'orgs', 'erase', 'back', ...of)).code]).toEqual([1, 2])
  expect((await tenant.get(`/v1/organizations/${back}`)).body.subOrganization.status).toBe('active')
  const done = await runCommand(env, 'orgs', 'erase', 'back', '--name', 'back', '--json', ...of)
  expect([done.code, done.json.subOrganization.status]).toEqual([0, 'archived'])
  await eraseDue(platform)
  expect((await tenant.get(`/v1/organizations/${back}`)).status).toBe(404)
  const erased = service.logLines.filter((line) => line.includes('An organization was erased'))
  expect(erased.map((line) => JSON.parse(line).subOrgId).filter((id) => id === back)).toEqual([back])
  const types = (await service.events({ accountId: tenant.accountId })).filter(({ target_id }) => target_id === back)
  expect(types.map(({ type, actor_type }) => [type, actor_type])).toEqual([
    ...[
      ['organization.created', 'erased'],
      ['organization.archived', 'erased'],
    ],
    ...[
      ['organization.erasure_scheduled', 'cli'],
      ['audit.erased', 'system'],
      ['organization.erased', 'system'],
    ],
  ])
})

test('an erasure on the command line says when it happens, and how to cancel it', async () => {
  const of = ['--account', tenant.accountId]
  await tenant.organization('held')
  await tenant.organization('gone')
  await runCommand(env, 'outgoing', 'hold')
  const held = await runCommand(env, 'orgs', 'erase', 'held', '--name', 'held', ...of)
  await runCommand(env, 'outgoing', 'release')
  const gone = await runCommand(env, 'orgs', 'erase', 'gone', '--name', 'gone', ...of)
  expect([held.stderr, gone.stderr]).toEqual([
    expect.stringMatching(
      /^Messages are held: it is erased within ten minutes after `npx watchword outgoing release`\./,
    ),
    expect.stringMatching(/^A running service erases it within ten minutes\. Until then, PATCH .* cancels it/),
  ])
})

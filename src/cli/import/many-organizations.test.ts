import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { succeeded } from '../../../test/people/factors.ts'
import { runCommand, settingsOf } from '../../../test/process/cli.ts'
import { runFile } from '../../../test/process/service.ts'
import { snapshot } from '../../../test/snapshot.ts'

const service = await startApp()
const env = settingsOf(service)
const tenant = await service.tenant()
const home = mkdtempSync(join(tmpdir(), 'watchword-organizations-'))
afterAll(() => rmSync(home, { recursive: true }))

const write = (content: string, ending = 'csv') => {
  const path = join(home, `${randomUUID()}.${ending}`)
  writeFileSync(path, content)
  return path
}
const commandOf = (path: string, ...args: string[]) => ['import', 'users', path, '--account', tenant.accountId, ...args]
const importUsers = (path: string, ...args: string[]) => runCommand(env, ...commandOf(path, ...args), '--json')
const reportOf = (path: string) =>
  readFileSync(`${path}.report.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** An organization with its own slug and external id. */
async function newOrganization(fields: { slug?: string; externalId?: string } = {}) {
  const slug = fields.slug ?? `o-${randomUUID().slice(0, 8)}`
  const body = { name: slug, slug, externalId: `crm-${slug}`, ...fields }
  return succeeded(await tenant.post('/v1/organizations', body)).subOrganization as {
    id: string
    slug: string
    externalId: string
  }
}
const usersOf = async (subOrgId: string) =>
  succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&limit=100`)).users as Record<string, unknown>[]
const emailsOf = async (subOrgId: string) => (await usersOf(subOrgId)).map(({ email }) => email).toSorted()

test('each row goes where it names: by slug, by id and by external id, and a bad one fails alone', async () => {
  const [one, two, off, kept] = [
    await newOrganization(),
    await newOrganization(),
    await newOrganization(),
    await newOrganization(),
  ]
  // The external id of another organization equals this one's slug.
  const shadow = await newOrganization({ externalId: one.slug })
  await newOrganization({ externalId: 'crm-twice' })
  await newOrganization({ externalId: 'crm-twice' })
  succeeded(await tenant.patch(`/v1/organizations/${off.id}`, { status: 'suspended' }))
  succeeded(await tenant.patch(`/v1/organizations/${kept.id}`, { status: 'archived' }))
  const stranger = await service.tenant()
  const foreign = await stranger.organization()
  const path = write(
    [
      'email,Organization,externalId',
      `a@example.com,${one.externalId},1`,
      `a@example.com,${two.slug},1`,
      `b@example.com,${two.id.toUpperCase()},2`,
      `A@example.com,${two.externalId},3`,
      `a@example.com,${one.slug},4`,
      'a@example.com,crm-twice,5',
      'a@example.com,nowhere,6',
      `a@example.com,${foreign},7`,
      `a@example.com,${off.slug},8`,
      `a@example.com,${kept.slug},9`,
      'a@example.com,,10',
      `not-an-address,${one.id},11`,
    ].join('\n'),
  )
  const outcomes = [
    { line: 5, outcome: 'skipped', code: 'duplicate_in_file', reason: 'The same address as in line 3.' },
    {
      ...{ line: 6, outcome: 'failed', code: 'organization_ambiguous' },
      reason: `Several organizations are called “${one.slug}”: name one by its id.`,
    },
    { line: 7, outcome: 'failed', code: 'organization_ambiguous', id: '5', organization: 'crm-twice' },
    {
      ...{ line: 8, outcome: 'failed', code: 'organization_not_found', organization: 'nowhere' },
      reason: expect.stringMatching(/^The account .* has no organization “nowhere”\.$/),
    },
    {
      ...{ line: 9, outcome: 'failed', code: 'organization_not_found', organization: foreign },
      reason: expect.stringMatching(/has no organization/),
    },
    {
      ...{ line: 10, outcome: 'failed', code: 'organization_suspended' },
      reason: `The organization “${off.slug}” is suspended.`,
    },
    {
      ...{ line: 11, outcome: 'failed', code: 'organization_suspended' },
      reason: `The organization “${kept.slug}” is archived.`,
    },
    { line: 12, outcome: 'failed', code: 'organization_missing', organization: null },
    { line: 13, record: 12, outcome: 'failed', code: 'invalid_email', id: '11', organization: one.id },
  ]
  const counts = { rows: 12, created: 3, existed: 0, duplicates: 1, failed: 8 }
  const organizations = [
    { id: one.id, slug: one.slug, isNew: false, created: 1, existed: 0, duplicates: 0, failed: 1 },
    { id: two.id, slug: two.slug, isNew: false, created: 2, existed: 0, duplicates: 1, failed: 0 },
    { id: off.id, created: 0, failed: 1 },
    { id: kept.id, created: 0, failed: 1 },
  ]
  const before = await snapshot(service)
  const dry = await importUsers(path, '--dry-run')
  expect([dry.code, dry.json], dry.stderr).toMatchObject([3, { ...counts, organizations }])
  expect(reportOf(path)).toMatchObject(outcomes)
  expect(await snapshot(service)).toEqual(before)

  const run = await importUsers(path)
  expect([run.code, run.json], run.stderr).toMatchObject([3, { ...counts, organizations }])
  expect(run.json.organizations).toHaveLength(4)
  expect(reportOf(path)).toMatchObject(outcomes)
  const ids = [one, two, off, kept, shadow].map(({ id }) => id)
  expect(await Promise.all(ids.map(emailsOf))).toEqual([
    ['a@example.com'],
    ['a@example.com', 'b@example.com'],
    [],
    [],
    [],
  ])
  expect((await stranger.get(`/v1/users?subOrgId=${foreign}`)).body.users).toEqual([])

  const again = await importUsers(path)
  expect(again.json).toMatchObject({ created: 0, existed: 3, duplicates: 1, failed: 8 })
})

test('the summary for people has a line for each organization', async () => {
  const [one, two] = [await newOrganization(), await newOrganization()]
  const path = write(`email,organization\na@example.com,${one.slug}\nb@example.com,${two.slug}\nno,${two.slug}\n`)
  const { stdout, stderr } = await runCommand(env, ...commandOf(path))
  const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(lines).toContainEqual(['ORGANIZATION', 'CREATED', 'EXISTED', 'DUPLICATE', 'FAILED'])
  expect(lines).toContainEqual([one.slug, '1', '0', '0', '0'])
  expect(lines).toContainEqual([two.slug, '1', '0', '0', '1'])
  expect(stderr).toBe(`Importing ${path}, read as csv, into the organizations of its rows (production).\n`)
})

test('organizations that do not exist are created on demand, once', async () => {
  const there = await newOrganization()
  const fresh = `f-${randomUUID().slice(0, 8)}`
  const path = write(
    [
      'email,organization,organizationName',
      `a@example.com,${fresh},"Fresh & Co."`,
      `b@example.com,${fresh},`,
      `c@example.com,${there.slug},Ignored`,
      `d@example.com,${fresh}-2,`,
      'e@example.com,Not A Slug,',
      `f@example.com,${fresh}-3,${'x'.repeat(300)}`,
    ].join('\n'),
  )
  const refused = await importUsers(path, '--dry-run')
  expect(refused.json).toMatchObject({ created: 1, failed: 5, reasons: { organization_not_found: 5 } })
  const counts = { created: 4, failed: 2, reasons: { organization_not_found: 1, 'invalid_field:organizationName': 1 } }
  const before = await snapshot(service)
  const dry = await importUsers(path, '--dry-run', '--create-organizations')
  expect([dry.code, dry.json], dry.stderr).toMatchObject([3, counts])
  expect(dry.json.organizations).toMatchObject([
    { id: null, slug: fresh, isNew: true, created: 2 },
    { id: there.id, isNew: false, created: 1 },
    { id: null, slug: `${fresh}-2`, isNew: true, created: 1 },
    { id: null, slug: `${fresh}-3`, failed: 1 },
  ])
  expect(await snapshot(service)).toEqual(before)

  const { json, stderr } = await importUsers(path, '--create-organizations')
  expect(json, stderr).toMatchObject(counts)
  const find = async (slug: string) =>
    succeeded(await tenant.get(`/v1/organizations?slug=${slug}`)).subOrganizations as { id: string; name: string }[]
  const [made, ...more] = await find(fresh)
  expect([made?.name, more]).toEqual(['Fresh & Co.', []])
  expect(await emailsOf(made?.id ?? '')).toEqual(['a@example.com', 'b@example.com'])
  expect((await find(`${fresh}-2`)).map(({ name }) => name)).toEqual([`${fresh}-2`])
  expect(await find(`${fresh}-3`)).toEqual([])
  const events = await service.events({ accountId: tenant.accountId, type: 'organization.created' })
  expect(events.slice(-2).map(({ actor_type, request_id }) => [actor_type, request_id])).toEqual([
    ['cli', json.importId],
    ['cli', json.importId],
  ])

  const again = await importUsers(path, '--create-organizations')
  expect(again.json).toMatchObject({ created: 0, existed: 4, failed: 2 })
  expect(await find(fresh)).toHaveLength(1)
})

test('either --org or the rows say where they go', async () => {
  const { slug } = await newOrganization()
  const csv = write(`email,organization\na@example.com,${slug}\n`)
  const plain = write('email\na@example.com\n')
  const lines = write(`{"email":"a@example.com"}\n{"email":"b@example.com","organization":"${slug}"}\n`, 'ndjson')
  const both = /^The rows name their organizations, and --org another one: omit --org\. /
  const neither = /^No row names an organization: name one for all rows with --org, or one in each row/
  const before = await snapshot(service)
  for (const [args, message] of [
    [[csv, '--org', slug], both],
    [[plain], neither],
    [[write('[{"email":"a@example.com"}]', 'json')], neither],
    [[plain, '--org', slug, '--create-organizations'], /^--create-organizations creates those that the rows name/],
  ] as const) {
    const { code, stderr, stdout } = await importUsers(...(args as [string]))
    expect([args, code, stderr, stdout]).toEqual([args, 2, expect.stringMatching(message), ''])
  }
  expect(await snapshot(service)).toEqual(before)
  // In JSON, a later record may be the first that names an organization.
  expect((await importUsers(lines, '--dry-run')).json).toMatchObject({
    ...{ created: 1, failed: 1, reasons: { organization_missing: 1 } },
  })
  expect((await importUsers(lines, '--dry-run', '--org', slug)).json).toMatchObject({
    ...{ created: 1, failed: 1, reasons: { 'invalid_field:organization': 1 } },
  })
  const mapped = await importUsers(csv, '--org', slug, '--map', 'organization=metadata.company', '--dry-run')
  expect(mapped.json, mapped.stderr).toMatchObject({ created: 1, failed: 0 })
})

test('an organization that exists in another environment only takes no rows', async () => {
  const { slug } = await newOrganization()
  const staging = await tenant.withKey({ environment: 'staging' })
  const only = `s-${randomUUID().slice(0, 8)}`
  succeeded(await staging.post('/v1/organizations', { name: only, slug: only }))
  const path = write(`email,organization\na@example.com,${only}\nb@example.com,${slug}\n`)
  const run = await importUsers(path)
  expect(run.json, run.stderr).toMatchObject({ created: 1, failed: 1, reasons: { organization_not_found: 1 } })
  expect(reportOf(path)).toMatchObject([
    { line: 2, reason: `The organization “${only}” does not exist in the environment production.` },
  ])
})

test('what can be no organization and no role fails its row, whatever its text is', async () => {
  const { slug } = await newOrganization()
  const wrong = [
    { organization: { id: 1 } },
    { organization: [slug] },
    { organization: 'a\u0000b' },
    { organization: 'x'.repeat(5000) },
    { organization: slug, roles: ['a\u0000b'] },
    { organization: slug, roles: [7] },
    { organization: slug, roles: { a: 1 } },
    { organization: 7 },
    { organization: '__proto__' },
    { organization: '//' },
  ]
  const records = [...wrong, { organization: slug }].map((fields, n) => ({ email: `w${n}@example.com`, ...fields }))
  const path = write(JSON.stringify(records), 'json')
  for (const args of [['--dry-run', '--create-organizations'], []]) {
    const { json, stderr } = await importUsers(path, ...args)
    const known = args.length ? { created: 2, failed: 9 } : { created: 1, failed: 10 }
    expect(json, stderr).toMatchObject(known)
    expect(Buffer.byteLength(readFileSync(`${path}.report.ndjson`))).toBeLessThan(10_000)
  }
})

test('rows have roles of their organization, which an unknown one fails', async () => {
  const [one, two] = [await newOrganization(), await newOrganization()]
  const makeRole = async (subOrgId: string, name: string) =>
    succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name, permissions: ['invoice:read'] })).role
  const editor = await makeRole(one.id, 'Editor')
  const buyer = await makeRole(two.id, 'Buyer')
  const records = [
    { email: 'a@example.com', organization: one.slug, role: 'Admin', roles: [editor.slug] },
    { email: 'b@example.com', organization: one.slug, roles: `${editor.id}` },
    { email: 'c@example.com', organization: two.slug, roles: [buyer.slug, 'editor-of-nothing'] },
    { email: 'd@example.com', organization: two.slug, roles: editor.id },
    { email: 'e@example.com', organization: one.slug, role: 'owner' },
    { email: 'f@example.com', organization: one.slug, role: '', roles: [] },
  ]
  const path = write(JSON.stringify(records), 'json')
  const run = await importUsers(path)
  expect([run.code, run.json], run.stderr).toMatchObject([3, { created: 3, failed: 3 }])
  expect(reportOf(path)).toMatchObject([
    {
      ...{ line: 1, record: 3, email: 'c@example.com', code: 'invalid_field:roleIds' },
      reason: 'The organization has no role “editor-of-nothing”.',
    },
    { record: 4, code: 'invalid_field:roleIds', reason: `The organization has no role “${editor.id}”.` },
    { record: 5, code: 'invalid_field:role', reason: 'role is neither admin nor member.' },
  ])
  const users = Object.fromEntries((await usersOf(one.id)).map((user) => [user['email'], user]))
  expect(users).toMatchObject({
    'a@example.com': { role: 'admin', roleIds: [editor.id] },
    'b@example.com': { role: 'member', roleIds: [editor.id] },
    'f@example.com': { role: 'member', roleIds: [] },
  })
  expect(await usersOf(two.id)).toEqual([])
})

test('an import of many organizations that is killed goes on: each person once', { timeout: 120_000 }, async () => {
  const organizations = [await newOrganization(), await newOrganization(), await newOrganization()]
  const ROWS = 4500
  const rows = Array.from({ length: ROWS }, (_, n) => `p${n}@example.com,${organizations[n % 3]?.slug}`)
  const path = write(`email,organization\n${rows.join('\n')}\n`)
  const checkpoint = `${path}.checkpoint.json`
  const rowsDone = () => (existsSync(checkpoint) ? JSON.parse(readFileSync(checkpoint, 'utf8')).counts.rows : -1)
  const running = runFile('cli.ts', commandOf(path), env)
  await until(async () => rowsDone() >= 500)
  const early = readFileSync(checkpoint)
  await until(async () => rowsDone() > JSON.parse(early.toString()).counts.rows)
  running.child.kill('SIGKILL')
  await running.ended
  // Simulates that the later batches were committed just before the process died.
  writeFileSync(checkpoint, early)
  const { code, json, stderr } = await importUsers(path)
  expect(stderr).toContain('Continuing after row')
  expect([code, json]).toMatchObject([0, { rows: ROWS, created: ROWS, existed: 0, duplicates: 0 }])
  expect(json.organizations).toMatchObject(organizations.map(({ id }) => ({ id, created: ROWS / 3, existed: 0 })))
  for (const { id } of organizations) {
    const { total } = succeeded(await tenant.get(`/v1/users?subOrgId=${id}&limit=1&include_total=true`))
    expect(total).toBe(ROWS / 3)
  }
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { newId } from '../../../platform/ids.ts'
import { directoryOfOrganization } from '../../../platform/tenancy/directory.ts'

const first = await startApp()
const second = await startSecondApp(first)
const { platform } = first.app
const unknown = newId()

async function insertUser(directoryId: string, environmentId: string, extra: object = {}) {
  const email = newEmail()
  const row = { directory_id: directoryId, id: newId(), environment_id: environmentId, email, email_norm: email }
  await platform.db
    .insertInto('users')
    .values({ ...row, source: 'api', ...extra })
    .execute()
  return row.id
}

async function insertSession(directoryId: string, environmentId: string, userId: string) {
  const id = newId()
  await platform.db
    .insertInto('sessions')
    .values({
      directory_id: directoryId,
      id,
      environment_id: environmentId,
      user_id: userId,
      auth_account_id: newId(),
      auth_method: 'otp',
      amr: ['otp'],
      aal: 'aal1',
      refresh_hash: Buffer.from(id),
      idle_expires_at: new Date(Date.now() + 1e7),
      expires_at: new Date(Date.now() + 1e7),
    })
    .execute()
  return id
}

async function revokedReasons(ids: string[]) {
  const rows = await platform.db
    .selectFrom('sessions')
    .select(['revoked_reason', 'revoked_at'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map((row) => (row.revoked_at ? row.revoked_reason : null))
}

test('creates an organization and records it', async () => {
  const tenant = await first.tenant()
  const body = {
    name: 'Acme',
    slug: 'acme-1',
    description: 'Anvils',
    locale: 'pt-BR',
    externalId: 'crm-7',
    metadata: { plan: { seats: 5 }, trial: true },
  }
  const reply = await tenant.post('/v1/organizations', body)
  expect(reply.status).toBe(200)
  const organization = reply.body.subOrganization
  expect(organization).toEqual({
    ...body,
    id: organization.id,
    environment: 'production',
    accountId: tenant.accountId,
    parentId: null,
    status: 'active',
    memberCount: 0,
    userCount: 0,
    userCountedAt: organization.createdAt,
    domains: [],
    createdAt: organization.createdAt,
    updatedAt: organization.createdAt,
    archivedAt: null,
    eraseAt: null,
  })
  expect(reply.headers.get('etag')).toBe('W/"1"')
  expect(await tenant.get(`/api/v1/organizations/${organization.id}`)).toMatchObject({
    status: 200,
    body: { subOrganization: { ...organization, userCountedAt: expect.any(String) } },
  })
  expect(await first.events(tenant)).toMatchObject([
    { type: 'organization.created', target_id: organization.id, organization_id: null, data: organization },
  ])
  const child = await tenant.post('/v1/organizations', { name: 'C', slug: 'child', subOrgId: organization.id })
  expect(child.body.subOrganization).toMatchObject({ parentId: organization.id, metadata: {}, description: null })
})

test('a slug is unique within its parent, however many ask for it at once', async () => {
  const tenant = await first.tenant()
  const make = async (slug: string, subOrgId?: string) => {
    const { status, body } = await tenant.post('/v1/organizations', {
      name: 'One',
      slug,
      ...(subOrgId && { subOrgId }),
    })
    return status === 200 ? body.subOrganization.id : body.code
  }
  const [north, south] = [await make('north'), await make('south')]
  for (const parent of [undefined, north, south]) {
    const made = await Promise.all(Array.from({ length: 5 }, () => make('sales', parent)))
    expect(made.toSorted().slice(1)).toEqual(Array.from({ length: 4 }, () => 'slug_taken'))
  }
  const { subOrganizations } = (await tenant.get('/v1/organizations?slug=sales')).body
  expect(subOrganizations.map(({ parentId }: { parentId: string }) => parentId)).toEqual([null, north, south])
})

test.each([
  'Acme',
  ' acme',
  'acme ',
  'ac me',
  '-acme',
  'acme-',
  'ac--me',
  'аcme',
  'ａcme',
  'acme\n',
  '',
  'a'.repeat(64),
  'a/b',
])('refuses %j as a slug', async (slug) => {
  const tenant = await first.tenant()
  const reply = await tenant.post('/v1/organizations', { name: 'Acme', slug })
  expect([reply.status, reply.body.code, reply.body.errors[0].field]).toEqual([400, 'invalid_request', 'slug'])
  expect((await tenant.get('/v1/organizations')).body.subOrganizations).toEqual([])
})

test('refuses what has no bounds', async () => {
  const tenant = await first.tenant()
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]))
  for (const metadata of [many, { text: 'x'.repeat(17_000) }, { deep: { y: 'é'.repeat(9_000) } }, 'text', []]) {
    const reply = await tenant.post('/v1/organizations', { name: 'Acme', slug: 'acme', metadata })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  }
  for (const name of ['', '   ', 'x'.repeat(201), 'Acme\nBcc: x', '\u202eemcA'])
    expect((await tenant.post('/v1/organizations', { name, slug: 'acme' })).status).toBe(400)
  expect(await first.events(tenant)).toEqual([])
})

test('one of many at once gets a slug, on two processes', async () => {
  const tenant = await first.tenant()
  const callers = [tenant, second.as(tenant.key)]
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, i) => callers[i % 2]?.post('/v1/organizations', { name: `${i}`, slug: 'same' })),
  )
  expect(replies.map((reply) => reply?.status).sort()).toEqual([200, ...Array(11).fill(409)])
  expect(replies.filter((reply) => reply?.status === 409).every((reply) => reply?.body.code === 'slug_taken')).toBe(
    true,
  )
  expect((await first.events(tenant)).map((event) => event.type)).toEqual(['organization.created'])
  const other = await first.tenant()
  expect((await other.post('/v1/organizations', { name: 'Same', slug: 'same' })).status).toBe(200)
})

test('lists by page and filter', async () => {
  const tenant = await first.tenant()
  const ids: string[] = []
  for (const slug of ['one', 'two', 'three']) ids.push(await tenant.organization(slug))
  await tenant.patch(`/v1/organizations/${ids[1]}`, { status: 'archived', externalId: 'x2' })
  const seen = async (query: string) => {
    const { body } = await tenant.get(`/v1/organizations${query}`)
    return body.subOrganizations.map((organization: { slug: string }) => organization.slug)
  }
  expect(await seen('')).toEqual(['one', 'two', 'three'])
  expect(await seen('?status=archived')).toEqual(['two'])
  expect(await seen('?slug=three')).toEqual(['three'])
  expect(await seen('?externalId=x2&status=active')).toEqual([])
  expect(await seen('?externalId=x2')).toEqual(['two'])
  expect(await seen(`?subOrgId=${ids[2]}`)).toEqual(['three'])
  const page = await tenant.get('/v1/organizations?limit=2&include_total=true&order=desc')
  expect(page.body).toMatchObject({ has_more: true, total: 3 })
  const rest = await tenant.get(`/v1/organizations?limit=2&order=desc&cursor=${page.body.next_cursor}`)
  expect(rest.body.subOrganizations).toMatchObject([{ slug: 'one' }])
  expect([rest.body.has_more, rest.body.next_cursor]).toEqual([false, null])
  expect((await tenant.get('/v1/organizations?status=gone')).status).toBe(400)
})

test('changes what a patch names, and tells what it was', async () => {
  const tenant = await first.tenant()
  const id = await tenant.organization('acme')
  const reply = await tenant.patch(`/v1/organizations/${id}`, { name: 'Acme 2', metadata: { a: 1 }, subOrgId: id })
  expect(reply.body.subOrganization).toMatchObject({
    name: 'Acme 2',
    slug: 'acme',
    metadata: { a: 1 },
    status: 'active',
  })
  const events = await first.events({ accountId: tenant.accountId, type: 'organization.updated' })
  expect(events).toMatchObject([{ target_id: id, previous: { name: 'acme', metadata: {} } }])
  const cleared = await tenant.patch(`/v1/organizations/${id}`, { metadata: null, description: null })
  expect(cleared.body.subOrganization).toMatchObject({ name: 'Acme 2', metadata: {}, description: null })
  const same = await tenant.patch(`/v1/organizations/${id}`, { name: 'Acme 2' })
  expect(same.headers.get('etag')).toBe('W/"3"')
  expect(await first.events({ accountId: tenant.accountId, type: 'organization.updated' })).toHaveLength(2)
  for (const body of [{ slug: 'new' }, { name: null }, { name: 'Acme\u2028' }, { status: 'gone' }, { parentId: id }])
    expect((await tenant.patch(`/v1/organizations/${id}`, body)).status).toBe(400)
})

test('a change made to another version is refused', async () => {
  const tenant = await first.tenant()
  const id = await tenant.organization()
  const path = `/v1/organizations/${id}`
  expect((await tenant.patch(path, { name: 'A' }, { 'if-match': '"1"' })).status).toBe(200)
  for (const call of [
    tenant.patch(path, { name: 'B' }, { 'if-match': '"1"' }),
    tenant.delete(path, { 'if-match': '"1"' }),
    tenant.delete(path, { 'if-match': 'W/"1"' }),
  ])
    expect(await call).toMatchObject({ status: 412, body: { code: 'version_conflict' } })
  for (const malformed of ['2', '"2', '*, "2"', '']) {
    const refused = await tenant.delete(path, { 'if-match': malformed })
    const [fault] = refused.body.errors
    expect([refused.status, refused.body.code, fault.field], malformed).toEqual([400, 'invalid_request', 'If-Match'])
  }
  expect((await tenant.get(path)).body.subOrganization).toMatchObject({ name: 'A', status: 'active' })
  // One matching tag in a list is enough, as for users.
  expect((await tenant.patch(path, { name: 'B' }, { 'if-match': '"1", "2"' })).status).toBe(200)
})

test('leaving active ends the sessions of all its directories and of nobody else', async () => {
  const tenant = await first.tenant()
  const staging = await tenant.withKey({ environment: 'staging' })
  const ids = [await tenant.organization('gone'), await tenant.organization('stays')]
  const sessions: string[] = []
  for (const id of ids)
    for (const caller of [tenant, staging]) {
      await caller.get(`/v1/organization-apps?subOrgId=${id}`)
      const environmentId = caller === tenant ? tenant.environmentId : await stagingOf(tenant.accountId)
      const ref = { accountId: tenant.accountId, environmentId, environmentSlug: '' }
      const directory = await directoryOfOrganization(platform, ref, id)
      sessions.push(await insertSession(directory.id, environmentId, await insertUser(directory.id, environmentId)))
    }
  const path = `/v1/organizations/${ids[0]}`
  expect((await tenant.patch(path, { status: 'suspended', name: 'Gone' })).body.subOrganization.status).toBe(
    'suspended',
  )
  expect(await revokedReasons(sessions)).toEqual(['organization_suspended', 'organization_suspended', null, null])
  expect((await tenant.delete(path)).body).toEqual({ success: true })
  const archived = (await tenant.get(path)).body.subOrganization
  expect([archived.status, typeof archived.archivedAt]).toEqual(['archived', 'string'])
  expect((await tenant.delete(path)).body).toEqual({ success: true })
  const restored = (await tenant.patch(path, { status: 'active' })).body.subOrganization
  expect([restored.status, restored.archivedAt]).toEqual(['active', null])
  const types = (await first.events(tenant)).filter((event) => event.target_id === ids[0]).map((event) => event.type)
  expect(types).toEqual([
    'organization.created',
    'organization.suspended',
    'organization.updated',
    'organization.archived',
    'organization.activated',
  ])
  const [suspended] = await first.events({ accountId: tenant.accountId, type: 'organization.suspended' })
  expect(suspended?.previous).toMatchObject({ status: 'active', name: 'gone' })
})

async function stagingOf(accountId: string) {
  const row = await platform.db
    .selectFrom('environments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('slug', '=', 'staging')
    .executeTakeFirstOrThrow()
  return row.id
}

test('counts the members and, in the environment of the key, the live users', async () => {
  const tenant = await first.tenant()
  const id = await tenant.organization()
  await tenant.organization('empty')
  const { accountId, environmentId } = tenant
  const directory = await directoryOfOrganization(platform, { accountId, environmentId, environmentSlug: '' }, id)
  for (const extra of [
    {},
    { active: false },
    { deleted_at: new Date() },
    { pending_until: new Date(Date.now() - 1e6) },
  ])
    await insertUser(directory.id, environmentId, extra)
  for (const email of ['a@example.com', 'b@example.com'])
    await platform.db
      .insertInto('members')
      .values({ id: newId(), account_id: accountId, organization_id: id, email, email_norm: email, role: 'member' })
      .execute()
  const counts = async (caller: Pick<typeof tenant, 'get'>) => {
    const { body } = await caller.get('/v1/organizations')
    return body.subOrganizations.map((row: { memberCount: number; userCount: number }) => [
      row.memberCount,
      row.userCount,
    ])
  }
  expect(await counts(tenant)).toEqual([
    [2, 2],
    [0, 0],
  ])
  expect(await counts(await tenant.withKey({ environment: 'staging' }))).toEqual([
    [2, 0],
    [0, 0],
  ])
})

test('a key of one organization reaches that one alone', async () => {
  const tenant = await first.tenant()
  const [own, other] = [await tenant.organization('own'), await tenant.organization('other')]
  const scoped = await tenant.withKey({ subOrgId: own })
  expect((await scoped.get('/v1/organizations?include_total=true')).body).toMatchObject({
    subOrganizations: [{ slug: 'own' }],
    total: 1,
  })
  const calls = (id: string) => [
    scoped.get(`/v1/organizations/${id}`),
    scoped.patch(`/v1/organizations/${id}`, { name: 'Taken' }),
    scoped.delete(`/v1/organizations/${id}`),
  ]
  for (const reply of await Promise.all([...calls(other), ...calls(unknown)]))
    expect([reply.status, reply.body.code]).toEqual([404, 'organization_not_found'])
  const made = await scoped.post('/v1/organizations', { name: 'New', slug: 'new' })
  expect([made.status, made.body.code]).toEqual([403, 'sub_org_mismatch'])
  expect((await scoped.patch(`/v1/organizations/${own}`, { name: 'Mine' })).status).toBe(200)
  expect((await tenant.get(`/v1/organizations/${other}`)).body.subOrganization.name).toBe('other')
})

test('an organization of another account is as one that is not there', async () => {
  const [tenant, stranger] = [await first.tenant(), await first.tenant()]
  const id = await stranger.organization()
  const replies = []
  for (const path of [id, unknown, 'not-an-id', '%27', `${id}%20`].map((text) => `/v1/organizations/${text}`))
    replies.push(await tenant.get(path), await tenant.patch(path, { name: 'X' }), await tenant.delete(path))
  for (const reply of replies) expect([reply.status, reply.body.code]).toEqual([404, 'organization_not_found'])
  expect((await stranger.get(`/v1/organizations/${id.toUpperCase()}`)).body.subOrganization.status).toBe('active')
  const [readOnly, writeOnly] = [
    await tenant.withKey({ scopes: ['sub_orgs.read'] }),
    await tenant.withKey({ scopes: ['sub_orgs.write'] }),
  ]
  expect((await readOnly.post('/v1/organizations', { name: 'X', slug: 'x' })).status).toBe(403)
  expect((await writeOnly.get('/v1/organizations')).status).toBe(403)
})

test('an organization does not lift its own suspension', async () => {
  const tenant = await first.tenant()
  const id = await tenant.organization()
  const scoped = await tenant.withKey({ subOrgId: id })
  const own = `/v1/organizations/${id}`
  for (const closed of ['suspended', 'archived']) {
    expect((await tenant.patch(own, { status: closed })).status).toBe(200)
    const refused = await scoped.patch(own, { status: 'active', name: 'Back' })
    expect([refused.status, refused.body.code]).toEqual([403, 'sub_org_mismatch'])
    const { body } = await scoped.patch(own, { description: 'Closed' })
    expect(body.subOrganization).toMatchObject({ status: closed, description: 'Closed' })
    expect(body.subOrganization.name).not.toBe('Back')
  }
  expect((await tenant.patch(own, { status: 'active' })).body.subOrganization.status).toBe('active')
  expect((await scoped.patch(own, { status: 'active' })).status).toBe(200)
})

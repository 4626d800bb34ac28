import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newUser } from '../../../../test/people/people.ts'

const app = await startApp()
const tenant = await app.tenant()
const path = '/v1/rbac/roles'

const code = ({ status, body }: Reply) => [status, body.code]

async function makeRole(
  subOrgId: string,
  name: string,
  permissions: string[] = ['invoice:approve'],
  more: object = {},
) {
  return succeeded(await tenant.post(path, { subOrgId, name, permissions, ...more })).role
}

const listed = async (subOrgId: string) => (await tenant.get(`${path}?subOrgId=${subOrgId}`)).body
const eventsOf = async (subOrgId: string, type: string) =>
  (await app.events({ accountId: tenant.accountId, type })).filter((event) => event.organization_id === subOrgId)

test('lists what the system has, what the organization has made, and who has it', async () => {
  const person = await newUser(tenant)
  const { subOrgId } = person
  const role = await makeRole(subOrgId, 'Éditeur en chef', ['members:read', 'invoice:approve'], {
    description: 'Edits',
  })
  expect(role).toMatchObject({
    slug: 'editeur-en-chef',
    system: false,
    scope: 'organization',
    subOrgId,
    assignmentCount: 0,
  })
  succeeded(await tenant.put(`/v1/rbac/users/${person.id}/roles`, { subOrgId, roleIds: [role.id] }))
  const body = await listed(subOrgId)
  const names = (roles: { slug: string }[]) => roles.map(({ slug }) => slug)
  expect([names(body.systemRoles), names(body.directorySystemRoles)]).toEqual([
    ['owner', 'admin', 'developer', 'member'],
    ['admin', 'member'],
  ])
  const [owner, admin, developer, member] = body.systemRoles
  expect(owner.permissions).toContain('billing:write')
  expect(owner.permissions.filter((id: string) => !admin.permissions.includes(id))).toEqual([
    'organizations:archive',
    'billing:write',
  ])
  expect(developer.permissions).toEqual(expect.arrayContaining(['api_keys:manage', 'settings:read', 'audit:read']))
  expect(member.permissions).toEqual(['users:read', 'members:read', 'organizations:read'])
  expect(body.customRoles).toEqual([{ ...role, assignmentCount: 1 }])
  expect(body.assignments).toMatchObject([
    { userId: null, directoryUserId: person.id, membershipId: null, roleId: role.id, source: 'manual' },
  ])
  const known = (id: string) => body.permissions.find((each: { id: string }) => each.id === id)
  expect([known('members:read'), known('invoice:approve')]).toEqual([
    { id: 'members:read', known: true, scope: 'members.read' },
    { id: 'invoice:approve', known: false, scope: null },
  ])
  const catalogue = await tenant.get(`/v1/rbac/permissions?subOrgId=${subOrgId}`)
  expect(catalogue.body.permissions).toEqual(body.permissions)
  // An org-wide key sees the roles of the whole environment.
  expect((await tenant.get(path)).body.customRoles).toContainEqual({ ...role, assignmentCount: 1 })
  expect((await tenant.get(`${path}/${role.id}`)).body.role).toEqual({ ...role, assignmentCount: 1 })
  expect((await tenant.get(`${path}/owner`)).body.role).toEqual(owner)
})

test('lists assignments in pages, those of users and of members alike', async () => {
  const subOrgId = await tenant.organization()
  const role = await makeRole(subOrgId, 'Editor')
  const people = [
    await newUser(tenant, { subOrgId }),
    await newUser(tenant, { subOrgId }),
    await newUser(tenant, { subOrgId }),
  ]
  for (const { id } of people)
    succeeded(await tenant.put(`/v1/rbac/users/${id}/roles`, { subOrgId, roleIds: [role.id] }))
  const membershipId = await plantMember(subOrgId)
  succeeded(await tenant.put(`/v1/rbac/members/${membershipId}/roles`, { subOrgId, roleIds: ['editor'] }))
  const holders: string[] = []
  let cursor = ''
  do {
    const { body } = await tenant.get(`${path}?subOrgId=${subOrgId}&limit=2&include_total=true${cursor}`)
    expect(body.total).toBe(4)
    holders.push(
      ...body.assignments.map((each: Record<string, string>) => each['membershipId'] ?? each['directoryUserId']),
    )
    cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
  } while (cursor)
  expect(holders).toEqual([...people.map(({ id }) => id), membershipId])
})

async function plantMember(organization_id: string): Promise<string> {
  const { db } = app.app.platform
  const id = crypto.randomUUID()
  const email = `${id}@example.com`
  const row = { id, account_id: tenant.accountId, organization_id, email, email_norm: email, role: 'member' }
  await db.insertInto('members').values(row).execute()
  return id
}

test.each([
  ['Members:read', 'upper case'],
  ['members', 'no action'],
  ['members:', 'an empty action'],
  [':read', 'no resource'],
  ['members:read ', 'a blank'],
  ['*', 'a wildcard'],
  ['members.read', 'a scope'],
  ['__proto__', 'a prototype'],
  [`a:${'b'.repeat(127)}`, 'too long'],
  [null, 'nothing'],
])('refuses a permission that is malformed: %j, %s', async (permission, _why) => {
  const permissions = [permission]
  const subOrgId = await tenant.organization()
  expect(code(await tenant.post(path, { subOrgId, name: 'Editor', permissions }))).toEqual([400, 'invalid_request'])
  const role = await makeRole(subOrgId, 'Editor')
  const patched = await tenant.patch(`${path}/${role.id}`, { subOrgId, permissions })
  expect(code(patched)).toEqual([400, 'invalid_request'])
  expect((await listed(subOrgId)).customRoles).toEqual([role])
})

test('names and slugs are unique within the organization, and those of the system taken', async () => {
  const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]
  await makeRole(subOrgId, 'Editor')
  await makeRole(other, 'Editor')
  const again = (fields: object) => tenant.post(path, { subOrgId, permissions: [], ...fields })
  const taken = [
    { name: 'editor' },
    { name: 'Another', slug: 'editor' },
    { name: 'EDITOR', slug: 'other' },
    { name: 'Owner' },
    { name: 'Admin', slug: 'boss' },
    { name: 'Boss', slug: 'developer' },
  ]
  for (const fields of taken) expect(code(await again(fields)), JSON.stringify(fields)).toEqual([409, 'role_exists'])
  const id = crypto.randomUUID()
  expect(code(await again({ name: 'Boss', slug: id }))).toEqual([400, 'invalid_request'])
  const boss = await makeRole(subOrgId, 'Boss')
  const renamed = await tenant.patch(`${path}/${boss.id}`, { subOrgId, name: 'Editor' })
  expect(code(renamed)).toEqual([409, 'role_exists'])
  expect(code(await tenant.patch(`${path}/${boss.id}`, { subOrgId, name: 'member' }))).toEqual([409, 'role_exists'])
  expect((await listed(subOrgId)).customRoles.map(({ name }: { name: string }) => name)).toEqual(['Editor', 'Boss'])
})

test('roles of the system are not changed', async () => {
  const subOrgId = await tenant.organization()
  for (const id of ['owner', 'admin', 'developer', 'member']) {
    expect(code(await tenant.patch(`${path}/${id}`, { subOrgId, permissions: [] }))).toEqual([403, 'system_role'])
    expect(code(await tenant.delete(`${path}/${id}?subOrgId=${subOrgId}`))).toEqual([403, 'system_role'])
  }
})

test('tells before what a change changes, and records it after', async () => {
  const person = await newUser(tenant)
  const { subOrgId } = person
  const role = await makeRole(subOrgId, 'Editor', ['invoice:read', 'invoice:approve'])
  succeeded(await tenant.put(`/v1/rbac/users/${person.id}/roles`, { subOrgId, roleIds: [role.id] }))
  const body = { subOrgId, permissions: ['invoice:read', 'members:read', 'members:read'] }
  const effect = {
    affectedUsers: 1,
    affectedMembers: 0,
    permissionsAdded: ['members:read'],
    permissionsRemoved: ['invoice:approve'],
  }
  const before = await tenant.patch(`${path}/${role.id}?preview=true`, body)
  const permissions = ['invoice:read', 'members:read']
  expect(before.body).toMatchObject({ role: { permissions }, preview: true, ...effect })
  expect((await listed(subOrgId)).customRoles).toMatchObject([{ permissions: role.permissions }])
  expect(await eventsOf(subOrgId, 'role.updated')).toEqual([])
  const after = await tenant.patch(`${path}/${role.id}`, body)
  expect(after.body).toMatchObject({ role: { permissions }, preview: false, ...effect })
  const [event, ...more] = await eventsOf(subOrgId, 'role.updated')
  expect([event?.data, event?.previous, more]).toMatchObject([
    { permissions, assignmentCount: 1 },
    { permissions: role.permissions },
    [],
  ])
  // Nothing changes, and no event is recorded.
  succeeded(await tenant.patch(`${path}/${role.id}`, { subOrgId, permissions, description: '' }))
  expect(await eventsOf(subOrgId, 'role.updated')).toHaveLength(1)
})

test('a change of an older version is refused', async () => {
  const subOrgId = await tenant.organization()
  const role = await makeRole(subOrgId, 'Editor')
  const tag = (await tenant.get(`${path}/${role.id}`)).headers.get('etag') ?? ''
  const change = (name: string) => tenant.patch(`${path}/${role.id}`, { subOrgId, name }, { 'if-match': tag })
  expect((await change('Author')).status).toBe(200)
  expect(code(await change('Writer'))).toEqual([412, 'version_conflict'])
  const gone = await tenant.delete(`${path}/${role.id}?subOrgId=${subOrgId}`, { 'if-match': tag })
  expect(code(gone)).toEqual([412, 'version_conflict'])
})

test('a role goes with its assignments, as was told before', async () => {
  const person = await newUser(tenant)
  const { subOrgId } = person
  const [role, kept] = [await makeRole(subOrgId, 'Editor'), await makeRole(subOrgId, 'Reader', ['invoice:read'])]
  const membershipId = await plantMember(subOrgId)
  succeeded(await tenant.put(`/v1/rbac/users/${person.id}/roles`, { subOrgId, roleIds: [role.id, kept.id] }))
  succeeded(await tenant.put(`/v1/rbac/members/${membershipId}/roles`, { subOrgId, roleIds: [role.id] }))
  const url = `${path}/${role.id}?subOrgId=${subOrgId}`
  const effect = { affectedUsers: 1, affectedMembers: 1, permissionsAdded: [], permissionsRemoved: ['invoice:approve'] }
  const preview = await tenant.delete(`${url}&preview=true`)
  expect(preview.body).toEqual({ success: true, preview: true, ...effect })
  expect((await listed(subOrgId)).assignments).toHaveLength(3)
  expect((await tenant.delete(url)).body).toEqual({ success: true, preview: false, ...effect })
  expect((await listed(subOrgId)).assignments).toMatchObject([{ roleId: kept.id }])
  const { user } = (await tenant.get(`/v1/users/${person.id}`)).body
  expect(user.roleIds).toEqual([kept.id])
  expect((await tenant.get(`/v1/rbac/members/${membershipId}/roles`)).body).toEqual({ roleIds: [], assignments: [] })
  expect(code(await tenant.get(`${path}/${role.id}`))).toEqual([404, 'role_not_found'])
  expect((await eventsOf(subOrgId, 'role.deleted')).map(({ data }) => data)).toMatchObject([
    { id: role.id, assignmentCount: 2 },
  ])
})

test('an organization has 200 roles and no more', async () => {
  const subOrgId = await tenant.organization()
  const { directory_id } = await app.app.platform.db
    .selectFrom('roles')
    .select('directory_id')
    .where('id', '=', (await makeRole(subOrgId, 'Role 0')).id)
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: 198 }, (_, n) => {
    const name = `Role ${n + 1}`
    return { directory_id, id: crypto.randomUUID(), slug: `r${n}`, name, permissions: [] }
  })
  await app.app.platform.db.insertInto('roles').values(rows).execute()
  const post = (name: string) => tenant.post(path, { subOrgId, name, permissions: [] })
  const replies = await Promise.all([post('Last'), post('One too many'), post('Another')])
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect(code(await post('Again'))).toEqual([409, 'role_limit_reached'])
})

test('where the service is off every route is refused', async () => {
  const subOrgId = await tenant.organization()
  const enabledAppIds = ['auth', 'otp']
  succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds }))
  expect(code(await tenant.get(`${path}?subOrgId=${subOrgId}`))).toEqual([403, 'service_disabled'])
  expect(code(await tenant.post(path, { subOrgId, name: 'Editor', permissions: [] }))).toEqual([
    403,
    'service_disabled',
  ])
})

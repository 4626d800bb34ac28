import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newUser, type Person } from '../../../../test/people/people.ts'
import { signIn } from '../../../../test/people/sign-in.ts'
import { directoryRolePermissions } from '../../../contract/permissions.ts'

const app = await startApp()
const tenant = await app.tenant()
const MEMBER = [...directoryRolePermissions.member].sort()

const code = ({ status, body }: Reply) => [status, body.code]

async function makeRole(subOrgId: string, name: string, permissions: string[] = ['invoice:approve']): Promise<string> {
  return succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name, permissions })).role.id
}

const assign = (person: Person, body: object) =>
  tenant.put(`/v1/rbac/users/${person.id}/roles`, { subOrgId: person.subOrgId, ...body })
const check = async (userId: string, permission: string) =>
  succeeded(await tenant.post('/v1/rbac/check', { userId, permission }))

test('gives and takes roles by hand; absent fields stay', async () => {
  const person = await newUser(tenant)
  const [a, b] = [await makeRole(person.subOrgId, 'Alpha'), await makeRole(person.subOrgId, 'Beta', ['invoice:read'])]
  const sorted = [a, b].toSorted()
  const both = succeeded(await assign(person, { roleIds: [b, a, 'alpha', a.toUpperCase()], role: 'admin' }))
  expect(both).toMatchObject({ success: true, roleIds: sorted, role: 'admin' })
  expect(both.assignments).toHaveLength(2)
  const read = async () => (await tenant.get(`/v1/rbac/users/${person.id}/roles`)).body
  expect(await read()).toMatchObject({ roleIds: sorted, role: 'admin' })
  expect((await tenant.get(`/v1/users/${person.id}`)).body.user).toMatchObject({ roleIds: sorted, role: 'admin' })
  expect(succeeded(await assign(person, { role: null }))).toMatchObject({ roleIds: sorted, role: 'member' })
  expect(succeeded(await assign(person, { roleIds: [a] }))).toMatchObject({ roleIds: [a], role: 'member' })
  expect(succeeded(await assign(person, {}))).toMatchObject({ roleIds: [a], role: 'member' })
  expect(succeeded(await assign(person, { roleIds: [] }))).toMatchObject({ roleIds: [], role: 'member' })
  const told = (await app.events({ accountId: tenant.accountId })).filter(
    ({ organization_id: at, type }) => at === person.subOrgId && /^(role\.(un)?assigned|user\.updated)$/.test(type),
  )
  expect(told.map(({ type, previous }) => [type, Object.keys(previous ?? {})])).toEqual([
    ['user.updated', ['role', 'roleIds', 'updatedAt']],
    ['role.assigned', []],
    ['role.assigned', []],
    ['user.updated', ['role', 'updatedAt']],
    ['user.updated', ['roleIds', 'updatedAt']],
    ['role.unassigned', []],
    ['user.updated', ['roleIds', 'updatedAt']],
    ['role.unassigned', []],
  ])
})

test('roles of others, or of nobody, are refused, and nothing changes', async () => {
  const [person, stranger] = [await newUser(tenant), await newUser(tenant)]
  const [own, foreign] = [await makeRole(person.subOrgId, 'Own'), await makeRole(stranger.subOrgId, 'Foreign')]
  succeeded(await assign(person, { roleIds: [own] }))
  for (const id of [foreign, 'foreign', crypto.randomUUID(), 'admin', 'owner', '', '__proto__'])
    expect(code(await assign(person, { roleIds: [own, id], role: 'admin' })), id).toEqual([400, 'invalid_request'])
  expect((await tenant.get(`/v1/rbac/users/${person.id}/roles`)).body).toMatchObject({ roleIds: [own], role: 'member' })
  expect(code(await assign({ ...stranger, subOrgId: person.subOrgId }, { roleIds: [own] }))).toEqual([
    404,
    'user_not_found',
  ])
  expect(code(await assign(person, { role: 'owner' }))).toEqual([400, 'invalid_request'])
  expect((await tenant.get(`/v1/rbac/users/${stranger.id}/roles`)).body.roleIds).toEqual([])
})

test('members have roles too, each in their organization', async () => {
  const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]
  const role = await makeRole(subOrgId, 'Editor')
  const { db } = app.app.platform
  const plant = async (organization_id: string, email: string) => {
    const row = { id: crypto.randomUUID(), account_id: tenant.accountId, organization_id, email, email_norm: email }
    await db
      .insertInto('members')
      .values({ ...row, role: 'developer' })
      .execute()
    return row.id
  }
  const [id, stranger] = [await plant(subOrgId, 'dev@acme.example'), await plant(other, 'dev@acme.example')]
  const put = (membershipId: string, roleIds: string[]) =>
    tenant.put(`/v1/rbac/members/${membershipId}/roles`, { subOrgId, roleIds })
  expect(succeeded(await put(id, [role]))).toMatchObject({ success: true, roleIds: [role] })
  const { roleIds, assignments } = (await tenant.get(`/v1/rbac/members/${id}/roles`)).body
  expect([roleIds, assignments]).toMatchObject([[role], [{ userId: null, membershipId: id, source: 'manual' }]])
  expect(code(await put(stranger, [role]))).toEqual([404, 'role_member_not_found'])
  expect(code(await put(id, [crypto.randomUUID()]))).toEqual([400, 'invalid_request'])
  const narrow = await tenant.withKey({ subOrgId: other })
  expect(code(await narrow.get(`/v1/rbac/members/${id}/roles`))).toEqual([404, 'role_member_not_found'])
  expect(succeeded(await put(id, []))).toMatchObject({ roleIds: [] })
  await put(id, [role])
  await db.deleteFrom('members').where('id', '=', id).execute()
  expect((await tenant.get(`/v1/rbac/roles?subOrgId=${subOrgId}`)).body.assignments).toEqual([])
})

test('tokens carry roles and permissions until they expire; introspection and check answer at once', async () => {
  const person = await newUser(tenant)
  const { subOrgId } = person
  const role = await makeRole(subOrgId, 'Editor', ['invoice:approve', 'users:read'])
  const plain = await signIn(app, tenant, subOrgId, person.email)
  expect(decodeJwt(plain.access_token)).toMatchObject({ role: 'member', roles: [], permissions: MEMBER })
  succeeded(await assign(person, { roleIds: [role] }))
  const more = { roles: ['editor'], permissions: [...MEMBER, 'invoice:approve'].sort() }
  expect(decodeJwt((await signIn(app, tenant, subOrgId, person.email)).access_token)).toMatchObject(more)
  const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: plain.refresh_token })
  const { session } = succeeded(refreshed)
  expect(decodeJwt(session.access_token)).toMatchObject(more)
  const introspect = async () =>
    (await tenant.post('/v1/auth/token/introspect', { subOrgId, token: plain.access_token })).body
  expect(await introspect()).toMatchObject({ active: true, ...more })
  expect(await check(person.id, 'invoice:approve')).toEqual({ allowed: true, reason: 'role:editor' })
  expect(await check(plain.user_id, 'users:read')).toEqual({ allowed: true, reason: 'role:member' })
  succeeded(await tenant.patch(`/v1/rbac/roles/${role}`, { subOrgId, permissions: ['invoice:read'] }))
  const now = [...MEMBER, 'invoice:read'].sort()
  expect(await introspect()).toMatchObject({ roles: ['editor'], permissions: now })
  expect(await check(person.id, 'invoice:approve')).toEqual({ allowed: false, reason: 'unknown_permission' })
  expect(await check(person.id, 'billing:write')).toEqual({ allowed: false, reason: 'no_role' })
  succeeded(await tenant.delete(`/v1/rbac/roles/${role}?subOrgId=${subOrgId}`))
  expect(await introspect()).toMatchObject({ roles: [], permissions: MEMBER })
  expect(await check(person.id, 'invoice:read')).toEqual({ allowed: false, reason: 'unknown_permission' })
  succeeded(await assign(person, { role: 'admin' }))
  expect(await check(person.id, 'sso:write')).toEqual({ allowed: true, reason: 'role:admin' })
})

test('whoever may not sign in may do nothing, and nobody learns of strangers', async () => {
  const person = await newUser(tenant)
  const { subOrgId } = person
  succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, active: false }))
  expect(await check(person.id, 'users:read')).toEqual({ allowed: false, reason: 'inactive' })
  succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, active: true }))
  expect(await check(person.id, 'users:read')).toEqual({ allowed: true, reason: 'role:member' })
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }))
  expect(await check(person.id, 'users:read')).toEqual({ allowed: false, reason: 'inactive' })
  const elsewhere = await tenant.withKey({ subOrgId: await tenant.organization() })
  const body = { userId: person.id, permission: 'users:read' }
  expect(code(await elsewhere.post('/v1/rbac/check', body))).toEqual([404, 'user_not_found'])
  expect(code(await tenant.post('/v1/rbac/check', { ...body, permission: 'users' }))).toEqual([400, 'invalid_request'])
})

test('of more permissions than a token should carry there are none in it, which is said', async () => {
  const person = await newUser(tenant)
  const { subOrgId } = person
  const many = Array.from({ length: 60 }, (_, n) => `invoice:${'a'.repeat(60)}-${n}`)
  const role = await makeRole(subOrgId, 'Everything', many)
  succeeded(await assign(person, { roleIds: [role] }))
  const { access_token } = await signIn(app, tenant, subOrgId, person.email)
  const claims = decodeJwt(access_token)
  expect(claims).toMatchObject({ roles: ['everything'], permissions: [], permissions_truncated: true })
  const { body } = await tenant.post('/v1/auth/token/introspect', { subOrgId, token: access_token })
  expect(body.permissions).toHaveLength(many.length + MEMBER.length)
  expect(await check(person.id, many[7] ?? '')).toEqual({ allowed: true, reason: 'role:everything' })
})

test('a move leaves the roles of the organization behind', async () => {
  const [person, target] = [await newUser(tenant), await tenant.organization()]
  const { subOrgId } = person
  const role = await makeRole(subOrgId, 'Editor')
  succeeded(await assign(person, { roleIds: [role], role: 'admin' }))
  const { user } = succeeded(await tenant.post(`/v1/users/${person.id}`, { subOrgId, targetSubOrgId: target }))
  expect(user).toMatchObject({ subOrgId: target, roleIds: [], role: 'member' })
  expect((await tenant.get(`/v1/rbac/users/${person.id}/roles`)).body).toMatchObject({ roleIds: [], assignments: [] })
  expect((await tenant.get(`/v1/rbac/roles?subOrgId=${subOrgId}`)).body.assignments).toEqual([])
})

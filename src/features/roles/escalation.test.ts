import { expect, test } from 'vitest'
import { succeeded } from '../../../test/factors.ts'
import { fresh } from '../../../test/fresh.ts'
import { type Caller, startApp } from '../../../test/harness.ts'
import { newUser } from '../../../test/people.ts'
import { nameOf } from '../../../test/samples.ts'
import { joinedMember } from '../../../test/team.ts'
import { type Scope, scopes } from '../../contract.ts'
import { permissionScopes, permissions } from '../../contract-permissions.ts'
import { routes } from '../../routes.ts'

const app = await startApp()
const tenant = await app.tenant()
const { subOrgId, id: userId } = await newUser(tenant)
const { db } = app.app.platform
const oidc = { protocol: 'oidc', oidc_issuer: 'https://login.acme.example', oidc_client_id: 'watchword' }

const membershipId = crypto.randomUUID()
const email = 'member@acme.example'
const place = { account_id: tenant.accountId, organization_id: subOrgId }
await db
  .insertInto('members')
  .values({ id: membershipId, ...place, email, email_norm: email, role: 'member' })
  .execute()

const makeRole = async (held: string[]): Promise<string> =>
  succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name: `Role ${fresh()}`, permissions: held })).role.id
const connect = async (mapping: object): Promise<string> =>
  succeeded(await tenant.post('/v1/sso/connections', { ...oidc, name: 'Acme', subOrgId, group_role_mapping: mapping }))
    .connection.id

const [empty, plain] = [await makeRole([]), await connect({})]

/** Every way to grant what a role holds: the scope that its route asks for, and the request. */
const WAYS: [
  string,
  Scope,
  (key: Caller, role: string, held: string[], mapped: string) => Promise<{ status: number; body: { code?: string } }>,
][] = [
  [
    'a role that is made',
    'roles.write',
    (key, _, held) => key.post('/v1/rbac/roles', { name: `Role ${fresh()}`, permissions: held }),
  ],
  [
    'a role that gets more',
    'roles.write',
    (key, _, held) => key.patch(`/v1/rbac/roles/${empty}`, { permissions: held }),
  ],
  ['a user', 'roles.write', (key, role) => key.put(`/v1/rbac/users/${userId}/roles`, { roleIds: [role] })],
  ['a member', 'roles.write', (key, role) => key.put(`/v1/rbac/members/${membershipId}/roles`, { roleIds: [role] })],
  [
    'a connection that is made',
    'sso.write',
    (key, role) => key.post('/v1/sso/connections', { ...oidc, name: 'Acme', group_role_mapping: { All: role } }),
  ],
  [
    'a connection',
    'sso.write',
    (key, role) => key.patch(`/v1/sso/connections/${plain}`, { group_role_mapping: { All: ['member', role] } }),
  ],
  [
    'provisioning',
    'scim_config.write',
    (key, _, __, mapped) => key.patch('/v1/scim/config', { sso_connection_id: mapped }),
  ],
]

const state = async () => [
  await db.selectFrom('roles').select(['id', 'permissions']).orderBy('id').execute(),
  await db.selectFrom('role_assignments').select('id').execute(),
  await db.selectFrom('member_roles').select('id').execute(),
  await db.selectFrom('sso_connections').select(['id', 'config']).orderBy('id').execute(),
  await db.selectFrom('scim_configs').select('sso_connection_id').execute(),
]

test.each(permissions)('no way grants %s to who lacks it', async (permission) => {
  const needed: Scope | null = permissionScopes[permission]
  const role = await makeRole([permission])
  const mapped = await connect({ All: role })
  for (const [name, scope, grant] of WAYS) {
    if (scope === needed) continue
    const others = scopes.filter((each) => each !== needed)
    const before = await state()
    const reply = await grant(await tenant.withKey({ subOrgId, scopes: others }), role, [permission], mapped)
    expect([reply.status, reply.body.code], name).toEqual([403, 'privilege_escalation'])
    expect(await state(), name).toEqual(before)
  }
  succeeded(await tenant.delete(`/v1/sso/connections/${mapped}?subOrgId=${subOrgId}`))
  succeeded(await tenant.delete(`/v1/rbac/roles/${role}?subOrgId=${subOrgId}`))
})

test.each(WAYS)('whoever holds the permission grants it: %s', async (_, scope, grant) => {
  const role = await makeRole(['audit:read', 'invoice:approve'])
  const mapped = await connect({ All: role })
  const key = await tenant.withKey({ subOrgId, scopes: [scope, 'audit.read'] })
  expect((await grant(key, role, ['audit:read', 'invoice:approve'], mapped)).status).toBe(200)
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: null }))
})

test('nobody makes an admin without the scopes of one', async () => {
  const key = await tenant.withKey({ subOrgId, scopes: scopes.filter((scope) => scope !== 'mfa.write') })
  const replies = [
    await key.put(`/v1/rbac/users/${userId}/roles`, { role: 'admin' }),
    await key.post('/v1/sso/connections', { ...oidc, name: 'Acme', group_role_mapping: { All: 'admin' } }),
    await key.patch(`/v1/sso/connections/${plain}`, { default_role: 'admin' }),
  ]
  expect(replies.map(({ body }) => body.code)).toEqual(Array(3).fill('privilege_escalation'))
  expect((await tenant.get(`/v1/rbac/users/${userId}/roles`)).body.role).toBe('member')
})

/** Routes whose bodies say what somebody may do; each is tried above, or grants nothing to a person. */
const SAYING = [
  'PATCH /v1/mfa/policy',
  'PATCH /v1/rbac/roles/{roleId}',
  'PATCH /v1/sso/connections/{connectionId}',
  'POST /v1/rbac/check',
  'POST /v1/rbac/roles',
  'POST /v1/sso/connections',
  'PUT /v1/rbac/members/{membershipId}/roles',
  'PUT /v1/rbac/users/{userId}/roles',
]

test('no other route takes a role or a permission', () => {
  const says = routes.filter(({ body }) =>
    Object.keys(body?.properties ?? {}).some((name) => /role|permission/i.test(name)),
  )
  const saying = says.map(nameOf).sort()
  // Of settings and of the team others say what these mean.
  expect(saying.filter((name) => !/settings|policy|members/.test(name) || SAYING.includes(name))).toEqual(SAYING)
})

test('a member of the team grants what their role holds, however many scopes it has', async () => {
  const [owner, admin] = [await joinedMember(app, tenant, 'owner'), await joinedMember(app, tenant, 'admin')]
  const make = async (permission: string, { headers }: typeof owner) => {
    const body = { subOrgId, name: `Role ${fresh()}`, permissions: [permission] }
    const reply = await app.as(null).post('/v1/rbac/roles', body, headers)
    return [reply.status, reply.body.code]
  }
  for (const permission of ['organizations:archive', 'billing:write']) {
    expect(await make(permission, owner)).toEqual([200, undefined])
    expect(await make(permission, admin)).toEqual([403, 'privilege_escalation'])
  }
  expect(await make('billing:read', admin)).toEqual([200, undefined])
})

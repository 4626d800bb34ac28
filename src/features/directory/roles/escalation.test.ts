import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Caller, type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { plantMember } from '../../../../test/people/members.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { providerPair } from '../../../../test/people/saml-connection.ts'
import { scimCaller } from '../../../../test/people/scim.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { nameOf } from '../../../../test/walkers/samples.ts'
import { type Scope, scopes } from '../../../contract/contract.ts'
import {
  directoryRolePermissions,
  permissionScopes,
  permissions,
  teamRolePermissions,
} from '../../../contract/permissions.ts'
import { isScopePattern } from '../../../platform/tenancy/scopes.ts'
import { routes } from '../../../wiring/routes.ts'
import { TEAM_ROLES, type TeamRole } from '../../tenancy/members/team-roles/team-roles.ts'

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

const invited = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: newEmail() })).user.id

/** The outcome of importing one user, in the form of a request's outcome. */
async function importOne(key: Caller, role: string) {
  const { status, body } = await key.put('/v1/users', { users: [{ email: newEmail(), roleIds: [role] }] })
  const [failure] = body.failed
  return failure ? { status: 403, body: { code: failure.error } } : { status, body }
}

/** Every way to give a user the permissions of a role: the scopes that its route requires, and the request. */
const WAYS: [
  string,
  Scope | Scope[],
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
  [
    'a new user',
    ['users.write', 'roles.write'],
    (key, role) => key.post('/v1/users', { email: newEmail(), roleIds: [role] }),
  ],
  ['an imported user', ['users.write', 'roles.write'], importOne],
  [
    'an invitation',
    ['users.write', 'roles.write'],
    (key, role) => key.post('/v1/users/invites', { email: newEmail(), roleIds: [role] }),
  ],
  [
    'another invitation',
    ['users.write', 'roles.write'],
    async (key, role) => {
      // An address can be invited only a few times an hour.
      await app.advance(600)
      return key.post(`/v1/users/${invited}/invite`, { roleIds: [role] })
    },
  ],
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
  await db.selectFrom('users').select(['id', 'role', 'role_ids']).orderBy('id').execute(),
  await db.selectFrom('links').select(['id', 'closed_at']).orderBy('id').execute(),
]

test.each(permissions)('no way grants %s to who lacks it', async (permission) => {
  const needed: Scope | null = permissionScopes[permission]
  const role = await makeRole([permission])
  const mapped = await connect({ All: role })
  for (const [name, scope, grant] of WAYS) {
    if ([scope].flat().some((one) => one === needed)) continue
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
  // The last three are scopes of the member who gets the role.
  const held = [
    ...[scope].flat(),
    'audit.read' as const,
    'users.read' as const,
    'members.read' as const,
    'sub_orgs.read' as const,
  ]
  const key = await tenant.withKey({ subOrgId, scopes: held })
  expect((await grant(key, role, ['audit:read', 'invoice:approve'], mapped)).status).toBe(200)
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: null }))
})

test('nobody makes an admin without the scopes of one', async () => {
  const key = await tenant.withKey({ subOrgId, scopes: scopes.filter((scope) => scope !== 'mfa.write') })
  const replies = [
    await key.put(`/v1/rbac/users/${userId}/roles`, { role: 'admin' }),
    await key.post('/v1/users', { email: newEmail(), role: 'admin' }),
    await key.post('/v1/users/invites', { email: newEmail(), role: 'admin' }),
    await key.post(`/v1/users/${invited}/invite`, { role: 'admin' }),
    await key.post('/v1/sso/connections', { ...oidc, name: 'Acme', group_role_mapping: { All: 'admin' } }),
    await key.patch(`/v1/sso/connections/${plain}`, { default_role: 'admin' }),
  ]
  expect(replies.map(({ body }) => body.code)).toEqual(Array(6).fill('privilege_escalation'))
  expect((await tenant.get(`/v1/rbac/users/${userId}/roles`)).body.role).toBe('member')
})

/**
 * By name: a mapping, a change that a key without the mapping's permissions may not make, and a change that this key
 * may make.
 */
const WIDENING: [string, object, object, object][] = [
  ['a first group', { default_role: 'admin' }, { group_role_mapping: { X: 'member' } }, { default_role: 'member' }],
  [
    'a group less that gave member',
    { default_role: 'admin', group_role_mapping: { X: 'member', Y: ['member', 'admin'] } },
    { group_role_mapping: { Y: ['member', 'admin'] } },
    { group_role_mapping: { X: 'member', Y: 'member' } },
  ],
  [
    'no group any more',
    { default_role: 'admin', group_role_mapping: { X: 'member' } },
    { group_role_mapping: {} },
    { group_role_mapping: {}, default_role: 'member' },
  ],
]

test.each(WIDENING)('no key lets the default role reach more users: %s', async (_, fields, wider, narrower) => {
  const made = succeeded(await tenant.post('/v1/sso/connections', { ...oidc, name: 'Acme', subOrgId, ...fields }))
  const path = `/v1/sso/connections/${made.connection.id}`
  const key = await tenant.withKey({ subOrgId, scopes: ['sso.write', 'sso.read'] })
  const reply = await key.patch(path, wider)
  expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
  expect(succeeded(await key.get(path)).connection).toEqual(made.connection)
  succeeded(await key.patch(path, narrower))
  succeeded(await tenant.delete(`${path}?subOrgId=${subOrgId}`))
})

test.each([
  ['oidc', { attribute_mapping: { groups: 'nickname' } }],
  ['oidc', { oidc_issuer: 'https://login.other.example' }],
  ['oidc', { oidc_client_id: 'other' }],
  ['saml', { attribute_mapping: { groups: 'nickname' } }],
  ['saml', { idp_entity_id: 'https://other.example' }],
  ['saml', { idp_certificate: providerPair.certificatePem }],
] as const)(
  'no key changes what decides the groups of people, who lacks what they give: %s %o',
  async (protocol, change) => {
    const body = { ...(protocol === 'oidc' ? oidc : { protocol }), name: 'Acme', subOrgId }
    const mapped = { ...body, group_role_mapping: { Admins: 'admin' }, attribute_mapping: { email: 'mail' } }
    const { connection } = succeeded(await tenant.post('/v1/sso/connections', mapped))
    const path = `/v1/sso/connections/${connection.id}`
    const key = await tenant.withKey({ subOrgId, scopes: ['sso.write', 'sso.read'] })
    const reply = await key.patch(path, change)
    expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
    expect(succeeded(await key.get(path)).connection).toEqual(connection)
    succeeded(await key.patch(path, { name: 'Other', attribute_mapping: { email: 'email' } }))
    // A caller with the permissions may make the change. Once no group gives any roles, every caller may make it.
    succeeded(await tenant.patch(path, { subOrgId, ...change }))
    succeeded(await key.patch(path, { group_role_mapping: {}, attribute_mapping: {} }))
    succeeded(await tenant.delete(`${path}?subOrgId=${subOrgId}`))
  },
)

const owner = await plantMember(app, { accountId: tenant.accountId, organizationId: subOrgId, role: 'owner' })

/** Every way to give a person a role in the team. */
const TEAM_WAYS: [string, Scope, (key: Caller, role: TeamRole) => Promise<Reply>][] = [
  ['an invitation', 'members.write', (key, role) => key.post('/v1/members/invites', { email: newEmail(), role })],
  ['a role', 'members.write', (key, role) => key.patch(`/v1/members/${membershipId}`, { newRole: role })],
  [
    'a roster',
    'sub_orgs.write',
    (key, role) =>
      key.put(`/v1/organizations/${subOrgId}/members`, {
        members: [
          { membershipId: owner, role: 'owner' },
          { membershipId, role },
        ],
      }),
  ],
]

const teamState = () =>
  db
    .selectFrom('members')
    .select(['id', 'role', 'status'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute()

test.each(permissions)('nobody is made of the team what holds %s by who lacks it', async (permission) => {
  const needed: Scope | null = permissionScopes[permission]
  const key = await tenant.withKey({ subOrgId, scopes: scopes.filter((each) => each !== needed) })
  const before = await teamState()
  for (const [name, scope, grant] of TEAM_WAYS)
    for (const role of TEAM_ROLES) {
      const holds: readonly string[] = teamRolePermissions[role]
      // The others already have the role member. Only an invited person gets it.
      if (scope === needed || !holds.includes(permission) || (role === 'member' && name !== 'an invitation')) continue
      const reply = await grant(key, role)
      expect([reply.status, reply.body.code], `${name} ${role}`).toEqual([403, 'privilege_escalation'])
    }
  expect(await teamState()).toEqual(before)
})

const scoped = permissions.flatMap((permission) => {
  const scope: Scope | null = permissionScopes[permission]
  return scope === null || scope === 'api_keys.manage' ? [] : [[permission, scope] as const]
})

test.each(scoped)('no key carries %s that is given by one without it', async (_, scope) => {
  const made = succeeded(await tenant.post('/v1/api-keys', { subOrgId, name: 'Wide', scopes: [scope] })).apiKey.id
  const key = await tenant.withKey({ subOrgId, scopes: scopes.filter((each) => each !== scope) })
  const family = `${scope.slice(0, scope.lastIndexOf('.'))}.*`
  for (const asked of [scope, '*', ...(isScopePattern(family) ? [family] : [])]) {
    const reply = await key.post('/v1/api-keys', { name: 'More', scopes: [asked] })
    expect([reply.status, reply.body.code], asked).toEqual([403, 'privilege_escalation'])
  }
  const own = succeeded(await tenant.post('/v1/api-keys', { subOrgId, name: 'Own', scopes: ['api_keys.manage'] }))
    .apiKey.id
  const widened = await key.patch(`/v1/api-keys/${own}`, { scopes: ['api_keys.manage', scope] })
  expect([widened.status, widened.body.code]).toEqual([403, 'privilege_escalation'])
  const reply = await key.post(`/v1/api-keys/${made}/rotate`, {})
  expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
  const kept = await db.selectFrom('api_keys').select('id').where('name', '=', 'More').execute()
  expect(kept).toEqual([])
  succeeded(await tenant.delete(`/v1/api-keys/${made}?subOrgId=${subOrgId}`))
})

test.each(permissions)(
  'a key without %s neither gets a SCIM token nor repeats a write that gives it',
  async (permission) => {
    const needed: Scope | null = permissionScopes[permission]
    if (needed === 'scim_config.write') return
    const mapped = await connect({ All: await makeRole([permission]) })
    succeeded(await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: mapped }))
    const rotate = (key: Caller) => key.post('/v1/scim/config', { subOrgId, action: 'rotate-token' })
    const replay = (key: Caller) => key.post(`/v1/scim/logs/${refused}/replay`, { subOrgId })
    const kept = async () => [
      await db.selectFrom('scim_tokens').select('id').execute(),
      await db.selectFrom('scim_logs').select('id').execute(),
    ]
    const before = await kept()
    const lacking = await tenant.withKey({ subOrgId, scopes: scopes.filter((each) => each !== needed) })
    for (const reply of [await rotate(lacking), await replay(lacking)])
      expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
    expect(await kept()).toEqual(before)
    const holder = await tenant.withKey({
      subOrgId,
      scopes: needed === null ? ['*'] : ['scim_config.write' as const, needed],
    })
    succeeded(await rotate(holder))
    succeeded(await replay(holder))
    succeeded(await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: null }))
    succeeded(await tenant.delete(`/v1/sso/connections/${mapped}?subOrgId=${subOrgId}`))
  },
)

/** The id of a refused SCIM write. */
async function refusedWrite(): Promise<string> {
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, enabled: true }))
  const { token } = succeeded(await tenant.post('/v1/scim/config', { subOrgId, action: 'rotate-token' }))
  expect((await scimCaller(app, token)('DELETE', '/Users/unknown')).status).toBe(404)
  return succeeded(await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`)).logs[0].id
}

const refused = await refusedWrite()

/**
 * Fields of bodies, at any depth, that decide what a person may do. Each is tried above, or gives a person no rights.
 */
const SAYING = [
  'PATCH /v1/api-keys/{id}: scopes',
  'PATCH /v1/auth/settings: trusted_devices_for_enforced_roles',
  'PATCH /v1/auth/settings/defaults: trusted_devices_for_enforced_roles',
  'PATCH /v1/members/{membershipId}: newRole',
  'PATCH /v1/mfa/policy: enforce_for_roles',
  'PATCH /v1/mfa/policy/defaults: enforce_for_roles',
  'PATCH /v1/rbac/roles/{roleId}: permissions',
  'PATCH /v1/sso/connections/{connectionId}: default_role, group_role_mapping',
  'POST /v1/api-keys: scopes',
  'POST /v1/members/invites: role',
  'POST /v1/rbac/check: permission',
  'POST /v1/rbac/roles: permissions',
  'POST /v1/sso/connections: default_role, group_role_mapping',
  'POST /v1/users/invites: role, roleIds',
  'POST /v1/users/{userId}/invite: role, roleIds',
  'POST /v1/users: role, roleIds',
  'PUT /v1/organizations/{subOrgId}/members: role',
  'PUT /v1/rbac/members/{membershipId}/roles: roleIds',
  'PUT /v1/rbac/users/{userId}/roles: role, roleIds',
  'PUT /v1/social/providers/defaults: scopes',
  'PUT /v1/social/providers: scopes',
]

/** The names of all fields of a schema. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, inner]) => [
    ...(name === 'properties' ? Object.keys(inner) : []),
    ...fieldsOf(inner),
  ])
}

test('no other route takes a role, a permission or a scope', () => {
  const saying = routes.flatMap((route) => {
    const said = fieldsOf(route.body).filter((name) => /role|permission|^scopes$/i.test(name))
    return said.length ? [`${nameOf(route)}: ${[...new Set(said)].toSorted().join(', ')}`] : []
  })
  expect(saying.toSorted()).toEqual(SAYING.toSorted())
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

test('an invitation as admin takes the scope of each permission, and the refusal names what is missing', async () => {
  const scopeOf = (permission: keyof typeof permissionScopes) => permissionScopes[permission] ?? '*'
  const needed = [...new Set(directoryRolePermissions.admin.map(scopeOf))]
  const place = { subOrgId: await tenant.organization(), role: 'admin' }
  const invite = async (held: string[]) =>
    (await tenant.withKey({ scopes: held })).post('/v1/users/invites', { ...place, email: newEmail() })
  expect((await invite(needed)).status).toBe(200)
  for (const missing of [
    ['scim_config.write', 'audit.read'],
    needed.filter((scope) => !/^(users|roles)/.test(scope)),
  ]) {
    const { status, body } = await invite(needed.filter((scope) => !missing.includes(scope)))
    expect([status, body.code]).toEqual([403, 'privilege_escalation'])
    const lacking = directoryRolePermissions.admin.filter((permission) => missing.includes(scopeOf(permission)))
    expect([...lacking, ...missing].filter((name) => !body.detail.includes(name))).toEqual([])
    expect(body.detail).not.toContain('users:write')
  }
})

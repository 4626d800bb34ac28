import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import { TEAM_ROLES } from './team-roles/team-roles.ts'

const app = await startApp()
const anonymous = app.as(null)
const verdict = (reply: Reply) => [reply.status, reply.body?.code]
const REFUSED = [403, 'privilege_escalation']
const path = '/v1/api-keys'

test.each(TEAM_ROLES)('introspection and /v1/me of a member with the role %s agree with the token', async (role) => {
  const tenant = await app.tenant()
  const { session, headers } = await joinedMember(app, tenant, role)
  const { access_token, refresh_token } = session
  const { role: said, roles, permissions } = decodeJwt(access_token)
  expect(said).toBe(role)
  for (const token of [access_token, refresh_token]) {
    const { body } = await tenant.post('/v1/auth/token/introspect', { subOrgId: 'team', token })
    expect(body).toMatchObject({ active: true, role, roles, permissions })
  }
  expect((await anonymous.get('/v1/me', headers)).body.user.role).toBe(role)
})

test('introspection shows the role of a member of one organization', async () => {
  const tenant = await app.tenant()
  await joinedMember(app, tenant, 'owner')
  const subOrgId = await tenant.organization()
  const { session } = await joinedMember(app, tenant, 'admin', { subOrgId })
  const introspect = async () => {
    const body = { subOrgId: 'team', token: session.access_token }
    return (await tenant.post('/v1/auth/token/introspect', body)).body
  }
  expect(await introspect()).toMatchObject({
    active: true,
    role: 'admin',
    permissions: decodeJwt(session.access_token)['permissions'],
  })
})

test('an owner creates and rotates a key that signs the team in; an administrator does not', async () => {
  const tenant = await app.tenant()
  const owner = await joinedMember(app, tenant, 'owner')
  const admin = await joinedMember(app, tenant, 'admin')
  const made = await anonymous.post(path, { name: 'Root', scopes: ['*'] }, owner.headers)
  expect(made.status, made.text).toBe(200)
  const rotated = await anonymous.post(`${path}/${made.body.apiKey.id}/rotate`, {}, owner.headers)
  expect(rotated.status, rotated.text).toBe(200)
  const body = { subOrgId: 'team', email: owner.email, password: PASSWORD }
  expect((await app.as(rotated.body.key).post('/v1/auth/login/password', body)).status).toBe(200)
  for (const refused of [
    await anonymous.post(path, { name: 'Root', scopes: ['*'] }, admin.headers),
    await anonymous.post(path, { name: 'Root', scopes: ['users.read', 'sub_orgs.*'] }, admin.headers),
    await anonymous.post(`${path}/${made.body.apiKey.id}/rotate`, {}, admin.headers),
  ])
    expect(verdict(refused)).toEqual(REFUSED)
})

test.each([
  ['owner', ['*'], true],
  ['owner', ['members.*', 'users.*'], true],
  ['admin', ['members.*', 'users.*'], true],
  ['admin', ['sub_orgs.*'], false],
  ['admin', ['*'], false],
  ['developer', ['webhooks.*', 'environments.*'], true],
  ['developer', ['users.*'], false],
  ['developer', ['otp.settings.*'], false],
  ['developer', ['*'], false],
] as const)('the role %s passes on the wildcards %j: %s', async (role, scopes, passes) => {
  const tenant = await app.tenant()
  const { headers } = await joinedMember(app, tenant, role)
  const reply = await anonymous.post(path, { name: 'K', scopes: [...scopes] }, headers)
  expect(verdict(reply), reply.text).toEqual(passes ? [200, undefined] : REFUSED)
})

test('a wildcard of a key is passed on by the same wildcard only', async () => {
  const tenant = await app.tenant()
  const listed = await tenant.withKey({ scopes: ['api_keys.manage', 'webhooks.read', 'webhooks.manage'] })
  expect(verdict(await listed.post(path, { name: 'K', scopes: ['webhooks.*'] }))).toEqual(REFUSED)
})

test.each([
  ['owner', 200],
  ['admin', 403],
  ['developer', 403],
] as const)('a member with the role %s changes, rotates and revokes a key with *: %i', async (role, status) => {
  const tenant = await app.tenant()
  const { headers } = await joinedMember(app, tenant, role)
  const { key, apiKey } = (await tenant.post(path, { name: 'Root', scopes: ['*'] })).body
  const at = `${path}/${apiKey.id}`
  const replies = [
    await anonymous.patch(at, { name: 'Other' }, headers),
    await anonymous.post(`${at}/rotate`, { overlap_seconds: 60 }, headers),
    await anonymous.patch(at, { scopes: ['webhooks.read'] }, headers),
  ]
  expect(replies.map((reply) => reply.status)).toEqual([status, status, status])
  const root = (await tenant.post(path, { name: 'Root', scopes: ['*'] })).body.apiKey
  const revoked = await anonymous.delete(`${path}/${root.id}`, headers)
  expect(revoked.status).toBe(status)
  const shown = (await tenant.get(`${path}/${root.id}`)).body.apiKey
  expect(shown.revokedAt === null).toBe(status === 403)
  if (status === 200) return
  expect(revoked.body.detail).toContain('An owner')
  expect((await tenant.get(at)).body.apiKey).toEqual({ ...apiKey, lastUsedAt: null })
  expect((await app.as(key).get('/v1/environments')).status).toBe(200)
  // A member may manage keys whose scopes their role covers.
  const own = (await tenant.post(path, { name: 'Hooks', scopes: ['webhooks.read'] })).body.apiKey
  expect((await anonymous.patch(`${path}/${own.id}`, { name: 'Other' }, headers)).status).toBe(200)
  expect((await anonymous.delete(`${path}/${own.id}`, headers)).status).toBe(200)
})

test('a key changes and revokes no key that can do more, and a key with * and bounds revokes any', async () => {
  const tenant = await app.tenant()
  const manager = await tenant.withKey({ scopes: ['api_keys.manage', 'users.read'] })
  const stronger = (await tenant.post(path, { name: 'K', scopes: ['users.*'] })).body.apiKey
  const at = `${path}/${stronger.id}`
  expect(verdict(await manager.patch(at, { name: 'Other' }))).toEqual(REFUSED)
  expect(verdict(await manager.patch(at, { scopes: ['users.read'] }))).toEqual(REFUSED)
  expect(verdict(await manager.delete(at))).toEqual(REFUSED)
  expect((await tenant.get(at)).body.apiKey).toEqual(stronger)
  expect(await app.events({ accountId: tenant.accountId, type: 'api_key.revoked' })).toEqual([])
  const bounded = (await tenant.post(path, { name: 'Bounded', scopes: ['*'], requestsPerSecond: 9 })).body
  const root = (await tenant.post(path, { name: 'Root', scopes: ['*'] })).body.apiKey
  expect((await app.as(bounded.key).delete(`${path}/${root.id}`)).status).toBe(200)
  expect((await app.as(bounded.key).delete(at)).status).toBe(200)
})

test('the name of the right of owners is refused in a custom role', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const permissions = ['invoice:approve', 'members:owner']
  const reply = await tenant.post('/v1/rbac/roles', { subOrgId, slug: 'editor', name: 'Editor', permissions })
  expect([...verdict(reply), reply.body.errors?.[0]?.field]).toEqual([400, 'invalid_request', 'permissions'])
  const made = await tenant.post('/v1/rbac/roles', {
    subOrgId,
    slug: 'editor',
    name: 'Editor',
    permissions: ['invoice:approve'],
  })
  expect(made.status, made.text).toBe(200)
  const patched = await tenant.patch(`/v1/rbac/roles/${made.body.role.id}`, { subOrgId, permissions })
  expect(verdict(patched)).toEqual([400, 'invalid_request'])
  const admin = await joinedMember(app, tenant, 'admin')
  const policy = { subOrgId: 'team', require_mfa: false }
  const refused = await anonymous.patch('/v1/mfa/policy', policy, admin.headers)
  expect([refused.status, refused.body.detail]).toEqual([403, 'Only an owner may do this.'])
})

test('a refusal names what is missing', async () => {
  const tenant = await app.tenant()
  const { headers } = await joinedMember(app, tenant, 'owner')
  const inviter = await tenant.withKey({ scopes: ['members.read', 'members.write'] })
  const invite = async (role: string) =>
    (await inviter.post('/v1/members/invites', { email: 'new@acme.example', role })).body.detail
  expect(await invite('member')).toContain(' Needs users.read, sub_orgs.read.')
  expect(await invite('admin')).toContain(' Needs *.')
  const dated = await tenant.post(path, { name: 'K', scopes: ['users.read'], expiresAt: '2030-01-01' })
  expect(dated.body.errors[0].message).toBe('expiresAt must match format "date-time", such as 2030-01-31T12:00:00Z')
  const team = await anonymous.get('/v1/users?subOrgId=team', headers)
  expect([team.status, team.body.detail]).toEqual([
    404,
    'This route does not accept `team` as subOrgId. Team members manage their own user at /v1/me.',
  ])
})

test('a key outlives the member who created it; its creator is listed, and revoking it ends it', async () => {
  const tenant = await app.tenant()
  await joinedMember(app, tenant, 'owner')
  const { membershipId, headers } = await joinedMember(app, tenant, 'developer')
  const made = (await anonymous.post(path, { name: 'Deploys', scopes: ['webhooks.read'] }, headers)).body
  const rotated = (await anonymous.post(`${path}/${made.apiKey.id}/rotate`, {}, headers)).body
  expect((await tenant.delete(`/v1/members/${membershipId}`)).status).toBe(200)
  expect((await anonymous.get(path, headers)).status).toBe(401)
  const key = app.as(rotated.key)
  expect((await key.get('/v1/webhooks')).status).toBe(200)
  const [removal] = await app.events({ accountId: tenant.accountId, type: 'member.removed' })
  const createdBy = `user:${Object(removal?.data).directoryUserId}`
  const { apiKeys } = (await tenant.get(path)).body
  const found = apiKeys.filter((each: { createdBy: string }) => each.createdBy === createdBy)
  expect(found).toMatchObject([{ id: made.apiKey.id, revokedAt: null }])
  expect((await tenant.delete(`${path}/${made.apiKey.id}`)).status).toBe(200)
  expect((await key.get('/v1/webhooks')).status).toBe(401)
})

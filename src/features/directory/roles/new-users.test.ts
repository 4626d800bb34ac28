import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Caller, type Reply, startApp } from '../../../../test/harness.ts'
import { codeOf, succeeded } from '../../../../test/people/factors.ts'
import { newEmail, newPendingUser, newUser, usersAt } from '../../../../test/people/people.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { answered } from '../../../../test/people/scim-answers.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { scopes } from '../../../contract/contract.ts'

const app = await startApp()
const tenant = await app.tenant()

let seen = 0
/** The events since the previous call. */
async function recorded() {
  const all = await app.events({ accountId: tenant.accountId })
  const fresh = all.slice(seen)
  seen = all.length
  return fresh
}

const code = ({ status, body }: Reply) => [status, body.code]
const makeRole = async (subOrgId: string, permissions: string[] = ['invoice:approve']): Promise<string> =>
  succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name: `Role ${fresh()}`, permissions })).role.id
const rolesOf = async (id: string) => succeeded(await tenant.get(`/v1/rbac/users/${id}/roles`))

/** An organization with two roles, sorted by their ids. */
async function organization() {
  const subOrgId = await tenant.organization()
  const roleIds = [await makeRole(subOrgId), await makeRole(subOrgId)].toSorted()
  await recorded()
  return { subOrgId, roleIds }
}

// Must be the first test, while the clock has not been moved: authenticator apps use the real time.
test('who signed up for an address that nothing has proved gets no roles by an invitation of its owner', async () => {
  const { subOrgId, roleIds } = await organization()
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 }))
  const email = newEmail()
  const held = succeeded(await tenant.post('/v1/auth/signup', { subOrgId, email, openSignup: true }))
  expect(held).toMatchObject({ session: null, enrollment_required: true })
  const { directory_user_id: id, challenge_token } = held
  const invited = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, role: 'admin' }))
  expect([invited.roles_applied, invited.user.role]).toEqual([false, 'member'])
  const again = succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId, roleIds }))
  expect(again.roles_applied).toBe(false)
  const page = await tenant.withKey({ scopes: ['auth.login'] })
  const begun = succeeded(await page.post('/v1/mfa/totp', { subOrgId, userId: id, challenge_token }))
  const sent = { subOrgId, userId: id, challenge_token, pendingId: begun.pendingId, code: codeOf(begun.secret) }
  const { session } = succeeded(await page.put('/v1/mfa/totp', sent))
  expect(decodeJwt(session.access_token)).toMatchObject({ role: 'member', email_verified: false })
  expect(await rolesOf(id)).toMatchObject({ role: 'member', roleIds: [] })
})

/** Every route that creates a user with roles. Each returns the created user. */
const CREATING: Record<string, (caller: Caller, body: { email: string }) => Promise<Reply>> = {
  'POST /v1/users': (caller, body) => caller.post('/v1/users', body),
  'PUT /v1/users': async (caller, { email, ...rest }) => {
    const { subOrgId, ...fields } = Object(rest)
    const reply = await caller.put('/v1/users', { ...(subOrgId ? { subOrgId } : {}), users: [{ email, ...fields }] })
    return { ...reply, body: { user: reply.body.created?.[0], failed: reply.body.failed?.[0], code: reply.body.code } }
  },
  'POST /v1/users/invites': (caller, body) => caller.post('/v1/users/invites', body),
}

test.each(Object.entries(CREATING))('%s gives the named roles, and records it', async (_, create) => {
  const { subOrgId, roleIds } = await organization()
  const named = { role: 'admin', roleIds: [...roleIds.toReversed(), roleIds[0]?.toUpperCase()] }
  const { body } = await create(tenant, { subOrgId, email: newEmail(), ...named } as { email: string })
  expect(body.user).toMatchObject({ role: 'admin', roleIds })
  const events = await recorded()
  const assigned = events.filter(({ type }) => type === 'role.assigned')
  expect(events.map(({ type }) => type).filter((type) => !type.startsWith('invite.'))).toEqual([
    'user.created',
    'role.assigned',
    'role.assigned',
  ])
  expect(events[0]).toMatchObject({ target_id: body.user.id, data: { role: 'admin', roleIds } })
  expect(assigned.map(({ target_id, data }) => [target_id, data])).toEqual(
    roleIds.map((id) => [id, expect.objectContaining({ directoryUserId: body.user.id, source: 'manual' })]),
  )
  expect(await rolesOf(body.user.id)).toMatchObject({
    role: 'admin',
    roleIds,
    assignments: [{ source: 'manual' }, { source: 'manual' }],
  })
  const removed = await tenant.put(`/v1/rbac/users/${body.user.id}/roles`, { subOrgId, roleIds: [], role: null })
  expect(removed.body).toMatchObject({ role: 'member', roleIds: [] })
})

test.each(Object.entries(CREATING))(
  '%s with other roles than the caller may give creates no user',
  async (_, create) => {
    const { subOrgId, roleIds } = await organization()
    const foreign = await makeRole(await tenant.organization())
    const wide = await makeRole(subOrgId, ['audit:read'])
    const without = (missing: string) =>
      tenant.withKey({ subOrgId, scopes: scopes.filter((scope) => scope !== missing) })
    const cases: [Caller, object, string][] = [
      [tenant, { roleIds: [roleIds[0], foreign] }, 'invalid_request'],
      [tenant, { roleIds: ['admin'] }, 'invalid_request'],
      [tenant, { role: 'owner' }, 'invalid_request'],
      [await without('roles.write'), { roleIds: [roleIds[0]] }, 'insufficient_scope'],
      [await without('roles.write'), { role: 'member' }, 'insufficient_scope'],
      [await without('audit.read'), { roleIds: [wide] }, 'privilege_escalation'],
      [await without('audit.read'), { role: 'admin' }, 'privilege_escalation'],
    ]
    await recorded()
    for (const [caller, named, expected] of cases) {
      const email = newEmail()
      const { status, body } = await create(caller, { subOrgId, email, ...named } as { email: string })
      const refusal = body.code ?? body.failed?.error
      const bulk: Record<string, string> = { invalid_request: `invalid_field:${'role' in named ? 'role' : 'roleIds'}` }
      expect(status === 200 ? refusal : body.code, JSON.stringify(named)).toBe(
        status === 200 ? (bulk[expected] ?? expected) : expected,
      )
      expect(await usersAt(tenant, subOrgId, email)).toEqual([])
    }
    expect(await recorded()).toEqual([])
    // A request that names no roles does not need the right to give roles.
    const { body } = await create(await without('roles.write'), { subOrgId, email: newEmail() } as { email: string })
    expect(body.user).toMatchObject({ role: 'member', roleIds: [] })
    const services = ['auth', 'password', 'otp']
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: services }))
    const off = await create(tenant, { subOrgId, email: newEmail(), role: 'admin' } as { email: string })
    expect(off.body.code ?? off.body.failed?.error).toBe('service_disabled')
  },
)

test('a row with roles that it may not get fails alone', async () => {
  const { subOrgId, roleIds } = await organization()
  const wide = await makeRole(subOrgId, ['audit:read'])
  await recorded()
  const caller = await tenant.withKey({ subOrgId, scopes: ['users.write', 'roles.write'] })
  const [a, b, c, d, e] = [newEmail(), newEmail(), newEmail(), newEmail(), newEmail()]
  const users = [
    { email: a, roleIds },
    { email: b, roleIds: [wide] },
    { email: c, role: 'admin' },
    { email: d, roleIds: [roleIds[0], 'nothing'] },
    { email: e },
    { email: a, roleIds: [wide] },
  ]
  const { body } = await caller.put('/v1/users', { users })
  expect(body.created).toMatchObject([
    { email: a, role: 'member', roleIds },
    { email: e, role: 'member', roleIds: [] },
  ])
  expect(body.failed).toEqual([
    { email: b, error: 'privilege_escalation' },
    { email: c, error: 'privilege_escalation' },
    { email: d, error: 'invalid_field:roleIds' },
  ])
  expect(body.skipped).toEqual([{ email: a, reason: 'duplicate_in_request' }])
  expect((await recorded()).map(({ type }) => type)).toEqual([
    ...['user.created', 'user.created'],
    ...['role.assigned', 'role.assigned'],
  ])
})

test('a repeated request gives no second user and no second role', async () => {
  const { subOrgId, roleIds } = await organization()
  const body = { subOrgId, email: newEmail(), roleIds, role: 'admin' }
  const headers = { 'idempotency-key': fresh() }
  const first = await tenant.post('/v1/users', body, headers)
  const before = await snapshot(app)
  const again = await tenant.post('/v1/users', body, headers)
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(await snapshot(app)).toEqual(before)
})

test('a new user in the place of a sign-up has the named roles alone', async () => {
  const { subOrgId, roleIds } = await organization()
  const pending = await newPendingUser(app.app.platform.db, tenant, { subOrgId })
  succeeded(await tenant.put(`/v1/rbac/users/${pending.id}/roles`, { subOrgId, roleIds: [roleIds[0]], role: 'admin' }))
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: pending.email, roleIds: [roleIds[1]] }))
  expect(user).toMatchObject({ role: 'member', roleIds: [roleIds[1]] })
  expect(await rolesOf(user.id)).toMatchObject({ role: 'member', roleIds: [roleIds[1]] })
})

test('a user who is still invited gets the roles of the newest invitation; absent fields are kept', async () => {
  const { subOrgId, roleIds } = await organization()
  const email = newEmail()
  const { user } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, role: 'admin', roleIds }))
  await recorded()
  const again = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, roleIds: [roleIds[1]] }))
  expect(again.user).toMatchObject({ id: user.id, role: 'admin', roleIds: [roleIds[1]], status: 'invited' })
  expect((await recorded()).map(({ type }) => type)).toEqual(['user.updated', 'role.unassigned', 'invite.resent'])
  await app.advance(61)
  succeeded(await tenant.post(`/v1/users/${user.id}/invite`, { subOrgId, role: 'member' }))
  expect(await rolesOf(user.id)).toMatchObject({ role: 'member', roleIds: [roleIds[1]] })
  // A caller with fewer rights may name roles that the user already has, but cannot add any.
  const narrow = await tenant.withKey({ subOrgId, scopes: ['users.write', 'roles.write'] })
  await app.advance(61)
  succeeded(await narrow.post(`/v1/users/${user.id}/invite`, { roleIds: [roleIds[1]] }))
  const before = await snapshot(app)
  const refused = await narrow.post(`/v1/users/${user.id}/invite`, { role: 'admin' })
  expect(code(refused)).toEqual([403, 'privilege_escalation'])
  expect(await snapshot(app)).toEqual(before)
})

test('a user who has signed in keeps their roles, whatever an invitation names', async () => {
  const { subOrgId, roleIds } = await organization()
  const email = newEmail()
  const { user } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, roleIds: [roleIds[0]] }))
  await signIn(app, tenant, subOrgId, email)
  await recorded()
  const body = { subOrgId, email, role: 'admin', roleIds: [] }
  expect(succeeded(await tenant.post('/v1/users/invites', body)).user).toMatchObject({
    role: 'member',
    roleIds: [roleIds[0]],
    status: 'active',
  })
  succeeded(await tenant.post(`/v1/users/${user.id}/invite`, { subOrgId, role: 'admin' }))
  expect(await rolesOf(user.id)).toMatchObject({ role: 'member', roleIds: [roleIds[0]] })
  expect((await recorded()).map(({ type }) => type).filter((type) => /^(role|user\.updated)/.test(type))).toEqual([])
})

test('a user who has never signed in gets the named roles, created by the API or invited and withdrawn', async () => {
  const { subOrgId } = await organization()
  const { email } = await newUser(tenant, { subOrgId })
  const first = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, role: 'admin' }))
  expect(first.user).toMatchObject({ role: 'admin', status: 'invited' })
  succeeded(await tenant.delete(`/v1/users/invites/${first.invite.id}?subOrgId=${subOrgId}`))
  await app.advance(61)
  const again = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, role: 'member' }))
  expect(again.user).toMatchObject({ role: 'member', status: 'invited' })
})

test('an invitation takes no role that groups give', async () => {
  const { subOrgId } = await organization()
  const connection = succeeded(
    await tenant.post('/v1/sso/connections', {
      subOrgId,
      name: 'Acme',
      protocol: 'oidc',
      oidc_issuer: 'https://login.acme.example',
      oidc_client_id: 'watchword',
      group_role_mapping: { Admins: 'admin' },
    }),
  ).connection.id
  const { call } = await provisioned(app, tenant, subOrgId)
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: connection }))
  const email = newEmail()
  const { id } = answered(await call('POST', '/Users', { userName: email, externalId: fresh() }), 201)
  answered(await call('POST', '/Groups', { displayName: 'Admins', members: [{ value: id }] }), 201)
  expect(await rolesOf(id)).toMatchObject({ role: 'admin' })
  succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId }))
  const before = await snapshot(app)
  expect(code(await tenant.post(`/v1/users/${id}/invite`, { subOrgId, role: 'member' }))).toEqual([409, 'role_managed'])
  expect(code(await tenant.post('/v1/users/invites', { subOrgId, email, role: 'member' }))).toEqual([
    409,
    'role_managed',
  ])
  expect(await snapshot(app)).toEqual(before)
  await app.advance(61)
  succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId, role: 'admin' }))
  expect(await rolesOf(id)).toMatchObject({ role: 'admin' })
})

test('a user who accepts has the roles of the invitation, in the first token too', async () => {
  const { subOrgId, roleIds } = await organization()
  const email = newEmail()
  succeeded(await tenant.post('/v1/users/invites', { subOrgId, email, role: 'admin', roleIds }))
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const body = { subOrgId, token, password: 'seven green bottles' }
  const { session } = succeeded(await tenant.post('/v1/auth/invite/accept', body))
  const shown = await tenant.post('/v1/auth/token/introspect', { token: session.access_token })
  expect(shown.body).toMatchObject({ active: true, role: 'admin' })
  expect(shown.body.permissions).toEqual(expect.arrayContaining(['invoice:approve', 'users:write']))
})

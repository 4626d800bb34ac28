import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { authDependents } from '../../src/contract/contract.ts'
import { serviceIds } from '../../src/features/tenancy/services/selection.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Reply, startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { signedInUser } from '../people/sign-in.ts'
import { nameOf, sampleOf, sendSample } from './samples.ts'
import { makeWorld, type World } from './world.ts'

// A service that is off in an organization is off for its records, whatever organization the key names.

const app = await startApp()
const tenant = await app.tenant()
const off = await makeWorld(app, tenant)
const on = await makeWorld(app, tenant)

const reading = routes
  .filter(({ auth, directory, service }) => auth === 'key' && directory === 'reach' && service !== null)
  .map((route) => [nameOf(route), route] as const)

/**
 * Routes that read no record of an organization, or that have tests of their own: below, in `discover.test.ts`,
 * `in-environment.test.ts` and `by-social.test.ts`.
 */
const OTHERS = [
  'POST /v1/auth/login/social/start',
  'POST /v1/auth/login/passkey/options',
  'POST /v1/auth/login/passkey/verify',
  'POST /v1/auth/login/sso/discover',
  'GET /v1/webhooks/event-types',
  'GET /v1/sessions/revocations',
  'GET /v1/rbac/permissions',
]

async function turn(by: Pick<Tenant, 'put'>, subOrgId: string, service: string, isOn: boolean) {
  const without = serviceIds.filter(
    (id) => isOn || (id !== service && !(service === 'auth' && authDependents.includes(id))),
  )
  succeeded(await by.put('/v1/organization-apps', { subOrgId, enabledAppIds: without }))
}

/** The ids of a world that an answer shows. */
const idsIn = ({ text }: Reply, { ids }: World) =>
  Object.values(ids)
    .filter((id) => text.includes(id))
    .sort()

test('the routes that read a whole environment and belong to a service', () => {
  expect(reading.map(([name]) => name).sort()).toEqual([
    'GET /v1/mfa/totp',
    'GET /v1/mfa/trusted-devices',
    'GET /v1/rbac/members/{membershipId}/roles',
    'GET /v1/rbac/permissions',
    'GET /v1/rbac/roles',
    'GET /v1/rbac/roles/{roleId}',
    'GET /v1/rbac/users/{userId}/roles',
    'GET /v1/sessions',
    'GET /v1/sessions/revocations',
    'GET /v1/sessions/{sessionId}',
    'GET /v1/sso/connections',
    'GET /v1/sso/connections/{connectionId}',
    'GET /v1/sso/connections/{connectionId}/traces',
    'GET /v1/webauthn/credentials',
    'GET /v1/webhooks',
    'GET /v1/webhooks/event-types',
    'GET /v1/webhooks/{webhookId}',
    'POST /v1/auth/login/passkey/options',
    'POST /v1/auth/login/passkey/verify',
    'POST /v1/auth/login/social/start',
    'POST /v1/auth/login/sso/discover',
  ])
})

const withRecords = reading.filter(([name]) => !OTHERS.includes(name))

test.each(withRecords)(
  '%s: leaves out or refuses the records of an organization where its service is off',
  async (_, route) => {
    const service = String(route.service)
    const [before, others] = [await ask(route, off), await ask(route, on)]
    await turn(tenant, off.ids.organization, service, false)
    const [after, theirs] = [await ask(route, off), await ask(route, on)]
    await turn(tenant, off.ids.organization, service, true)
    if (isOne(route)) {
      expect([after.status, after.body.code, after.body.service]).toEqual([403, 'service_disabled', service])
      expect([theirs.status, theirs.text]).toEqual([200, others.text])
    } else {
      for (const world of [off, on]) expect(idsIn(before, world), before.text).not.toEqual([])
      expect([after.status, idsIn(after, off)]).toEqual([200, []])
      expect(idsIn(after, on)).toEqual(idsIn(before, on))
    }
    expect((await ask(route, off)).status).toBe(200)
  },
)

/** Whether a route reads a record that the request names, instead of a list. */
const isOne = (route: Route) => route.path.includes('{') || (route.query.required ?? []).length > 0

const ask = (route: Route, world: World) => sendSample(tenant, route, isOne(route) ? sampleOf(route, world) : {})

test('permissions of roles and ended sessions are left out as well', async () => {
  const [quiet, loud] = [await tenant.organization(), await tenant.organization()]
  for (const [subOrgId, permission] of [
    [quiet, 'invoices:approve'],
    [loud, 'reports:read'],
  ])
    succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name: 'Editor', permissions: [permission] }))
  const permissions = async () => {
    const listed = succeeded(await tenant.get('/v1/rbac/permissions')).permissions.map(({ id }: { id: string }) => id)
    return ['invoices:approve', 'reports:read'].filter((id) => listed.includes(id))
  }
  const { next_cursor: after } = succeeded(await tenant.get('/v1/sessions/revocations'))
  const ended = await Promise.all([quiet, loud].map((subOrgId) => endedSession(subOrgId)))
  const revocations = async () => {
    const { revocations: found } = succeeded(await tenant.get(`/v1/sessions/revocations?after=${after}`))
    return found.map(({ session_id }: { session_id: string }) => session_id).sort()
  }
  await expect.poll(revocations).toEqual([...ended].sort())
  expect(await permissions()).toEqual(['invoices:approve', 'reports:read'])
  await turn(tenant, quiet, 'rbac', false)
  expect(await permissions()).toEqual(['reports:read'])
  await turn(tenant, quiet, 'sessions', false)
  expect(await revocations()).toEqual(ended.slice(1))
})

async function endedSession(subOrgId: string): Promise<string> {
  const { userId, session } = await signedInUser(app, tenant, subOrgId, newEmail())
  const id = String(decodeJwt(session.access_token)['sid'])
  succeeded(await tenant.delete(`/v1/users/${userId}/sessions?subOrgId=${subOrgId}`))
  return id
}

test('a permission check denies where rbac is off, however the request names the organization', async () => {
  const subOrgId = await tenant.organization()
  const scoped = await tenant.withKey({ subOrgId })
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
  const { role } = succeeded(
    await tenant.post('/v1/rbac/roles', { subOrgId, name: 'Editor', permissions: ['reports:read'] }),
  )
  succeeded(await tenant.put(`/v1/rbac/users/${user.id}/roles`, { subOrgId, roleIds: [role.id] }))
  const body = { userId: user.id, permission: 'reports:read' }
  const checks = async () => [
    succeeded(await tenant.post('/v1/rbac/check', body)),
    succeeded(await tenant.post('/v1/rbac/check', { ...body, subOrgId })),
    succeeded(await scoped.post('/v1/rbac/check', body)),
  ]
  expect(await checks()).toEqual(Array(3).fill({ allowed: true, reason: `role:${role.slug}` }))
  await turn(tenant, subOrgId, 'rbac', false)
  expect(await checks()).toEqual(Array(3).fill({ allowed: false, reason: 'service_disabled' }))
  await turn(tenant, subOrgId, 'rbac', true)
  expect((await checks()).map(({ allowed }) => allowed)).toEqual([true, true, true])
})

test('a service that is off at the account level is off in organizations without a configuration', async () => {
  const own = await app.tenant()
  const [inherits, differs] = [await own.organization(), await own.organization()]
  for (const subOrgId of [inherits, differs])
    succeeded(await own.post('/v1/rbac/roles', { subOrgId, name: 'Editor', permissions: ['reports:read'] }))
  const roles = async () => {
    const { customRoles } = succeeded(await own.get('/v1/rbac/roles'))
    return customRoles.map(({ subOrgId }: { subOrgId: string }) => subOrgId)
  }
  const [first] = succeeded(await own.get('/v1/rbac/roles')).customRoles
  expect(await roles()).toEqual([inherits, differs])
  const enabledAppIds = serviceIds.filter((id) => id !== 'rbac')
  succeeded(await own.put('/v1/organization-apps', { subOrgId: differs, enabledAppIds: serviceIds }))
  succeeded(await own.put('/v1/organization-apps/defaults', { enabledAppIds }))
  expect(await roles()).toEqual([differs])
  expect((await own.get(`/v1/rbac/roles/${first.id}`)).body.code).toBe('service_disabled')
  const other = await app.tenant()
  succeeded(
    await other.post('/v1/rbac/roles', { subOrgId: await other.organization(), name: 'A', permissions: ['a:b'] }),
  )
  expect(succeeded(await other.get('/v1/rbac/roles')).customRoles).toHaveLength(1)
})

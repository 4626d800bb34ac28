import { beforeAll, describe, expect, test } from 'vitest'
import { type Reply, startApp, type Tenant } from '../../../../test/harness.ts'
import { plantMember } from '../../../../test/people/members.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { nameOf, orgWideOnly, sampleOf, sendSample } from '../../../../test/walkers/samples.ts'
import { makeWorld } from '../../../../test/walkers/world.ts'
import { scopes } from '../../../contract/contract.ts'
import { isAnyCaller } from '../../../platform/tenancy/authorize.ts'
import { routes } from '../../../wiring/routes.ts'
import { TEAM_ROLES } from './team-roles/team-roles.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const world = await makeWorld(app, tenant)
const nobody = app.as(null)
const verdict = (reply: Reply) => [reply.status, reply.body?.code]

/** Written by hand, as the guide has it: the scopes that each role may use. */
const SCOPES: Record<string, (scope: string) => boolean> = {
  owner: () => true,
  admin: () => true,
  developer: (scope) =>
    /^(api_keys|webhooks|environments|events|audit)\./.test(scope) || /^(auth|otp)\.settings\.read$/.test(scope),
  member: (scope) => /^(users|members|sub_orgs)\.read$/.test(scope),
}
const keyed = routes.filter((route) => route.auth === 'key')

/**
 * Changes by one role would be visible to the tests of the others. So each role calls every route that it may not
 * use, but calls the other routes only in ways that change nothing.
 */
describe.each(TEAM_ROLES)('the token of a member with the role %s', async (role) => {
  const { headers } = await joinedMember(app, tenant, role)
  const onRoster = await joinedMember(app, tenant, role, { subOrgId: world.ids.organization })
  const may = SCOPES[role] ?? (() => false)
  let before: Record<string, string> = {}
  beforeAll(async () => {
    before = await snapshot(app)
  })

  test.each(keyed.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const isForAll = route.scope === 'any key or member'
    const scope = route.scope === null || isAnyCaller(route.scope) ? 'auth.login' : route.scope
    const sample = sampleOf(route, world)
    const isOfAll = route.method === 'GET' && orgWideOnly.includes(nameOf(route))
    const query = { ...sample.query, ...(isOfAll ? {} : { subOrgId: world.ids.organization }) }
    if (isForAll || may(scope)) {
      // Invalid JSON is only reported to callers who passed authorization, so it shows that they did.
      const bad = route.body ? { text: '{' } : {}
      // The export of a user is left out, too: it has no body, records an event and needs a second scope.
      if (route.method === 'DELETE' || route.operation === 'users.export') return
      const reply = await sendSample(nobody, route, { ...sample, query }, { headers, ...bad })
      expect(verdict(reply), reply.text).toEqual(route.body ? [400, 'invalid_json'] : [200, undefined])
      return
    }
    const reply = await sendSample(nobody, route, { ...sample, query }, { headers })
    expect([...verdict(reply), reply.body.scope]).toEqual([403, 'insufficient_scope', scope])
    expect(reply.headers.get('www-authenticate')).toContain(`scope="${scope}"`)
  })

  test('learns what it may do', async () => {
    const reply = await nobody.get('/v1/api-keys/current', headers)
    const { kind, scopes: held } = reply.body
    expect([reply.status, kind, [...held].toSorted()]).toEqual([200, 'member', scopes.filter(may).toSorted()])
    const there = await nobody.get('/v1/api-keys/current', onRoster.headers)
    const shown = { subOrgId: there.body.subOrgId, scopes: [...there.body.scopes].toSorted() }
    expect(shown).toEqual({ subOrgId: world.ids.organization, scopes: scopes.filter(may).toSorted() })
  })

  test('what was refused changed nothing', async () => expect(await snapshot(app)).toEqual(before))
})

async function teamOf(tenant: Tenant) {
  const owner = await joinedMember(app, tenant, 'owner')
  const admin = await joinedMember(app, tenant, 'admin')
  return { owner, admin }
}

test('an administrator does all but unmake and make owners, and archive', async () => {
  const tenant = await app.tenant()
  const { owner, admin } = await teamOf(tenant)
  const other = await plantMember(app, { accountId: tenant.accountId, role: 'developer' })
  const subOrgId = await tenant.organization()
  const as = admin.headers
  for (const reply of [
    await nobody.patch(`/v1/members/${other}`, { newRole: 'owner' }, as),
    await nobody.patch(`/v1/members/${admin.membershipId}`, { newRole: 'owner' }, as),
    await nobody.delete(`/v1/members/${owner.membershipId}`, as),
    await nobody.patch(`/v1/members/${owner.membershipId}`, { newRole: 'admin' }, as),
    await nobody.post('/v1/members/invites', { email: newEmail(), role: 'owner' }, as),
    await nobody.put(`/v1/organizations/${subOrgId}/members`, { members: [{ membershipId: owner.membershipId }] }, as),
  ])
    expect(verdict(reply)).toEqual([403, 'privilege_escalation'])
  for (const reply of [
    await nobody.delete(`/v1/organizations/${subOrgId}`, as),
    await nobody.patch(`/v1/organizations/${subOrgId}`, { status: 'archived' }, as),
  ])
    expect(verdict(reply)).toEqual([403, 'insufficient_scope'])
  expect((await nobody.patch(`/v1/organizations/${subOrgId}`, { name: 'Other' }, as)).status).toBe(200)
  expect((await nobody.patch(`/v1/members/${other}`, { newRole: 'admin' }, as)).status).toBe(200)
  expect((await nobody.delete(`/v1/members/${other}`, as)).status).toBe(200)
  expect((await nobody.delete(`/v1/organizations/${subOrgId}`, owner.headers)).status).toBe(200)
})

test('a role that changes and a session that ends take effect at once, on every process', async () => {
  const tenant = await app.tenant()
  const { admin } = await teamOf(tenant)
  const developer = await joinedMember(app, tenant, 'developer')
  const ask = (path: string, who = admin) => second.as(null).get(path, who.headers)
  expect((await ask('/v1/api-keys', developer)).status).toBe(200)
  expect(verdict(await ask('/v1/users', developer))).toEqual([403, 'insufficient_scope'])
  await tenant.patch(`/v1/members/${developer.membershipId}`, { newRole: 'admin' })
  expect((await ask('/v1/users', developer)).status).toBe(200)
  expect((await ask('/v1/users')).status).toBe(200)
  await tenant.patch(`/v1/members/${admin.membershipId}`, { newRole: 'member' })
  expect(verdict(await ask('/v1/users'))).toEqual([401, 'api_key_invalid'])
  expect((await tenant.delete(`/v1/members/${developer.membershipId}`)).status).toBe(200)
  expect(verdict(await ask('/v1/users', developer))).toEqual([401, 'api_key_invalid'])
})

test('a member reaches their own account, production, and of one organization that alone', async () => {
  const mine = await app.tenant()
  const { owner } = await teamOf(mine)
  const subOrgId = await mine.organization()
  const theirs = await tenant.organization()
  const reply = await nobody.get(`/v1/users?subOrgId=${theirs}`, owner.headers)
  expect(verdict(reply)).toEqual([404, 'organization_not_found'])
  const own = await joinedMember(app, mine, 'admin', { subOrgId })
  const other = await mine.organization()
  expect((await nobody.get('/v1/organizations', own.headers)).body.subOrganizations).toMatchObject([{ id: subOrgId }])
  expect(verdict(await nobody.get(`/v1/users?subOrgId=${other}`, own.headers))).toEqual([403, 'sub_org_mismatch'])
  // A person on several rosters acts by their role in the named organization.
  await mine.post('/v1/members/invites', { email: own.email, role: 'member', subOrgId: other })
  expect((await nobody.get(`/v1/users?subOrgId=${other}`, own.headers)).status).toBe(200)
  expect(verdict(await nobody.get(`/v1/api-keys?subOrgId=${other}`, own.headers))).toEqual([403, 'insufficient_scope'])
  expect((await nobody.get(`/v1/api-keys?subOrgId=${subOrgId}`, own.headers)).status).toBe(200)
})

test('on a roster a member of the account may do more, for that organization alone', async () => {
  const mine = await app.tenant()
  const { owner } = await teamOf(mine)
  const member = await joinedMember(app, mine, 'member')
  const [subOrgId, other] = [await mine.organization(), await mine.organization()]
  const members = [{ membershipId: owner.membershipId }, { membershipId: member.membershipId, role: 'admin' }]
  expect((await mine.put(`/v1/organizations/${subOrgId}/members`, { members })).status).toBe(200)
  const write = (query: string, body: object = {}) =>
    nobody.post(`/v1/users${query}`, { email: newEmail(), ...body }, member.headers)
  expect((await write(`?subOrgId=${subOrgId}`)).status).toBe(200)
  expect(verdict(await write(`?subOrgId=${other}`))).toEqual([403, 'insufficient_scope'])
  expect(verdict(await write('', { subOrgId }))).toEqual([403, 'insufficient_scope'])
  const organization = { name: 'Another', slug: 'another' }
  const made = await nobody.post(`/v1/organizations?subOrgId=${subOrgId}`, organization, member.headers)
  expect(verdict(made)).toEqual([403, 'sub_org_mismatch'])
})

test('writes with a member’s token are theirs: in events, in keys, repeated once', async () => {
  const mine = await app.tenant()
  const { owner } = await teamOf(mine)
  const once = { ...owner.headers, 'idempotency-key': 'a' }
  const body = { name: 'CI', scopes: ['users.read'] }
  const [first, again] = [await nobody.post('/v1/api-keys', body, once), await nobody.post('/v1/api-keys', body, once)]
  expect([first.status, again.text]).toEqual([200, first.text])
  const { directoryUserId } = (await mine.get('/v1/members')).body.members[0]
  expect(first.body.apiKey.createdBy).toBe(`user:${directoryUserId}`)
  expect(await app.events({ accountId: mine.accountId, type: 'api_key.created' })).toMatchObject([
    { actor_type: 'user', actor_id: directoryUserId },
  ])
  const developer = await joinedMember(app, mine, 'developer')
  const more = await nobody.post('/v1/api-keys', { name: 'x', scopes: ['users.read'] }, developer.headers)
  expect(verdict(more)).toEqual([403, 'privilege_escalation'])
})

test('the token of an end user, or both a key and a token, manage nothing', async () => {
  const subOrgId = await tenant.organization()
  const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
  const user = { authorization: `Bearer ${session.access_token}` }
  expect(verdict(await nobody.get('/v1/users', user))).toEqual([401, 'api_key_invalid'])
  const { headers } = await joinedMember(app, tenant, 'owner')
  expect(verdict(await app.as(tenant.key).get('/v1/users', headers))).toEqual([400, 'api_key_conflict'])
})

test('no key of an administrator, made or given a new secret, does what their role may not', async () => {
  const tenant = await app.tenant()
  const { owner, admin } = await teamOf(tenant)
  const make = (scopes: string[], { headers }: typeof owner) =>
    nobody.post('/v1/api-keys', { name: 'x', scopes }, headers)
  for (const wide of [[...scopes], ['sub_orgs.write']]) {
    const { body } = await make(wide, owner)
    expect(verdict(await make(wide, admin))).toEqual([403, 'privilege_escalation'])
    const rotated = await nobody.post(`/v1/api-keys/${body.apiKey.id}/rotate`, {}, admin.headers)
    expect(verdict(rotated)).toEqual([403, 'privilege_escalation'])
  }
  expect((await make(['users.write', 'members.write', 'roles.write'], admin)).status).toBe(200)
})

import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { scopes } from '../../src/contract/contract.ts'
import { fresh, freshEmail } from '../fresh.ts'
import { type Caller, type Reply, startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { provisioned } from '../people/scim.ts'
import { mailedCode, signedInUser } from '../people/sign-in.ts'
import { joinedMember } from '../people/team.ts'
import { runCommand, settingsOf } from '../process/cli.ts'
import { startSecondApp } from '../second-app.ts'

// In which environments an organization exists, and in which one a member works.

const app = await startApp()
const second = await startSecondApp(app)
const nobody = app.as(null)
const verdict = (reply: Reply) => [reply.status, reply.body?.code ?? null]
const HEADER = 'x-watchword-environment'

const createOrganization = async (caller: Pick<Caller, 'post'>, more: object = {}) =>
  succeeded(await caller.post('/v1/organizations', { name: 'Acme', slug: `o-${fresh()}`, ...more })).subOrganization

/** An account with an organization of production and one of staging. */
async function makeAccount() {
  const tenant = await app.tenant()
  const staging = await tenant.withKey({ environment: 'staging' })
  const [shared, own] = [await createOrganization(tenant), await createOrganization(staging)]
  const { environments } = succeeded(await tenant.get('/v1/environments'))
  const idOf = (type: string): string => environments.find((each: { type: string }) => each.type === type).id
  return { tenant, staging, shared, own, production: idOf('production'), stagingId: idOf('staging') }
}

const slugsOf = (reply: Reply): string[] => succeeded(reply).subOrganizations.map(({ slug }: { slug: string }) => slug)

/** The events of an environment, of some types. */
async function eventsOf({ accountId }: Tenant, environment: 'production' | 'staging', types: string[]) {
  return app.app.platform.db
    .selectFrom('events')
    .innerJoin('directories', 'directories.id', 'events.directory_id')
    .innerJoin('environments', 'environments.id', 'directories.environment_id')
    .select(['events.type', 'actor_type', 'actor_id', 'target_id', 'directories.organization_id', 'data'])
    .where('directories.account_id', '=', accountId)
    .where('directories.kind', '<>', 'console')
    .where('environments.slug', '=', environment)
    .where('events.type', 'in', types)
    .orderBy('events.id')
    .execute()
}

test('an organization belongs to the environment of the key that creates it', async () => {
  const { tenant, staging, shared, own } = await makeAccount()
  expect([shared.environment, own.environment]).toEqual(['production', 'staging'])
  const child = await createOrganization(staging, { subOrgId: shared.id })
  expect(child).toMatchObject({ environment: 'staging', parentId: shared.id })
  expect(slugsOf(await tenant.get('/v1/organizations?include_total=true'))).toEqual([shared.slug])
  expect(slugsOf(await staging.get('/v1/organizations'))).toEqual([shared.slug, own.slug, child.slug])
  expect((await tenant.get('/v1/organizations?include_total=true')).body.total).toBe(1)
  expect((await staging.get('/v1/organizations?include_total=true')).body.total).toBe(3)
  const created = async (environment: 'production' | 'staging') =>
    (await eventsOf(tenant, environment, ['organization.created'])).map(({ target_id }) => target_id)
  expect(await created('production')).toEqual([shared.id])
  expect(await created('staging')).toEqual([own.id, child.id])
})

test('an organization of staging does not exist in production', async () => {
  const { tenant, own, staging } = await makeAccount()
  const at = `/v1/organizations/${own.id}`
  const body = { subOrgId: own.id }
  const user = await newUser(tenant)
  succeeded(await staging.post('/v1/members/invites', { email: newEmail(), role: 'member', ...body }))
  succeeded(await staging.post('/v1/environments', { name: 'QA', slug: 'qa', ...body }))
  const missing = [404, 'organization_not_found']
  for (const reply of [
    await tenant.get(at),
    await tenant.patch(at, { name: 'Mine' }),
    await tenant.delete(at),
    await tenant.get(`${at}/members`),
    await tenant.put(`${at}/members`, { members: [] }),
    await tenant.get(`/v1/members?subOrgId=${own.id}`),
    await tenant.get(`/v1/users?subOrgId=${own.id}`),
    await tenant.post('/v1/users', { email: newEmail(), ...body }),
    await tenant.post('/v1/organizations', { name: 'Child', slug: fresh(), ...body }),
    await tenant.post('/v1/environments', { name: 'QA', slug: 'qb', ...body }),
    await tenant.post('/v1/api-keys', { name: 'Key', scopes: ['*'], ...body }),
    await tenant.get(`/v1/scim/config?subOrgId=${own.id}`),
    await tenant.post('/v1/admin-portal', { action: 'add_domain', domain: `${fresh()}.example`, ...body }),
    await tenant.post(`/v1/users/${user.id}`, { subOrgId: user.subOrgId, targetSubOrgId: own.id }),
  ])
    expect(verdict(reply)).toEqual(missing)
  for (const list of [`slug=${own.slug}`, 'status=active'])
    expect(slugsOf(await tenant.get(`/v1/organizations?${list}`))).not.toContain(own.slug)
  const totals = ['members', 'members/invites', 'environments'].map(
    async (noun) => (await tenant.get(`/v1/${noun}?include_total=true`)).body.total,
  )
  expect(await Promise.all(totals)).toEqual([0, 0, 2])
})

test('a membership of an organization of staging has no roles to read in production', async () => {
  const { tenant, staging, shared, own } = await makeAccount()
  const [there, here] = [
    await joinedMember(app, tenant, 'member', { subOrgId: own.id, by: staging }),
    await joinedMember(app, tenant, 'member', { subOrgId: shared.id }),
  ]
  const account = await joinedMember(app, tenant, 'member')
  const read = async (by: Pick<Caller, 'get'>, { membershipId }: { membershipId: string }) =>
    verdict(await by.get(`/v1/rbac/members/${membershipId}/roles`))
  const missing = [404, 'role_member_not_found']
  expect(await read(tenant, there)).toEqual(missing)
  expect(await read(tenant, { membershipId: crypto.randomUUID() })).toEqual(missing)
  for (const [by, member] of [
    [staging, there],
    [tenant, here],
    [staging, here],
    [tenant, account],
    [staging, account],
  ] as const)
    expect(await read(by, member)).toEqual([200, null])
  // A member of the account keeps their own id on a roster.
  const put = { members: [{ membershipId: account.membershipId, role: 'owner' }] }
  succeeded(await staging.put(`/v1/organizations/${own.id}/members`, put))
  expect(await read(tenant, account)).toEqual([200, null])
})

test('an organization of staging is used there as any other, by SCIM and in its custom environments', async () => {
  const { tenant, staging, own } = await makeAccount()
  const { session } = await signedInUser(app, staging, own.id, newEmail())
  expect(decodeJwt(session.access_token)).toMatchObject({ org_id: own.id, env: 'staging' })
  const inStaging: Tenant = { ...tenant, ...staging }
  const { call } = await provisioned(app, inStaging, own.id)
  expect((await call('POST', '/Users', { userName: newEmail() })).status).toBe(201)
  const counts = succeeded(await staging.get(`/v1/organizations/${own.id}`)).subOrganization
  expect([counts.userCount, counts.memberCount]).toEqual([2, 0])
  const { environment } = succeeded(
    await staging.post('/v1/environments', { name: 'QA', slug: 'qa', subOrgId: own.id }),
  )
  const { headers } = await joinedMember(app, tenant, 'owner')
  const chosen = { ...headers, [HEADER]: environment.id }
  const made = await nobody.post(`/v1/api-keys?subOrgId=${own.id}`, { name: 'QA', scopes }, chosen)
  const custom = app.as(succeeded(made).key)
  succeeded(await custom.post('/v1/users', { email: newEmail() }))
  const seen = succeeded(await custom.get('/v1/organizations')).subOrganizations
  expect(seen).toMatchObject([{ id: own.id, userCount: 1, environment: 'staging' }])
})

test('staging reads and uses an organization of production, and changes nothing of its record', async () => {
  const { tenant, staging, shared } = await makeAccount()
  const before = succeeded(await tenant.get(`/v1/organizations/${shared.id}`)).subOrganization
  await newUser({ ...tenant, ...staging }, { subOrgId: shared.id })
  succeeded(await staging.patch('/v1/auth/settings', { subOrgId: shared.id, allow_sign_up: false }))
  const { subOrganization } = succeeded(await staging.get(`/v1/organizations/${shared.id}`))
  expect(subOrganization).toEqual({ ...before, userCount: 1, userCountedAt: expect.any(String) })
  for (const patch of [
    { name: 'Mine' },
    { description: 'Mine' },
    { locale: 'ja' },
    { externalId: 'mine' },
    { metadata: { plan: 'mine' } },
    { status: 'suspended' },
    // Also one that would change nothing.
    { name: before.name },
    {},
  ])
    expect(verdict(await staging.patch(`/v1/organizations/${shared.id}`, patch))).toEqual([
      403,
      'production_key_required',
    ])
  expect(succeeded(await tenant.get(`/v1/organizations/${shared.id}`)).subOrganization).toEqual({
    ...before,
    userCountedAt: expect.any(String),
  })
})

test('the refusal of a key of a custom environment names the environment of the key that is needed', async () => {
  const { tenant, staging, own } = await makeAccount()
  const { environment } = succeeded(
    await staging.post('/v1/environments', { name: 'QA', slug: 'qa', subOrgId: own.id }),
  )
  const { headers } = await joinedMember(app, tenant, 'owner')
  const chosen = { ...headers, [HEADER]: environment.id }
  const { key } = succeeded(await nobody.post(`/v1/api-keys?subOrgId=${own.id}`, { name: 'QA', scopes }, chosen))
  const refused = await app.as(key).patch(`/v1/organizations/${own.id}`, { name: 'Mine' })
  expect(refused.body).toMatchObject({
    code: 'home_key_required',
    detail: 'Use an API key of the environment staging.',
  })
})

test('a slug is taken in every environment', async () => {
  const { tenant, staging, shared, own } = await makeAccount()
  const taken = [409, 'slug_taken']
  const create = (caller: Caller, slug: string, more: object = {}) =>
    caller.post('/v1/organizations', { name: 'Acme', slug, ...more })
  expect(verdict(await create(staging, shared.slug))).toEqual(taken)
  expect(verdict(await create(tenant, own.slug))).toEqual(taken)
  const child = await createOrganization(staging, { subOrgId: shared.id })
  expect(verdict(await create(tenant, child.slug, { subOrgId: shared.id }))).toEqual(taken)
  succeeded(await create(tenant, child.slug))
  const slug = `o-${fresh()}`
  const race = [tenant, second.as(staging.key), staging, second.as(tenant.key)].map((caller) => create(caller, slug))
  expect((await Promise.all(race)).map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
})

test('an organization created by discovery belongs to the environment of the key', async () => {
  const { tenant, staging } = await makeAccount()
  const create = async (caller: Caller) => {
    succeeded(await caller.patch('/v1/auth/settings/defaults', { discovery_create_organizations: true }))
    const email = freshEmail('discovery')
    const prove = async () => {
      const { otp_id } = succeeded(await caller.post('/v1/auth/discovery/otp/send', { email }))
      const code = await mailedCode(app, email)
      return succeeded(await caller.post('/v1/auth/discovery/otp/verify', { email, otp_id, code }))
    }
    const { discovery_token } = await prove()
    const made = succeeded(await caller.post('/v1/auth/discovery/create', { discovery_token, name: 'Acme' }))
    expect((await prove()).organizations).toMatchObject([{ subOrgId: made.organization.subOrgId }])
    return `/v1/organizations/${made.organization.subOrgId}`
  }
  const [inProduction, inStaging] = [await create(tenant), await create(staging)]
  expect(succeeded(await staging.get(inProduction)).subOrganization.environment).toBe('production')
  expect(succeeded(await staging.get(inStaging)).subOrganization.environment).toBe('staging')
  expect(verdict(await tenant.get(inStaging))).toEqual([404, 'organization_not_found'])
})

test('a member works in production, or in the environment that the header names', async () => {
  const { tenant, staging, shared, own, production, stagingId } = await makeAccount()
  const { headers } = await joinedMember(app, tenant, 'owner')
  const inStaging = { ...headers, [HEADER]: stagingId }
  const [user, other] = [
    await newUser(tenant, { subOrgId: shared.id }),
    await newUser({ ...tenant, ...staging }, { subOrgId: shared.id }),
  ]
  const ids = async (as: Record<string, string>) =>
    succeeded(await nobody.get('/v1/users', as)).users.map(({ id }: { id: string }) => id)
  expect([await ids(headers), await ids(inStaging)]).toEqual([[user.id], [other.id]])
  expect(await ids({ ...headers, [HEADER]: production.toUpperCase() })).toEqual([user.id])
  const current = async (as: Record<string, string>) => succeeded(await nobody.get('/v1/api-keys/current', as))
  expect(await current(headers)).toMatchObject({ environment: 'production', environmentId: production })
  expect(await current(inStaging)).toMatchObject({ environment: 'staging', environmentId: stagingId })
  expect(verdict(await nobody.get(`/v1/organizations/${own.id}`, headers))).toEqual([404, 'organization_not_found'])
  expect((await nobody.get(`/v1/organizations/${own.id}`, inStaging)).status).toBe(200)
  const { apiKey, key } = succeeded(await nobody.post('/v1/api-keys', { name: 'S', scopes }, inStaging))
  expect([apiKey.environment, key.startsWith('ww_stg_')]).toEqual(['staging', true])
})

test('the role of a member decides what they may change, and the environment does not', async () => {
  const { tenant, staging, shared, own, production, stagingId } = await makeAccount()
  const owner = await joinedMember(app, tenant, 'owner')
  const colleague = await joinedMember(app, tenant, 'member')
  const inStaging = { ...owner.headers, [HEADER]: stagingId }
  await newUser({ ...tenant, ...staging }, { subOrgId: shared.id })
  const named = await nobody.patch(`/v1/organizations/${shared.id}`, { name: 'By a member' }, inStaging)
  expect(succeeded(named).subOrganization).toMatchObject({ name: 'By a member', userCount: 1 })
  succeeded(await nobody.patch(`/v1/organizations/${own.id}`, { name: 'By a member' }, inStaging))
  succeeded(await nobody.patch(`/v1/environments/${production}`, { name: 'Live' }, inStaging))
  succeeded(await nobody.patch(`/v1/members/${colleague.membershipId}`, { newRole: 'admin' }, inStaging))
  // Recorded in the home environment, with the data of that environment.
  const { members } = succeeded(await tenant.get('/v1/members'))
  const actorId = members.find(({ id }: { id: string }) => id === owner.membershipId).directoryUserId
  const actor = { actor_type: 'user', actor_id: actorId }
  const types = ['environment.updated', 'member.role_updated', 'organization.updated']
  expect(await eventsOf(tenant, 'production', types)).toMatchObject([
    { ...actor, type: 'organization.updated', target_id: shared.id, data: { name: 'By a member', userCount: 0 } },
    { ...actor, type: 'environment.updated', target_id: production },
    { ...actor, type: 'member.role_updated', target_id: colleague.membershipId },
  ])
  expect(await eventsOf(tenant, 'staging', types)).toMatchObject([
    { ...actor, type: 'organization.updated', target_id: own.id },
  ])
  const member = await joinedMember(app, tenant, 'member')
  const refused = await nobody.patch(
    `/v1/organizations/${shared.id}`,
    { name: 'Mine' },
    { ...member.headers, [HEADER]: stagingId },
  )
  expect(verdict(refused)).toEqual([403, 'insufficient_scope'])
})

test('a member of only a staging roster works in staging', async () => {
  const { tenant, staging, shared, own, production, stagingId } = await makeAccount()
  const { headers } = await joinedMember(app, tenant, 'owner', { subOrgId: own.id, by: staging })
  expect(succeeded(await nobody.get('/v1/api-keys/current', headers))).toMatchObject({
    environment: 'staging',
    subOrgId: own.id,
  })
  const path = `/v1/organizations/${own.id}`
  succeeded(await nobody.patch(path, { name: 'By its owner' }, headers))
  succeeded(await nobody.patch(path, { name: 'Again' }, { ...headers, [HEADER]: stagingId }))
  const unknown = [404, 'environment_not_found']
  expect(verdict(await nobody.get(path, { ...headers, [HEADER]: production }))).toEqual(unknown)
  expect(verdict(await nobody.get(`/v1/organizations/${shared.id}`, headers))).toEqual([404, 'organization_not_found'])
  const added = await eventsOf(tenant, 'staging', ['member.added'])
  expect(added).toMatchObject([{ organization_id: own.id }])
  expect(await eventsOf(tenant, 'production', ['member.added'])).toEqual([])
})

test('a member cannot choose an environment that they do not reach', async () => {
  const { tenant, staging, shared, own, stagingId } = await makeAccount()
  const other = await createOrganization(tenant)
  const environmentOf = async (caller: Caller, subOrgId: string): Promise<string> =>
    succeeded(await caller.post('/v1/environments', { name: 'QA', slug: 'qa', subOrgId })).environment.id
  const [ofShared, ofOther, ofOwn] = [
    await environmentOf(tenant, shared.id),
    await environmentOf(tenant, other.id),
    await environmentOf(staging, own.id),
  ]
  const stranger = await makeAccount()
  const roster = (await joinedMember(app, tenant, 'owner', { subOrgId: shared.id })).headers
  const account = (await joinedMember(app, tenant, 'owner')).headers
  const choose = (headers: Record<string, string>, id: string) =>
    nobody.get('/v1/api-keys/current', { ...headers, [HEADER]: id })
  for (const id of [stagingId, ofShared]) expect((await choose(roster, id)).body.environmentId).toBe(id)
  for (const id of [stagingId, ofShared, ofOther, ofOwn])
    expect((await choose(account, id)).body.environmentId).toBe(id)
  const unknown = [404, 'environment_not_found']
  for (const id of [ofOther, ofOwn]) expect(verdict(await choose(roster, id))).toEqual(unknown)
  for (const headers of [roster, account])
    for (const id of [stranger.stagingId, crypto.randomUUID(), 'staging', '', `${stagingId},${stagingId}`])
      expect(verdict(await choose(headers, id))).toEqual(unknown)
  // One that is of an organization has no other.
  const inCustom = { ...account, [HEADER]: ofShared }
  const body = { name: 'Acme', slug: `o-${fresh()}` }
  expect(verdict(await nobody.post('/v1/organizations', body, inCustom))).toEqual([403, 'sub_org_mismatch'])
  const listed = await nobody.get(`/v1/users?subOrgId=${other.id}`, inCustom)
  expect(verdict(listed)).toEqual([404, 'organization_not_found'])
  const wide = await nobody.post('/v1/api-keys', { name: 'Wide', scopes }, inCustom)
  expect(verdict(wide)).toEqual([400, 'invalid_request'])
})

test('a membership on a staging roster does not keep a removed member in the account', async () => {
  const { tenant, staging, shared, own } = await makeAccount()
  const { membershipId } = await joinedMember(app, tenant, 'developer')
  const put = (caller: Caller, subOrgId: string) =>
    caller.put(`/v1/organizations/${subOrgId}/members`, { members: [{ membershipId, role: 'owner' }] })
  succeeded(await put(tenant, shared.id))
  succeeded(await put(staging, own.id))
  const remove = (caller: Caller, query = '') => caller.delete(`/v1/members/${membershipId}${query}`)
  expect(verdict(await remove(staging, `?subOrgId=${own.id}`))).toEqual([409, 'last_owner'])
  expect(verdict(await remove(tenant))).toEqual([409, 'last_owner'])
  const { membershipId: other } = await joinedMember(app, tenant, 'owner')
  const members = [membershipId, other].map((id) => ({ membershipId: id, role: 'owner' }))
  succeeded(await tenant.put(`/v1/organizations/${shared.id}/members`, { members }))
  succeeded(await remove(tenant))
  expect(succeeded(await staging.get(`/v1/organizations/${own.id}/members`)).members).toEqual([])
  // Each of the memberships is recorded where it was.
  expect(await eventsOf(tenant, 'staging', ['member.removed'])).toMatchObject([{ organization_id: own.id }])
  const inProduction = await eventsOf(tenant, 'production', ['member.removed'])
  expect(inProduction.map(({ organization_id }) => organization_id)).toEqual([null, shared.id])
})

test('a key that the release before made for an organization of another environment reaches nothing', async () => {
  const { tenant, own, shared, production } = await makeAccount()
  const { db } = app.app.platform
  const made = await tenant.post('/v1/api-keys', { name: 'Old', scopes, subOrgId: shared.id })
  const { apiKey, key } = succeeded(made)
  const place = { account_id: tenant.accountId, environment_id: production, organization_id: own.id }
  await db
    .insertInto('directories')
    .values({ id: crypto.randomUUID(), kind: 'organization', ...place })
    .execute()
  await db.updateTable('api_keys').set({ organization_id: own.id }).where('id', '=', apiKey.id).execute()
  const old = app.as(key)
  for (const reply of [
    await old.get('/v1/users'),
    await old.post('/v1/users', { email: newEmail() }),
    await old.get('/v1/members'),
    await old.post('/v1/members/invites', { email: newEmail(), role: 'member' }),
  ])
    expect(verdict(reply)).toEqual([404, 'organization_not_found'])
  expect(verdict(await tenant.get(`/v1/users?subOrgId=${own.id}`))).toEqual([404, 'organization_not_found'])
})

test('an API key may name its own environment only', async () => {
  const { tenant, staging, production, stagingId } = await makeAccount()
  for (const [key, own, other] of [
    [tenant, production, stagingId],
    [staging, stagingId, production],
  ] as const) {
    expect((await key.get('/v1/users', { [HEADER]: own })).status).toBe(200)
    const bearer = { authorization: `Bearer ${key.key}`, [HEADER]: other }
    for (const reply of [await key.get('/v1/users', { [HEADER]: other }), await nobody.get('/v1/users', bearer)])
      expect(verdict(reply)).toEqual([404, 'environment_not_found'])
  }
})

test('a kept answer belongs to its environment', async () => {
  const { tenant, staging, shared, stagingId } = await makeAccount()
  const { headers } = await joinedMember(app, tenant, 'owner')
  const email = newEmail()
  const create = (as: Record<string, string>, key = 'once') =>
    nobody.post('/v1/users', { subOrgId: shared.id, email }, { ...as, 'idempotency-key': key })
  const inStaging = { ...headers, [HEADER]: stagingId }
  const first = await create(headers)
  expect((await create(headers)).text).toBe(first.text)
  expect(verdict(await create(inStaging))).toEqual([422, 'idempotency_key_reused'])
  const made = await create(inStaging, 'another')
  expect((await create(inStaging, 'another')).text).toBe(made.text)
  const { users } = succeeded(await staging.get(`/v1/users?subOrgId=${shared.id}`))
  expect(users).toMatchObject([{ id: made.body.user.id, email }])
  expect(made.body.user.id).not.toBe(first.body.user.id)
})

test('the command line makes no key for an organization where it does not exist, and says where it does', async () => {
  const env = settingsOf(app)
  const { stdout } = await runCommand(env, 'keys', 'create', '--env', 'staging')
  const { slug } = await createOrganization(app.as(stdout.trim()))
  const inProduction = await runCommand(env, 'keys', 'create', '--org', slug)
  expect([inProduction.code, inProduction.stdout]).toEqual([1, ''])
  expect(inProduction.stderr).toContain('The organization does not exist in the environment production')
  for (const args of [
    ['users', 'list', '--org', slug],
    ['orgs', 'show', slug],
  ]) {
    const refused = await runCommand(env, ...args)
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'The organization does not exist in the environment production: use --env staging.\n',
    })
    expect((await runCommand(env, ...args, '--env', 'staging')).code).toBe(0)
  }
  expect((await runCommand(env, 'keys', 'create', '--org', slug, '--env', 'staging')).code).toBe(0)
})

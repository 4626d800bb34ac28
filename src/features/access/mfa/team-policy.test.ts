import { expect, test } from 'vitest'
import { type Reply, startApp, type Tenant } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { signedInMember, teamWorld } from '../../../../test/walkers/own-world.ts'

// The policy of the account's own team: who reads it, who changes it, and what it requires.

const app = await startApp()
const second = await startSecondApp(app)
const PATH = '/v1/mfa/policy'
const OF_TEAM = `${PATH}?subOrgId=team`
const DAY = 86_400
const verdict = (reply: Reply) => [reply.status, reply.body.code]

const UNCHANGED = {
  require_mfa: true,
  grace_period_days: 7,
  allowed_methods: ['totp', 'backup', 'sms'],
  enforce_for_roles: ['owner', 'admin'],
  required_since: null,
  updated_at: null,
}

async function newTeam() {
  const tenant = await app.tenant()
  const world = teamWorld(app, tenant)
  return { tenant, world, owner: await signedInMember(world, 'owner') }
}

const signIn = async (by: Tenant, email: string) =>
  succeeded(await by.post('/v1/auth/login/password', { subOrgId: 'team', email, password: PASSWORD }))

test('every member reads it, also of one organization alone, and a key that signs the team in', async () => {
  const { tenant, world, owner } = await newTeam()
  const subOrgId = await tenant.organization()
  const others = await Promise.all([
    signedInMember(world, 'admin'),
    signedInMember(world, 'developer'),
    signedInMember(world, 'member'),
    signedInMember(world, 'member', { subOrgId }),
  ])
  for (const { me } of [owner, ...others]) expect(succeeded(await me.get(OF_TEAM))).toEqual({ policy: UNCHANGED })
  expect(succeeded(await tenant.get(OF_TEAM))).toEqual({ policy: UNCHANGED })
  const refusals: [Reply, unknown[]][] = [
    [await (await tenant.withKey({ scopes: ['mfa.read'] })).get(OF_TEAM), [403, 'insufficient_scope']],
    [await (await tenant.withKey({ environment: 'staging' })).get(OF_TEAM), [404, 'organization_not_found']],
    [await (await tenant.withKey({ subOrgId })).get(OF_TEAM), [403, 'sub_org_mismatch']],
    [await app.as(null).get(OF_TEAM), [401, 'api_key_missing']],
    // The role member may read the team's policy, but not the policy for users.
    [await (others[2] ?? owner).me.get(PATH), [403, 'insufficient_scope']],
    [await (others[2] ?? owner).me.get(`${PATH}?subOrgId=${subOrgId}`), [403, 'insufficient_scope']],
  ]
  for (const [reply, expected] of refusals) expect(verdict(reply), reply.text).toEqual(expected)
})

test('only an owner of the account changes it', async () => {
  const { tenant, world, owner } = await newTeam()
  const subOrgId = await tenant.organization()
  const admin = await signedInMember(world, 'admin')
  const refused = [
    admin,
    await signedInMember(world, 'developer'),
    await signedInMember(world, 'member'),
    await signedInMember(world, 'owner', { subOrgId }),
  ].map(({ me }) => me)
  const onRoster = await signedInMember(world, 'admin')
  const members = [{ membershipId: onRoster.membershipId, role: 'owner' }]
  const other = await tenant.organization()
  succeeded(await tenant.put(`/v1/organizations/${other}/members`, { members }))
  const before = await snapshot(app)
  const patch = { require_mfa: false }
  for (const by of [...refused, onRoster.me, tenant])
    for (const reply of [await by.patch(PATH, { subOrgId: 'team', ...patch }), await by.patch(OF_TEAM, patch)])
      expect(verdict(reply), reply.text).toEqual([403, 'insufficient_scope'])
  expect(verdict(await onRoster.me.patch(`${PATH}?subOrgId=${other}`, { subOrgId: 'team', ...patch }))).toEqual([
    400,
    'sub_org_conflict',
  ])
  expect(await snapshot(app)).toEqual(before)

  const changed = succeeded(await owner.me.patch(PATH, { subOrgId: 'team', grace_period_days: 14 }))
  const after = { ...UNCHANGED, grace_period_days: 14, updated_at: expect.any(String) }
  expect(changed.policy).toEqual(after)
  expect(succeeded(await second.as(tenant.key).get(OF_TEAM)).policy).toEqual(after)
  const events = await app.events({ accountId: tenant.accountId, type: 'mfa.team_policy.updated' })
  expect(events).toMatchObject([
    { actor_type: 'user', actor_id: owner.id, organization_id: null, previous: { grace_period_days: 7 } },
  ])
  // The event appears in the environment's feed.
  await app.settled()
  const { events: feed } = succeeded(await tenant.get('/v1/events?types=mfa.team_policy.updated'))
  expect(feed).toMatchObject([{ type: 'mfa.team_policy.updated', data: { grace_period_days: 14 } }])
  // The policy for the environment's users has not changed.
  expect(succeeded(await tenant.get(PATH)).policy).toMatchObject({ require_mfa: false, grace_period_days: 7 })
  const restored = succeeded(await owner.me.patch(PATH, { subOrgId: 'team', grace_period_days: null }))
  expect(restored.policy).toEqual({ ...UNCHANGED, updated_at: expect.any(String) })
})

test('settings of the environment and of organizations have no effect on the team', async () => {
  const { tenant, owner } = await newTeam()
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch(`${PATH}/defaults`, { require_mfa: true, grace_period_days: 0, enforce_for_roles: [] }))
  succeeded(await tenant.patch(PATH, { subOrgId, require_mfa: true, grace_period_days: 0 }))
  const { enabledAppIds } = succeeded(await tenant.get('/v1/organization-apps'))
  const left = enabledAppIds.filter((id: string) => !['mfa', 'sessions', 'passkeys'].includes(id))
  succeeded(await tenant.put('/v1/organization-apps/defaults', { enabledAppIds: left }))
  expect(succeeded(await owner.me.get(OF_TEAM)).policy).toEqual(UNCHANGED)
  const member = await joinedMember(app, tenant, 'member')
  expect((await signIn(tenant, member.email)).session).not.toBeNull()
  expect((await owner.me.get('/v1/me/sessions')).status).toBe(200)
  expect((await owner.me.post('/v1/me/passkeys/options')).status).toBe(200)
  await app.advance(8 * DAY)
  expect((await signIn(tenant, owner.email)).enrollment_required).toBe(true)
})

test('it may require a factor of developers, of all members or of none, and extends no grace period', async () => {
  const { tenant, world, owner } = await newTeam()
  const [developer, member] = [await signedInMember(world, 'developer'), await signedInMember(world, 'member')]
  const change = async (patch: object) => succeeded(await owner.me.patch(PATH, { subOrgId: 'team', ...patch })).policy
  const standing = async (email: string) => {
    const { session, mfa } = await signIn(tenant, email)
    return session === null ? 'enrollment' : mfa ? 'grace' : 'free'
  }
  const all = async () => [await standing(owner.email), await standing(developer.email), await standing(member.email)]
  expect(await all()).toEqual(['grace', 'free', 'free'])
  await change({ enforce_for_roles: ['developer'] })
  expect(await all()).toEqual(['free', 'grace', 'free'])
  await change({ enforce_for_roles: [] })
  expect(await all()).toEqual(['grace', 'grace', 'grace'])
  await change({ require_mfa: false })
  expect(await all()).toEqual(['free', 'free', 'free'])
  await app.advance(8 * DAY)
  expect((await signIn(tenant, owner.email)).session).not.toBeNull()
  const again = await signedInMember(world, 'owner')
  const back = await again.me.patch(PATH, { subOrgId: 'team', require_mfa: true, enforce_for_roles: ['owner'] })
  expect(succeeded(back).policy.required_since).toBeNull()
  expect([await standing(owner.email), await standing(again.email)]).toEqual(['enrollment', 'grace'])
  for (const patch of [{ grace_period_days: 90 }, { grace_period_days: null }])
    succeeded(await again.me.patch(PATH, { subOrgId: 'team', ...patch }))
  expect(await standing(owner.email)).toBe('enrollment')
})

test('with no grace an invited administrator enrolls before the first session', async () => {
  const { tenant, owner } = await newTeam()
  succeeded(await owner.me.patch(PATH, { subOrgId: 'team', grace_period_days: 0 }))
  await expect(joinedMember(app, tenant, 'admin')).rejects.toThrow()
  expect((await joinedMember(app, tenant, 'developer')).session).toBeDefined()
})

test('developer is a role of the team alone', async () => {
  const { tenant } = await newTeam()
  const subOrgId = await tenant.organization()
  const patch = { enforce_for_roles: ['developer'] }
  for (const reply of [await tenant.patch(PATH, { subOrgId, ...patch }), await tenant.patch(`${PATH}/defaults`, patch)])
    expect([...verdict(reply), reply.body.errors?.[0].field]).toEqual([400, 'invalid_request', 'enforce_for_roles'])
})

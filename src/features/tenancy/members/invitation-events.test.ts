import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Caller, startApp, type Tenant } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'

const app = await startApp()

const invite = async (by: Caller, email: string, role: string, more: object = {}) =>
  succeeded(await by.post('/v1/members/invites', { email, role, ...more }))

async function accept(tenant: Tenant, email: string) {
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  succeeded(await tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD }))
}

/** The events about members after `since`, oldest first. */
async function memberEvents({ accountId }: Tenant, since = 0) {
  const events = (await app.events({ accountId })).filter(({ type }) => type.startsWith('member.')).slice(since)
  return events.map((event) => ({ ...event, data: Object(event.data) }))
}

const keyId = async (caller: Caller) => succeeded(await caller.get('/v1/api-keys/current')).id

async function ownerOf(tenant: Tenant) {
  const { email, session } = await joinedMember(app, tenant, 'owner')
  const me = bearing(app, session.access_token)
  return { email, me, by: { type: 'user', id: session.directory_user_id } }
}

test('an invitation names its inviter, when it is sent, in lists and when it is accepted', async () => {
  const tenant = await app.tenant()
  const { me, by } = await ownerOf(tenant)
  const seen = (await memberEvents(tenant)).length
  const email = newEmail()
  const { member, invite: sent } = await invite(me, email, 'owner', { displayName: 'Grace' })
  expect([member.invitedBy, sent.invitedBy]).toEqual([by, by])
  const { members } = succeeded(await tenant.get('/v1/members'))
  expect(members.find((each: { email: string }) => each.email === email).invitedBy).toEqual(by)
  expect(succeeded(await tenant.get('/v1/members/invites')).invites).toMatchObject([{ invitedBy: by }])
  await accept(tenant, email)
  const [invited, added, ...others] = await memberEvents(tenant, seen)
  expect(others).toEqual([])
  expect(invited).toMatchObject({
    ...{ type: 'member.invited', actor_type: 'user', actor_id: by.id, target_id: member.membershipId, previous: null },
    data: { email, role: 'owner', status: 'invited', userId: null, directoryUserId: null, invitedBy: by },
  })
  // The person accepts on a login page with a key, so the actor is the person. The event also names the inviter.
  expect(added).toMatchObject({
    ...{ type: 'member.added', actor_type: 'user', actor_id: added?.data['directoryUserId'] },
    data: { email, role: 'owner', status: 'active', invitedBy: by },
  })
  expect(added?.actor_id).toMatch(/^[\da-f-]{36}$/)
  // Both events are in the feed of a production key.
  await app.settled()
  const { events } = succeeded(await tenant.get('/v1/events?types=member.invited&limit=100'))
  expect(events.map((each: { data: { email: string } }) => each.data.email)).toContain(email)
  const joined = succeeded(await tenant.get('/v1/events?types=member.added&limit=100')).events
  const via = { type: 'api_key', id: await keyId(tenant) }
  expect(joined.at(-1).actor).toEqual({ type: 'user', id: added?.actor_id, on_behalf_of: null, via })
})

test('a renewal is recorded with the role before, and names the last inviter', async () => {
  const tenant = await app.tenant()
  const { me, by } = await ownerOf(tenant)
  const email = newEmail()
  await invite(me, email, 'owner')
  const seen = (await memberEvents(tenant)).length
  const key = { type: 'api_key', id: await keyId(tenant) }
  await invite(tenant, email, 'admin')
  await invite(tenant, email, 'admin')
  await accept(tenant, email)
  const events = await memberEvents(tenant, seen)
  const shape = events.map(({ type, actor_id, previous, data }) => [
    ...[type, actor_id, previous, data['role'], data['invitedBy']],
  ])
  const joined = events.at(-1)?.data['directoryUserId']
  expect(joined).toMatch(/^[\da-f-]{36}$/)
  expect(shape).toEqual([
    ['member.invited', key.id, { role: 'owner' }, 'admin', key],
    ['member.invited', key.id, null, 'admin', key],
    ['member.added', joined, null, 'admin', key],
  ])
  expect(by.id).not.toBe(key.id)
})

test('a withdrawal is recorded with its actor, of each invitation that ends', async () => {
  const tenant = await app.tenant()
  const owner = await joinedMember(app, tenant, 'owner')
  const subOrgId = await tenant.organization()
  const roster = `/v1/organizations/${subOrgId}/members`
  const put = async (...ids: string[]) =>
    succeeded(await tenant.put(roster, { members: ids.map((membershipId) => ({ membershipId })) }))
  const first = (await invite(tenant, newEmail(), 'member')).member.membershipId
  const seen = (await memberEvents(tenant)).length
  const told = async () =>
    (await memberEvents(tenant, seen)).map(({ type, target_id, organization_id, data }) => [
      ...[type, target_id, organization_id, data['status']],
    ])
  await put(owner.membershipId, first)
  await put(owner.membershipId)
  await put(owner.membershipId, first)
  succeeded(await tenant.delete(`/v1/members/${first}`))
  const own = (await invite(tenant, newEmail(), 'member', { subOrgId })).member.membershipId
  succeeded(await tenant.delete(`/v1/members/invites/${own}`))
  const withdrawn = ['member.invitation_withdrawn', first, subOrgId, 'invited']
  const placed = ['member.invited', first, subOrgId, 'invited']
  expect(await told()).toEqual([
    ['member.added', owner.membershipId, subOrgId, 'active'],
    ...[placed, withdrawn, placed],
    ['member.invitation_withdrawn', first, null, 'invited'],
    withdrawn,
    ['member.invited', own, subOrgId, 'invited'],
    ['member.invitation_withdrawn', own, subOrgId, 'invited'],
  ])
  const key = await keyId(tenant)
  for (const { actor_id } of await memberEvents(tenant, seen)) expect(actor_id).toBe(key)
})

test('the events of an organization do not show who is on the team already', async () => {
  const tenant = await app.tenant()
  const owner = await joinedMember(app, tenant, 'owner')
  const staging = await tenant.withKey({ environment: 'staging' })
  const made = succeeded(await staging.post('/v1/organizations', { name: 'Acme', slug: `o-${fresh()}` }))
  const subOrgId: string = made.subOrganization.id
  const key = await tenant.withKey({ environment: 'staging', subOrgId })
  const shapes = []
  for (const email of [owner.email, newEmail()]) {
    const seen = (await memberEvents(tenant)).length
    const { member } = await invite(key, email, 'member')
    succeeded(await key.delete(`/v1/members/invites/${member.membershipId}`))
    const recorded = await memberEvents(tenant, seen)
    shapes.push(
      recorded.map(({ type, organization_id, actor_id, data }) => ({
        ...{ type, organization_id, actor_id },
        data: { ...data, membershipId: '', id: '', email: '', createdAt: '', updatedAt: '' },
      })),
    )
  }
  expect(shapes[0]).toEqual(shapes[1])
  const by = { type: 'api_key', id: await keyId(key) }
  expect(shapes[0]).toMatchObject([
    { type: 'member.invited', organization_id: subOrgId, data: { userId: null, invitedBy: by } },
    { type: 'member.invitation_withdrawn', organization_id: subOrgId, data: { userId: null, invitedBy: by } },
  ])
  await app.settled()
  expect(succeeded(await key.get('/v1/events?types=member.*')).events).toHaveLength(4)
  const { events } = succeeded(await tenant.get('/v1/events?types=member.*&limit=100'))
  expect(events.filter((each: { data: { subOrgId: string } }) => each.data.subOrgId === subOrgId)).toEqual([])
})

test('an existing member who joins at once was invited by the actor', async () => {
  const tenant = await app.tenant()
  const { email } = await joinedMember(app, tenant, 'owner')
  const subOrgId = await tenant.organization()
  const seen = (await memberEvents(tenant)).length
  const { member } = await invite(tenant, email, 'member', { subOrgId })
  const by = { type: 'api_key', id: await keyId(tenant) }
  expect(member).toMatchObject({ status: 'active', invitedBy: by })
  expect(await memberEvents(tenant, seen)).toMatchObject([
    { type: 'member.added', organization_id: subOrgId, data: { invitedBy: by } },
  ])
})

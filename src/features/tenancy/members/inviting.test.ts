import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { plantMember } from '../../../../test/people/members.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()
const verdict = (reply: Reply) => [reply.status, reply.body.code]
const DAY = 86_400

const inviteAs = (caller: Pick<typeof tenant, 'post'>, email: string, role: string, more: object = {}) =>
  caller.post('/v1/members/invites', { email, role, ...more })
const accept = async (email: string) =>
  tenant.post('/v1/auth/invite/accept', {
    ...{ subOrgId: 'team', password: PASSWORD },
    token: (await mailedLink(app, email, 'invite')).token_hash,
  })
const memberOf = async (email: string) =>
  (await tenant.get('/v1/members')).body.members.filter((member: { email: string }) => member.email === email)

test('who is invited is listed, accepts by the mailed link, and is a member from then on', async () => {
  const email = newEmail()
  const reply = await inviteAs(tenant, email, 'admin', { displayName: 'Grace' })
  expect(reply.status, reply.text).toBe(200)
  const { member, invite } = reply.body
  expect(member).toMatchObject({ email, role: 'admin', status: 'invited', subOrgId: null, joinedAt: null })
  expect(member.directoryUserId).not.toBeNull()
  expect(invite).toMatchObject({
    id: member.membershipId,
    email,
    displayName: 'Grace',
    role: 'admin',
    status: 'pending',
  })
  expect((await tenant.get('/v1/members/invites')).body.invites).toEqual([invite])
  expect(await app.events({ accountId: tenant.accountId, type: 'member.added' })).toEqual([])
  const accepted = await accept(email)
  expect(accepted.status, accepted.text).toBe(200)
  expect((await tenant.get('/v1/members/invites')).body.invites).toEqual([])
  expect(await memberOf(email)).toMatchObject([
    { status: 'active', role: 'admin', joinedAt: expect.any(String), userId: accepted.body.session.user_id },
  ])
  expect(await app.events({ accountId: tenant.accountId, type: 'member.added' })).toMatchObject([
    { target_id: member.membershipId, organization_id: null, data: { email, status: 'active' } },
  ])
  expect(verdict(await inviteAs(tenant, email, 'member'))).toEqual([409, 'member_exists'])
})

test('the page of the service accepts it too', async () => {
  const email = newEmail()
  await inviteAs(tenant, email, 'developer')
  const link = await mailedLink(app, email, 'invite')
  const form = new URLSearchParams({ ...link, url: '', password: PASSWORD })
  form.delete('url')
  const page = await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body: form })
  expect([page.status, (await page.text()).includes('Welcome')]).toEqual([200, true])
  expect(await memberOf(email)).toMatchObject([{ status: 'active', role: 'developer' }])
})

test('an invitation again voids the link before and gives this role; one that has expired gives none', async () => {
  const email = newEmail()
  await inviteAs(tenant, email, 'admin')
  const first = await mailedLink(app, email, 'invite')
  await app.advance(61)
  expect((await inviteAs(tenant, email, 'member')).body.member).toMatchObject({ role: 'member', status: 'invited' })
  const old = { subOrgId: 'team', token: first.token_hash, password: PASSWORD }
  expect(verdict(await tenant.post('/v1/auth/invite/accept', old))).toEqual([400, 'token_invalid'])
  await app.advance(8 * DAY)
  expect(verdict(await accept(email))).toEqual([400, 'token_expired'])
  // An invitation to an organization only. Accepting it does not accept the expired invitation to the account.
  const subOrgId = await tenant.organization()
  await inviteAs(tenant, email, 'developer', { subOrgId })
  expect((await accept(email)).status).toBe(200)
  expect(await memberOf(email)).toMatchObject([
    { status: 'invited', subOrgId: null },
    { status: 'active', subOrgId, role: 'developer' },
  ])
  const { invites } = (await tenant.get('/v1/members/invites')).body
  expect(invites).toMatchObject([{ email, status: 'expired' }])
})

test('an invitation is withdrawn with all that it would give', async () => {
  const email = newEmail()
  const { member } = (await inviteAs(tenant, email, 'admin')).body
  const remove = () => tenant.delete(`/v1/members/invites/${member.membershipId}`)
  expect((await remove()).body).toEqual({ success: true })
  expect(await memberOf(email)).toEqual([])
  expect(verdict(await accept(email))).toEqual([400, 'token_invalid'])
  expect(verdict(await remove())).toEqual([404, 'invite_not_found'])
  const joined = await joinedMember(app, tenant, 'member')
  expect(verdict(await tenant.delete(`/v1/members/invites/${joined.membershipId}`))).toEqual([409, 'invite_accepted'])
})

test('who is of the team already comes to an organization at once', async () => {
  const subOrgId = await tenant.organization()
  const { email } = await joinedMember(app, tenant, 'member', { subOrgId })
  const other = await tenant.organization()
  expect((await inviteAs(tenant, email, 'admin', { subOrgId: other })).body).toMatchObject({
    ...{ invite: null, delivery_hint: null },
    member: { status: 'active', role: 'admin', subOrgId: other },
  })
  expect((await memberOf(email)).map((each: { subOrgId: string }) => each.subOrgId)).toEqual([subOrgId, other])
})

test('nobody invites to more than they hold, or elsewhere', async () => {
  const subOrgId = await tenant.organization()
  const scoped = await tenant.withKey({ subOrgId })
  const weak = await tenant.withKey({ scopes: ['members.*', 'users.read', 'sub_orgs.read'] })
  const present = await plantMember(app, { accountId: tenant.accountId, role: 'owner', status: 'invited' })
  const owner = (await tenant.get('/v1/members')).body.members.find((m: { id: string }) => m.id === present)
  const before = await snapshot(app)
  for (const [email, role] of [
    [newEmail(), 'owner'],
    [newEmail(), 'admin'],
    [newEmail(), 'developer'],
    [owner.email, 'owner'],
  ])
    expect(verdict(await inviteAs(weak, email, role))).toEqual([403, 'privilege_escalation'])
  expect(verdict(await weak.delete(`/v1/members/invites/${present}`))).toEqual([403, 'privilege_escalation'])
  expect(verdict(await scoped.delete(`/v1/members/invites/${present}`))).toEqual([404, 'invite_not_found'])
  expect((await scoped.get('/v1/members/invites')).body.invites).toEqual([])
  expect(await snapshot(app)).toEqual(before)
  expect((await inviteAs(weak, newEmail(), 'member')).status).toBe(200)
  expect((await inviteAs(scoped, newEmail(), 'owner')).body.member).toMatchObject({ subOrgId })
})

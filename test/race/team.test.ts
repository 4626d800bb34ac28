import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { untilWaiting } from '../in-order.ts'
import { succeeded } from '../people/factors.ts'
import { plantMember } from '../people/members.ts'
import { newEmail } from '../people/people.ts'
import { mailedLink } from '../people/sign-in.ts'
import { joinedMember, PASSWORD } from '../people/team.ts'
import { bearing } from '../walkers/own-world.ts'
import { startProcesses } from './processes.ts'

// Whoever changes a team sees what others have just changed, on whatever process.

const app = await startApp()
const [first, second] = await startProcesses(app, 2)
if (!first || !second) throw new Error('Two processes were to start')
const ROUNDS = 40

const outcomes = (replies: Reply[]) => replies.map(({ status, body }) => body.code ?? status).sort()

test('of two owners who remove each other one stays, forty times', async () => {
  const { accountId, key } = await app.tenant()
  const [one, two] = [first.as(key), second.as(key)]
  const owner = () => plantMember(app, { accountId, role: 'owner' })
  let left = await owner()
  for (let round = 0; round < ROUNDS; round++) {
    const other = await owner()
    const replies = await Promise.all([one.delete(`/v1/members/${other}`), two.delete(`/v1/members/${left}`)])
    expect(outcomes(replies), `round ${round}`).toEqual([200, 'last_owner'])
    const { members } = (await one.get('/v1/members')).body
    expect(members).toMatchObject([{ role: 'owner' }])
    left = members[0].membershipId
  }
})

test('rosters that are replaced while roles change and members leave are never without an owner', async () => {
  const tenant = await app.tenant()
  const { accountId, key } = tenant
  const subOrgId = await tenant.organization()
  const path = `/v1/organizations/${subOrgId}/members`
  const [one, two] = [first.as(key), second.as(key)]
  const account = await Promise.all([1, 2, 3].map(() => plantMember(app, { accountId, role: 'owner' })))
  const [a = '', b = '', c = ''] = account
  const roster = (ids: string[], role = 'owner') => ids.map((membershipId) => ({ membershipId, role }))
  for (let round = 0; round < 30; round++) {
    await one.put(path, { members: roster([a, b]) })
    const replies = await Promise.all([
      one.put(path, { members: roster([a]) }),
      two.put(path, { members: roster([b, c]) }),
      one.patch(`/v1/members/${a}?subOrgId=${subOrgId}`, { newRole: 'member' }),
      two.patch(`/v1/members/${b}?subOrgId=${subOrgId}`, { newRole: 'member' }),
      one.delete(`/v1/members/${b}?subOrgId=${subOrgId}`),
      two.delete(`/v1/members/${a}?subOrgId=${subOrgId}`),
    ])
    const allowed = [200, 'last_owner', 'member_not_found']
    expect(outcomes(replies).filter((outcome) => !allowed.includes(outcome))).toEqual([])
    const { members } = (await one.get(path)).body
    const owners = members.filter(({ role }: { role: string }) => role === 'owner')
    expect(owners.length, `round ${round}`).toBeGreaterThan(0)
    // Of two rosters one came last, and what came after it changed it: never a mixture of both.
    const ids = members.map(({ membershipId }: { membershipId: string }) => membershipId)
    expect(ids.includes(c) && ids.includes(a)).toBe(false)
  }
})

test('a member removed from two rosters at once has no session afterwards', async () => {
  const tenant = await app.tenant()
  const [a, b] = [await tenant.organization(), await tenant.organization()]
  const [one, two] = [first.as(tenant.key), second.as(tenant.key)]
  for (let round = 0; round < 15; round++) {
    const member = await joinedMember(app, tenant, 'member', { subOrgId: a })
    const at = { subOrgId: b, email: member.email, role: 'member' }
    const { membershipId } = succeeded(await tenant.post('/v1/members/invites', at)).member
    const isLive = async () => (await bearing(app, member.session.access_token).get('/v1/users')).status
    expect(await isLive()).toBe(200)
    const replies = await Promise.all([
      one.delete(`/v1/members/${member.membershipId}?subOrgId=${a}`),
      two.delete(`/v1/members/${membershipId}?subOrgId=${b}`),
    ])
    expect(outcomes(replies), `round ${round}`).toEqual([200, 200])
    expect(await isLive(), `round ${round}`).toBe(401)
  }
})

test('an invitation accepted and withdrawn or renewed at once is only one of them', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const [one, two] = [first.as(tenant.key), second.as(tenant.key)]
  for (let round = 0; round < 15; round++) {
    const email = newEmail()
    const invitation = { subOrgId, email, role: 'developer' }
    const { membershipId } = succeeded(await tenant.post('/v1/members/invites', invitation)).member
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    const [accepted, other] = await Promise.all([
      one.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD }),
      round % 2 === 0
        ? two.delete(`/v1/members/invites/${membershipId}?subOrgId=${subOrgId}`)
        : two.post('/v1/members/invites', { ...invitation, role: 'owner' }),
    ])
    const { members } = (await tenant.get(`/v1/members?subOrgId=${subOrgId}`)).body
    const row = members.find((each: { email: string }) => each.email === email)
    const said = [accepted.body.code ?? accepted.status, other.body.code ?? other.status]
    const what = `round ${round}: ${said}`
    if (accepted.status === 200) {
      const refusal = round % 2 === 0 ? 'invite_accepted' : 'member_exists'
      expect([what, other.body.code, row?.status, row?.role]).toEqual([what, refusal, 'active', 'developer'])
      const { access_token } = accepted.body.session
      const session = bearing(first, access_token)
      expect([what, (await session.get('/v1/api-keys')).status]).toEqual([what, 200])
    } else {
      expect([what, accepted.body.code, other.status]).toEqual([what, 'token_invalid', 200])
      const left = round % 2 === 0 ? [undefined, undefined] : ['invited', 'owner']
      expect([what, row?.status, row?.role]).toEqual([what, ...left])
    }
  }
})

test('an invitation that is accepted while the roster is replaced without it is refused, or joins and is removed', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const limited = await tenant.withKey({ subOrgId })
  const [one, two] = [first.as(tenant.key), second.as(tenant.key)]
  const owner = await joinedMember(app, tenant, 'owner', { subOrgId })
  // On the team already, so that the acceptance needs no password, whose hash would always make it last.
  const { email } = await joinedMember(app, tenant, 'member')
  for (let round = 0; round < 30; round++) {
    // Ten invitations of an address are allowed in an hour.
    await app.advance(400)
    const { membershipId } = succeeded(await limited.post('/v1/members/invites', { email, role: 'member' })).member
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    const [accepted, replaced] = await Promise.all([
      one.post('/v1/auth/invite/accept', { subOrgId: 'team', token }),
      two.put(`/v1/organizations/${subOrgId}/members`, { members: [{ membershipId: owner.membershipId }] }),
    ])
    const events = (await app.events(tenant)).filter(({ target_id }) => target_id === membershipId)
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('member.'))
    const { members } = (await tenant.get(`/v1/members?subOrgId=${subOrgId}`)).body
    const seen = [accepted.body.code ?? accepted.status, replaced.status, types, members.length]
    expect(seen).toEqual(
      accepted.status === 200
        ? [200, 200, ['member.invited', 'member.added', 'member.removed'], 1]
        : ['token_invalid', 200, ['member.invited', 'member.invitation_withdrawn'], 1],
    )
  }
})

test('an invitation to the account that is accepted while a roster names it joins the roster too', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const owner = await joinedMember(app, tenant, 'owner', { subOrgId })
  const email = newEmail()
  const { membershipId } = succeeded(await tenant.post('/v1/members/invites', { email, role: 'developer' })).member
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const members = [{ membershipId: owner.membershipId }, { membershipId }]
  const { db } = app.app.platform
  const begun = await db.transaction().execute(async (tx) => {
    await sql`select from members where id = ${membershipId} for update`.execute(tx)
    const accepting = tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD })
    await untilWaiting(app.app.platform, 1)
    const replacing = tenant.put(`/v1/organizations/${subOrgId}/members`, { members })
    await Promise.race([replacing, untilWaiting(app.app.platform, 2)])
    return [accepting, replacing]
  })
  expect(outcomes(await Promise.all(begun))).toEqual([200, 200])
  const listed = (await tenant.get(`/v1/organizations/${subOrgId}/members`)).body.members
  expect(listed.find((each: { email: string }) => each.email === email)).toMatchObject({ status: 'active' })
})

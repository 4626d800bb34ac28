import { describe, expect, test } from 'vitest'
import { resetFactors } from '../../src/cli/member-factors.ts'
import { teamDirectory } from '../../src/platform/tenancy/directory.ts'
import { type Reply, startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'
import { joinedMember, PASSWORD } from '../people/team.ts'
import { workIn } from '../work.ts'
import { giveApp, signedInMember, teamWorld } from './own-world.ts'

// What the links and codes that were mailed to a member of the team open, and until when.

const app = await startApp()
const verdict = (reply: Reply) => [reply.status, reply.body?.code]
const ANOTHER = 'another correct horse staple'
const DAY = 86_400

async function invitedToRoster(tenant: Tenant, email: string) {
  const subOrgId = await tenant.organization()
  const key = await tenant.withKey({ subOrgId })
  const { member } = succeeded(await key.post('/v1/members/invites', { email, role: 'member' }))
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const accept = () => tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token })
  const status = async () => {
    const { members } = succeeded(await tenant.get(`/v1/organizations/${subOrgId}/members`))
    return members.map((each: { email: string; status: string }) => [each.email, each.status])
  }
  return { subOrgId, member, accept, status }
}

/** The types of all events of an account, its console directory included. */
async function eventTypes({ accountId }: Tenant): Promise<string[]> {
  return (await app.events({ accountId })).map(({ type }) => type)
}

async function resetPassword(tenant: Tenant, email: string, password = ANOTHER): Promise<void> {
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId: 'team', email }))
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  succeeded(await tenant.post('/v1/auth/password/reset/confirm', { subOrgId: 'team', email, token_hash, password }))
}

describe('the invitation of a person who is on the team', () => {
  test('joins after a new password, and opens no session', async () => {
    const tenant = await app.tenant()
    const owner = await joinedMember(app, tenant, 'owner')
    const { subOrgId, member, accept, status } = await invitedToRoster(tenant, owner.email)
    await resetPassword(tenant, owner.email)
    await app.advance(6 * DAY)
    const before = await eventTypes(tenant)
    const reply = await accept()
    expect([reply.status, reply.body]).toEqual([200, { session: null, sign_in_required: true }])
    expect((await eventTypes(tenant)).slice(before.length).sort()).toEqual(['invite.accepted', 'member.added'])
    expect(await app.events({ accountId: tenant.accountId, type: 'member.added' })).toMatchObject([
      { organization_id: null },
      { organization_id: subOrgId, target_id: member.membershipId, data: { status: 'active', role: 'member' } },
    ])
    expect(await status()).toEqual([[owner.email, 'active']])
    expect(verdict(await accept())).toEqual([400, 'token_invalid'])
    const byPassword = (password: string) =>
      tenant.post('/v1/auth/login/password', { subOrgId: 'team', email: owner.email, password })
    expect(verdict(await byPassword(PASSWORD))).toEqual([401, 'invalid_credentials'])
    expect((await byPassword(ANOTHER)).body.session.access_token).toEqual(expect.any(String))
  })

  test('joins with a second factor too, and starts no challenge', async () => {
    const tenant = await app.tenant()
    const member = await signedInMember(teamWorld(app, tenant), 'owner')
    await giveApp(member)
    const { accept, status } = await invitedToRoster(tenant, member.email)
    expect((await accept()).body).toEqual({ session: null, sign_in_required: true })
    expect(await status()).toEqual([[member.email, 'active']])
    expect(await eventTypes(tenant)).not.toContain('auth.challenge.created')
    // After the grace period of a person without a factor as well.
    const late = await joinedMember(app, tenant, 'admin')
    await app.advance(8 * DAY)
    const invited = await invitedToRoster(tenant, late.email)
    expect((await invited.accept()).body).toEqual({ session: null, sign_in_required: true })
    expect(await invited.status()).toEqual([[late.email, 'active']])
  })

  test('outlives the membership of the account, and joins the roster alone', async () => {
    const tenant = await app.tenant()
    await joinedMember(app, tenant, 'owner')
    const { email, membershipId } = await joinedMember(app, tenant, 'admin')
    const { subOrgId, accept } = await invitedToRoster(tenant, email)
    succeeded(await tenant.delete(`/v1/members/${membershipId}`))
    expect((await accept()).body).toEqual({ session: null, sign_in_required: true })
    const { members } = succeeded(await tenant.get('/v1/members'))
    const own = members.filter((each: { email: string }) => each.email === email)
    expect(own).toMatchObject([{ subOrgId, role: 'member', status: 'active' }])
  })
})

describe('a code and a reset link of a member end with', () => {
  const changes: Record<string, (tenant: Tenant, member: Member) => Promise<void>> = {
    'a new password': async (tenant, { email }) => resetPassword(tenant, email),
    'a new password that the member sets': async (_, { me }) =>
      void succeeded(await me.post('/v1/me/password', { current_password: PASSWORD, new_password: ANOTHER })),
    'a reset of the factors': async (tenant, { email }) => {
      const { platform } = app.app
      await resetFactors(workIn(platform, await teamDirectory(platform, tenant.accountId)), email)
    },
    'a lower role': async (tenant, { membershipId }) =>
      void succeeded(await tenant.patch(`/v1/members/${membershipId}`, { newRole: 'member' })),
  }
  type Member = Awaited<ReturnType<typeof signedInMember>>

  test.each(Object.keys(changes))('%s; the invitation stays, and opens no session', async (name) => {
    const tenant = await app.tenant()
    await joinedMember(app, tenant, 'owner')
    const member = await signedInMember(teamWorld(app, tenant), 'developer')
    const { email } = member
    if (name.includes('factors')) await giveApp(member)
    const invited = await invitedToRoster(tenant, email)
    succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId: 'team', email }))
    const { token_hash } = await mailedLink(app, email, 'password_reset')
    const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId: 'team', email }))
    const code = await mailedCode(app, email)
    await changes[name]?.(tenant, member)
    const attempts = await Promise.all([
      tenant.post('/v1/auth/login/otp/verify', { subOrgId: 'team', email, otp_id, code }),
      tenant.post('/v1/auth/password/reset/confirm', { subOrgId: 'team', email, token_hash, password: PASSWORD }),
    ])
    expect(attempts.map(verdict)).toEqual([
      [401, 'otp_expired'],
      [400, 'token_invalid'],
    ])
    expect((await invited.accept()).body).toEqual({ session: null, sign_in_required: true })
    expect(await invited.status()).toEqual([[email, 'active']])
  })
})

import { decodeJwt } from 'jose'
import { beforeEach, expect, test } from 'vitest'
import { fresh, freshEmail } from '../fresh.ts'
import { type Caller, type Reply, startApp } from '../harness.ts'
import { startDnsPeer } from '../peers/dns-peer.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail, newUser } from '../people/people.ts'
import { provisioned } from '../people/scim.ts'
import { mailedCode, signedInUser } from '../people/sign-in.ts'
import { joinedMember } from '../people/team.ts'
import { snapshot } from '../snapshot.ts'

// A key of staging, of whatever scope, against production.

const dns = await startDnsPeer()
const app = await startApp({ env: { WATCHWORD_DNS_SERVER: dns.address } })
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
const staging = {
  everything: await tenant.withKey({ environment: 'staging' }),
  'everything of one organization': await tenant.withKey({ environment: 'staging', subOrgId }),
  'members and users': await tenant.withKey({
    environment: 'staging',
    scopes: ['members.write', 'members.read', 'users.read', 'sub_orgs.read'],
  }),
}
const stagingKeys = Object.entries(staging)
const verdict = (reply: Reply) => [reply.status, reply.body?.code ?? null]
const refused = [403, 'production_key_required']

let before: Record<string, string> = {}
beforeEach(async () => {
  before = await snapshot(app)
})

/** Without an effect, an event or a mail. */
async function expectRefused(reply: Reply): Promise<void> {
  expect(verdict(reply), reply.text).toEqual(refused)
  expect(await snapshot(app)).toEqual(before)
}

test.each(stagingKeys)('%s: invites no one to the team or a roster', async (_, key) => {
  const email = newEmail()
  for (const role of ['owner', 'member'])
    for (const body of [
      { email, role },
      { email, role, subOrgId },
    ])
      await expectRefused(await key.post('/v1/members/invites', body))
  expect(await app.mails(email)).toEqual([])
})

test.each(stagingKeys)('%s: removes and promotes no member, and withdraws no invitation', async (_, key) => {
  const ids = async (named: { subOrgId?: string }) => {
    const { membershipId } = await joinedMember(app, tenant, 'developer', named)
    const { member } = succeeded(
      await tenant.post('/v1/members/invites', { email: newEmail(), role: 'member', ...named }),
    )
    return [membershipId, member.membershipId]
  }
  const [[colleague, invited], [placed, awaited]] = [await ids({}), await ids({ subOrgId })]
  before = await snapshot(app)
  const isLimited = key === staging['everything of one organization']
  for (const id of isLimited ? [placed] : [colleague, placed]) {
    await expectRefused(await key.delete(`/v1/members/${id}`))
    await expectRefused(await key.patch(`/v1/members/${id}`, { newRole: 'owner' }))
  }
  for (const id of isLimited ? [awaited] : [invited, awaited])
    await expectRefused(await key.delete(`/v1/members/invites/${id}`))
  // They read the members.
  const { members } = succeeded(await key.get('/v1/members'))
  expect(members.map(({ id }: { id: string }) => id)).toContain(placed)
})

const organizationKeys = stagingKeys.filter(([name]) => name !== 'members and users')

test.each(organizationKeys)('%s: archives and suspends no organization of production', async (_, key) => {
  const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
  const { call } = await provisioned(app, tenant, subOrgId)
  before = await snapshot(app)
  await expectRefused(await key.delete(`/v1/organizations/${subOrgId}`))
  await expectRefused(await key.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }))
  await expectRefused(await key.put(`/v1/organizations/${subOrgId}/members`, { members: [] }))
  succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token }))
  expect((await call('GET', '/Users')).status).toBe(200)
})

test.each(organizationKeys)('%s: changes no claim of production’s access tokens', async (_, key) => {
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { metadata: { plan: 'free' }, externalId: 'crm' }))
  const token_claims = { plan: 'organization.metadata.plan', crm: 'organization.externalId' }
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, token_claims }))
  before = await snapshot(app)
  for (const patch of [{ metadata: { plan: 'enterprise' } }, { externalId: 'mine' }])
    await expectRefused(await key.patch(`/v1/organizations/${subOrgId}`, patch))
  const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
  expect(decodeJwt(session.access_token)).toMatchObject({ plan: 'free', crm: 'crm' })
})

test.each(organizationKeys)('%s: changes no language of a shared environment', async (_, key) => {
  const { environments } = succeeded(await key.get('/v1/environments'))
  const shared = environments.filter(({ subOrgId }: { subOrgId: string | null }) => subOrgId === null)
  expect(shared).toHaveLength(2)
  for (const { id } of shared) await expectRefused(await key.patch(`/v1/environments/${id}`, { locale: 'ja' }))
})

test('a change of the team is recorded in production, and names the key', async () => {
  const { membershipId } = await joinedMember(app, tenant, 'developer')
  const { id } = succeeded(await tenant.get('/v1/api-keys/current'))
  succeeded(await tenant.delete(`/v1/members/${membershipId}`))
  const removals = async (key: Caller) =>
    succeeded(await key.get('/v1/audit/events?types=member.removed')).events.filter(
      ({ target }: { target: { id: string } }) => target.id === membershipId,
    )
  expect(await removals(tenant)).toMatchObject([{ actor: { type: 'api_key', id } }])
  expect(await removals(staging.everything)).toEqual([])
})

test('an archived or suspended organization keeps its domain, is skipped by discovery, and has it when it is active', async () => {
  const domain = `acme-${fresh()}.example`
  const portal = (action: string, more: object = {}) => tenant.post('/v1/admin-portal', { subOrgId, action, ...more })
  const { verification, id } = succeeded(await portal('add_domain', { domain })).domain
  dns.answers.set(verification.name, { texts: [verification.value] })
  expect(succeeded(await portal('verify_domain', { domainId: id })).success).toBe(true)
  const discovered = async () => {
    const colleague = `${fresh()}@${domain}`
    const { otp_id } = succeeded(await tenant.post('/v1/auth/discovery/otp/send', { email: colleague }))
    const code = await mailedCode(app, colleague)
    const proof = { email: colleague, otp_id, code }
    const { organizations } = succeeded(await tenant.post('/v1/auth/discovery/otp/verify', proof))
    return organizations.map((each: { subOrgId: string }) => each.subOrgId)
  }
  const member = await newUser(tenant, { subOrgId, email: freshEmail('member') })
  expect(await discovered()).toEqual([subOrgId])
  const other = await tenant.organization()
  const claim = () => tenant.post('/v1/admin-portal', { subOrgId: other, action: 'add_domain', domain })
  for (const status of ['suspended', 'archived']) {
    succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status }))
    expect(await discovered()).toEqual([])
    expect(verdict(await claim())).toEqual([409, 'domain_claimed'])
    const send = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: member.email })
    expect(verdict(send)).toEqual([403, 'organization_suspended'])
    const { domains } = succeeded(await tenant.get(`/v1/organizations/${subOrgId}`)).subOrganization
    expect(domains).toEqual([domain])
  }
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' }))
  expect(await discovered()).toEqual([subOrgId])
})

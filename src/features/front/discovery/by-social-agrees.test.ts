import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import type { Reply } from '../../../../test/harness.ts'
import { startSocial } from '../../../../test/peers/social-peer.ts'
import { enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import { HOME } from '../../../../test/people/oidc-organization.ts'
import { newPendingUser, sessionsIn, usersAt } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { USER } from '../../../../test/people/scim-answers.ts'
import { discoverAtPeer, enter, signInAtPeer, switchOn, vouched } from '../../../../test/people/social-discovery.ts'
import { enforceSso } from '../../../../test/walkers/own-world.ts'
import { serviceIds } from '../../tenancy/services/selection.ts'

// For every state of an organization and a user, a social sign-in that begins without an organization must end like
// one that begins in the organization.

const service = await startSocial()
const { app, google: peer } = service
const tenant = await app.tenant()
await tenant.patch('/v1/auth/settings/defaults', { sign_in_rate_limit_per_minute: 10_000 })
await switchOn(tenant)

const dimensions = {
  organization: ['active', 'suspended', 'archived'],
  service: ['on', 'off'],
  provider: ['on', 'off'],
  sso: ['optional', 'enforced'],
  user: ['active', 'inactive', 'locked', 'pending', 'invited', 'provisioned', 'deleted', 'stranger', 'joinable'],
  signUp: ['allowed', 'closed', 'refused'],
  mfa: ['none', 'required', 'enrolled'],
  address: ['vouched', 'unvouched', 'missing'],
  link: ['none', 'linked'],
} as const

type Case = { [D in keyof typeof dimensions]: (typeof dimensions)[D][number] }
const USUAL: Case = {
  organization: 'active',
  service: 'on',
  provider: 'on',
  sso: 'optional',
  user: 'active',
  signUp: 'allowed',
  mfa: 'none',
  address: 'vouched',
  link: 'none',
}

/**
 * Every value with all other values as usual, and a fixed selection of pairs. Random pairs would be hard to
 * reproduce.
 */
function* pairs(): Generator<Case> {
  const entries = Object.entries(dimensions).flatMap(([name, values]) => values.map((value) => [name, value] as const))
  for (const [name, value] of entries) yield { ...USUAL, [name]: value }
  for (const [i, [name, value]] of entries.entries())
    for (const [j, [other, its]] of entries.entries())
      if (i < j && name !== other && ((i * 7 + j * 11) % EVERY === 0 || (name === 'organization' && other === 'link')))
        yield { ...USUAL, [name]: value, [other]: its }
}

// `PAIRS=all` tries every pair, which takes minutes.
const EVERY = process.env['PAIRS'] === 'all' ? 1 : 6

const nameOf = (one: Case) =>
  Object.entries(one)
    .filter(([name, value]) => Reflect.get(USUAL, name) !== value)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'as usual'

const cases = [...new Map([...pairs()].map((one) => [nameOf(one), one]))].filter(
  // A person who is not a user has neither a link nor a factor.
  ([, { user, link, mfa }]) =>
    !['stranger', 'joinable', 'deleted'].includes(user) || (link === 'none' && mfa !== 'enrolled'),
)

interface Place {
  subOrgId: string
  claims: Record<string, unknown> & { email: string }
}

/** Creates an organization with the person, before anything is switched off. */
async function newPlace({ user, link }: Case): Promise<Place> {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.put('/v1/social/providers', { subOrgId, provider: 'google', enabled: true }))
  const domain = `${fresh()}.example`
  const claims = vouched(`ada@${domain}`)
  if (user === 'joinable') await verifyDomain(app, tenant, subOrgId, domain)
  if (user === 'joinable') succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true }))
  if (user === 'pending') await newPendingUser(app.app.platform.db, tenant, { subOrgId, email: claims.email })
  else if (user === 'invited') succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: claims.email }))
  else if (user === 'provisioned') {
    const client = await provisioned(app, tenant, subOrgId)
    const created = await client.call('POST', '/Users', { schemas: [USER], userName: claims.email, active: true })
    expect(created.status, created.text).toBe(201)
  } else if (!['stranger', 'joinable'].includes(user))
    succeeded(await tenant.post('/v1/users', { subOrgId, email: claims.email }))
  if (link === 'linked' && user !== 'pending') await signInAtPeer(app, tenant, { peer, claims, subOrgId })
  return { subOrgId, claims }
}

/** Brings organization and user into the state of the case. */
async function settle(place: Place, one: Case): Promise<void> {
  const { subOrgId, claims } = place
  const [user] = await usersAt(tenant, subOrgId, claims.email)
  if (one.mfa === 'required')
    succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 }))
  if (one.mfa === 'enrolled' && user && one.user !== 'pending' && one.user !== 'invited')
    await enrollTotp(tenant, user.id, { subOrgId })
  if (one.user === 'inactive') succeeded(await tenant.patch(`/v1/users/${user.id}`, { subOrgId, active: false }))
  if (one.user === 'locked') succeeded(await tenant.post(`/v1/users/${user.id}/lock`, { subOrgId, reason: 'test' }))
  if (one.user === 'deleted') succeeded(await tenant.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}`))
  if (one.signUp === 'closed') await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: false })
  if (one.signUp === 'refused') await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: false })
  if (one.sso === 'enforced') await enforceSso({ app, tenant, subOrgId })
  if (one.provider === 'off')
    succeeded(await tenant.put('/v1/social/providers', { subOrgId, provider: 'google', enabled: false }))
  if (one.service === 'off')
    succeeded(
      await tenant.put('/v1/organization-apps', {
        subOrgId,
        enabledAppIds: serviceIds.filter((id) => id !== 'social'),
      }),
    )
  if (one.organization !== 'active')
    succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: one.organization }))
}

const claimsOf = ({ claims }: Place, { address }: Case) => {
  const { email, ...rest } = claims
  if (address === 'missing') return rest
  return address === 'vouched' ? claims : { ...claims, email_verified: false }
}

/** The result of a sign-in, and the state of the user afterwards. */
async function ended({ subOrgId, claims }: Place, reply: Reply | string) {
  if (typeof reply === 'string') return { refused: reply }
  if (reply.status !== 200) return { refused: String(reply.body.code) }
  const { session, challenge_token: _, challenge_expires_at: __, directory_user_id: ___, ...rest } = reply.body
  const { sub_org_id = subOrgId, organization = { subOrgId }, ...held } = rest
  expect([sub_org_id, organization.subOrgId]).toEqual([subOrgId, subOrgId])
  const [user] = await usersAt(tenant, subOrgId, claims.email).catch(() => [])
  const { identities } = user
    ? succeeded(await tenant.get(`/v1/users/${user.id}/identities?subOrgId=${subOrgId}`))
    : { identities: [] }
  const { amr, aal, email_verified, role } = session ? decodeJwt(session.access_token) : {}
  return {
    held,
    token: { amr, aal, email_verified, role },
    user: user && {
      status: user.status,
      source: user.source,
      displayName: user.displayName,
      emailVerified: user.emailVerified,
      subjects: identities.map(({ source, subject, email }: Record<string, string>) => [
        source,
        subject === claims['sub'],
        email === claims.email,
      ]),
    },
    sessions: (await sessionsIn(tenant, subOrgId)).map((one: Record<string, unknown>) => [
      one['auth_method'],
      one['amr'],
      one['aal'],
      one['connection_id'],
    ]),
  }
}

async function inside(place: Place, one: Case): Promise<Reply | string> {
  const { subOrgId } = place
  const body = { provider: 'google', redirectUri: HOME, subOrgId, response_mode: 'code' }
  const begun = await tenant.post('/v1/auth/login/social/start', body)
  if (begun.status !== 200) return begun.body.code
  const asked = { peer, claims: claimsOf(place, one), subOrgId, response_mode: 'code' }
  const { code, error } = await signInAtPeer(app, tenant, asked)
  return error ?? tenant.post('/v1/auth/token/exchange', { subOrgId, code })
}

const CODES_OF_TOKEN = ['discovery_token_invalid']

test.each(cases)('%s', async (_, one) => {
  const [direct, early, late] = [await newPlace(one), await newPlace(one), await newPlace(one)]
  const foundBefore = await discoverAtPeer(app, tenant, { peer, claims: claimsOf(late, one) })
  for (const place of [direct, early, late]) await settle(place, one)
  const expected = await ended(direct, await inside(direct, one))

  const found = await discoverAtPeer(app, tenant, { peer, claims: claimsOf(early, one) })
  const shown = found.organizations.find(({ subOrgId }: Place) => subOrgId === early.subOrgId)
  const entered = await ended(early, await enter(tenant, early.subOrgId, found.discovery_token))
  if ('refused' in expected) {
    const codes = shown ? [expected.refused] : [expected.refused, ...CODES_OF_TOKEN]
    expect(codes).toContain('refused' in entered ? entered.refused : 'not refused')
    // Discovery with a code does not reveal that a user is locked either.
    expect(shown === undefined || ['sso_required', 'user_locked'].includes(expected.refused)).toBe(true)
    expect(shown?.requires ?? null).toBe(shown && expected.refused === 'sso_required' ? 'sso' : null)
    expect(await sessionsIn(tenant, early.subOrgId)).toEqual(one.link === 'linked' ? expect.anything() : [])
  } else if (one.user !== 'stranger' || shown) {
    expect(entered).toEqual(expected)
    expect(shown?.requires).toBe('mfa_required' in expected.held ? 'mfa' : null)
  }

  // Changes after the discovery also count.
  const later = await ended(late, await enter(tenant, late.subOrgId, foundBefore.discovery_token))
  if ('refused' in expected)
    expect([expected.refused, ...CODES_OF_TOKEN]).toContain('refused' in later ? later.refused : 'not refused')
  else if (!('refused' in later)) expect(later).toEqual(expected)
  else expect(CODES_OF_TOKEN).toContain(later.refused)
})

import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import type { Caller, Reply, Tenant } from '../../../../test/harness.ts'
import { startSocial } from '../../../../test/peers/social-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { HOME } from '../../../../test/people/oidc-organization.ts'
import { newEmail, newUser, sessionsIn, usersAt } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import {
  APPLICATION,
  type Claims,
  discoverAtPeer,
  enter,
  signInAtPeer,
  switchOn,
  vouched,
} from '../../../../test/people/social-discovery.ts'
import { enforceSso } from '../../../../test/walkers/own-world.ts'
import { serviceIds } from '../../tenancy/services/selection.ts'

// One login page for all organizations, with buttons for social providers.

const service = await startSocial()
const { app, tenant, google, microsoft } = service
const START = '/v1/auth/login/social/start'
const EXCHANGE = '/v1/auth/token/exchange'
const PROVIDERS = '/v1/social/providers'
await tenant.patch('/v1/auth/settings/defaults', { sign_in_rate_limit_per_minute: 10_000 })
await switchOn(tenant)

const refusal = ({ status, body }: Reply) => [status, body.code]
const INVALID = [400, 'discovery_token_invalid']
const CODE_INVALID = [400, 'code_invalid']
const withoutSocial = { enabledAppIds: serviceIds.filter((id) => id !== 'social') }

/** An organization with the provider turned on. */
async function organization(by: Tenant = tenant, fields: object = {}): Promise<string> {
  const subOrgId = await by.organization()
  succeeded(await by.put(PROVIDERS, { subOrgId, provider: 'google', enabled: true, ...fields }))
  return subOrgId
}

/** Creates organizations in which the address has a user. */
async function organizationsOf(email: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const subOrgId = await organization()
    await newUser(tenant, { subOrgId, email })
    ids.push(subOrgId)
  }
  return ids
}

const codeOf = async (claims: Claims, by: Caller = tenant) =>
  (await signInAtPeer(app, by, { peer: google, claims }))['code'] ?? ''
const discover = (claims: Claims, fields: Claims = {}) =>
  discoverAtPeer(app, tenant, { peer: google, claims, ...fields })
const idsOf = ({ organizations }: { organizations: { subOrgId: string }[] }) =>
  organizations.map(({ subOrgId }) => subOrgId)

test('the organizations of a vouched address, each of which the token opens once', async () => {
  const ada = vouched()
  const [first = '', second = '', third = ''] = await organizationsOf(ada.email, 3)
  await organization()
  const { code, state, ...rest } = await signInAtPeer(app, tenant, { peer: google, claims: ada })
  expect([code, state, rest]).toEqual([expect.any(String), expect.any(String), {}])
  const found = succeeded(await tenant.post(EXCHANGE, { code }))
  expect(found).toEqual({
    session: null,
    discovery_token: expect.stringMatching(/^dsc_v1\./),
    expires_at: expect.any(String),
    organizations: expect.any(Array),
  })
  const shown = { name: expect.any(String), slug: expect.any(String), state: 'active', requires: null }
  expect(found.organizations).toHaveLength(3)
  for (const subOrgId of [first, second, third])
    expect(found.organizations).toContainEqual({ subOrgId, ...shown, connection_id: null })
  expect(refusal(await enter(tenant, await organization(), found.discovery_token))).toEqual(INVALID)
  for (const subOrgId of [first, second]) {
    const replies = await Promise.all(Array.from({ length: 4 }, () => enter(tenant, subOrgId, found.discovery_token)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    const { session } = replies.find(({ status }) => status === 200)?.body ?? {}
    expect(decodeJwt(session.access_token)).toMatchObject({ amr: ['fed'], aal: 'aal1', org_id: subOrgId })
    expect(await sessionsIn(tenant, subOrgId)).toEqual([
      expect.objectContaining({ auth_method: 'social', amr: ['fed'], connection_id: null }),
    ])
  }
  expect(await sessionsIn(tenant, third)).toEqual([])
})

test('a link finds its organization by whatever address, and an address only if the provider vouches for it', async () => {
  const ada = vouched()
  const [linked = '', other = ''] = await organizationsOf(ada.email, 2)
  succeeded(await enter(tenant, linked, (await discover(ada)).discovery_token))
  const [user] = await usersAt(tenant, linked, ada.email)
  const email = newEmail()
  for (const claims of [
    { ...ada, email_verified: false },
    { sub: ada.sub },
    { ...ada, email, email_verified: false },
  ]) {
    const found = await discover(claims)
    expect(idsOf(found)).toEqual([linked])
    const { session } = succeeded(await enter(tenant, linked, found.discovery_token))
    expect(session.directory_user_id).toBe(user.id)
    expect(refusal(await enter(tenant, other, found.discovery_token))).toEqual(INVALID)
  }
  expect(idsOf(await discover({ ...ada, sub: fresh(), email_verified: false }))).toEqual([])
  expect(await sessionsIn(tenant, other)).toEqual([])
})

test('neither code nor token is of use in another environment or account, or to a key of one organization', async () => {
  const ada = vouched()
  const [subOrgId = ''] = await organizationsOf(ada.email, 1)
  const staging = await tenant.withKey({ environment: 'staging' })
  await switchOn(staging)
  succeeded(await staging.put(PROVIDERS, { subOrgId, provider: 'google', enabled: true }))
  succeeded(await staging.post('/v1/users', { subOrgId, email: ada.email }))
  const scoped = await tenant.withKey({ subOrgId })
  const [inStaging, inProduction] = [await codeOf(ada, staging), await codeOf(ada)]
  expect(refusal(await tenant.post(EXCHANGE, { code: inStaging }))).toEqual(CODE_INVALID)
  for (const by of [staging, scoped, await app.tenant()])
    expect(refusal(await by.post(EXCHANGE, { code: inProduction }))).toEqual(CODE_INVALID)
  expect(refusal(await tenant.post(EXCHANGE, { code: inProduction, subOrgId }))).toEqual(CODE_INVALID)
  const [there, here] = [
    succeeded(await staging.post(EXCHANGE, { code: inStaging })).discovery_token,
    succeeded(await tenant.post(EXCHANGE, { code: inProduction })).discovery_token,
  ]
  expect(refusal(await enter(tenant, subOrgId, there))).toEqual(INVALID)
  expect(refusal(await enter(staging, subOrgId, here))).toEqual(INVALID)
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  // In staging the person is not linked, so discovery finds the organization through the address.
  succeeded(await enter(staging, subOrgId, there))
  expect(idsOf(await discover(ada))).toEqual([subOrgId])
  expect(idsOf(await discover({ sub: ada.sub }))).toEqual([])
  // With a key of one organization, a start without subOrgId begins in that organization.
  const within = succeeded(await scoped.post(START, { provider: 'google', redirectUri: HOME })).authorization_url
  expect(new URL(within).searchParams.get('client_id')).toBe('client')
  // The code of an organization's sign-in returns a session there, and no discovery token.
  const direct = await signInAtPeer(app, tenant, { peer: google, claims: ada, subOrgId, response_mode: 'code' })
  const entered = succeeded(await tenant.post(EXCHANGE, { code: direct['code'] }))
  expect(entered.discovery_token).toBeUndefined()
  expect(decodeJwt(entered.session.access_token)['org_id']).toBe(subOrgId)
})

test('guesses at mailed codes do not stop a discovery token of a person at a provider', async () => {
  const ada = vouched()
  const [subOrgId = ''] = await organizationsOf(ada.email, 1)
  const often = { rate_limit_per_minute: 30, rate_limit_per_hour: 30, resend_interval_seconds: 0 }
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, ...often }))
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sign_in_rate_limit_per_minute: 1000 }))
  const guessed: unknown[] = []
  for (let n = 0; n < 6; n++) {
    const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: ada.email }))
    const guess = { subOrgId, email: ada.email, otp_id, code: 'wrong words' }
    for (let i = 0; i < 5; i++) guessed.push((await tenant.post('/v1/auth/login/otp/verify', guess)).body.code)
  }
  expect(new Set(guessed.slice(-5))).not.toEqual(new Set(['otp_invalid']))
  const token = (await discover(ada)).discovery_token
  succeeded(await enter(tenant, subOrgId, token))
})

test('the defaults decide about the start, and what they close ends tokens and codes', async () => {
  const own = await app.tenant()
  const begin = (fields: object = {}) => own.post(START, { provider: 'google', redirectUri: HOME, ...fields })
  expect(refusal(await begin())).toEqual([403, 'provider_disabled'])
  await switchOn(own, 'google', {})
  expect(refusal(await begin())).toEqual([409, 'provider_not_configured'])
  await switchOn(own)
  expect(refusal(await begin({ response_mode: 'query' }))).toEqual([400, 'invalid_request'])
  succeeded(await begin({ response_mode: 'code' }))
  const ada = vouched()
  const subOrgId = await organization(own)
  await newUser(own, { subOrgId, email: ada.email })
  const asked = { peer: google, claims: ada }
  const closings: [string, (isOpen: boolean) => Promise<unknown>, string][] = [
    [
      'provider',
      (isOpen) => own.put(`${PROVIDERS}/defaults`, { provider: 'google', enabled: isOpen }),
      'provider_disabled',
    ],
    [
      'service',
      async (isOpen) => {
        succeeded(await own.put('/v1/organization-apps', { subOrgId, enabledAppIds: serviceIds }))
        return own.put('/v1/organization-apps/defaults', isOpen ? { enabledAppIds: serviceIds } : withoutSocial)
      },
      'service_disabled',
    ],
  ]
  for (const [what, set, expected] of closings) {
    const { code } = await signInAtPeer(app, own, asked)
    const { discovery_token } = await discoverAtPeer(app, own, asked)
    await set(false)
    expect([what, (await begin()).body.code]).toEqual([what, expected])
    expect([what, (await own.post(EXCHANGE, { code })).status]).toEqual([what, what === 'service' ? 403 : 400])
    expect([what, ...refusal(await enter(own, subOrgId, discovery_token))]).toEqual([what, 403, expected])
    await set(true)
  }
  expect(await sessionsIn(own, subOrgId)).toEqual([])
  succeeded(await own.patch('/v1/auth/settings/defaults', { allowed_redirect_uris: ['https://app.example.com/auth'] }))
  expect(refusal(await begin())).toEqual([400, 'invalid_redirect_uri'])
})

test('an organization signs in by the application of the defaults, unless it has its own, which alone opens it', async () => {
  const ada = vouched()
  const [subOrgId = ''] = await organizationsOf(ada.email, 1)
  const clientOf = async () =>
    new URL(
      succeeded(await tenant.post(START, { provider: 'google', redirectUri: HOME, subOrgId })).authorization_url,
    ).searchParams.get('client_id')
  expect(await clientOf()).toBe('client')
  const { discovery_token } = await discover(ada)
  succeeded(
    await tenant.put(PROVIDERS, { subOrgId, provider: 'google', enabled: true, ...APPLICATION, client_id: 'own' }),
  )
  expect(await clientOf()).toBe('own')
  expect(refusal(await enter(tenant, subOrgId, discovery_token))).toEqual([403, 'social_start_required'])
  const found = await discover(ada)
  expect(idsOf(found)).toEqual([subOrgId])
  expect(refusal(await enter(tenant, subOrgId, found.discovery_token))).toEqual([403, 'social_start_required'])
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  succeeded(await tenant.put(PROVIDERS, { subOrgId, provider: 'google', enabled: true, client_id: null }))
  succeeded(await enter(tenant, subOrgId, found.discovery_token))
})

test('an organization that has closed is neither shown nor entered by a token of before, whoever is linked', async () => {
  const ada = vouched()
  const closings: [string, (subOrgId: string) => Promise<Reply>][] = [
    [
      'provider_disabled',
      (subOrgId) => tenant.put(PROVIDERS, { subOrgId, provider: 'google', enabled: false, client_id: null }),
    ],
    ['service_disabled', (subOrgId) => tenant.put('/v1/organization-apps', { subOrgId, ...withoutSocial })],
    ['organization_suspended', (subOrgId) => tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })],
  ]
  for (const [expected, close] of closings) {
    const [subOrgId = ''] = await organizationsOf(ada.email, 1)
    succeeded(await enter(tenant, subOrgId, (await discover(ada)).discovery_token))
    const { discovery_token } = await discover(ada)
    succeeded(await close(subOrgId))
    expect(refusal(await enter(tenant, subOrgId, discovery_token))).toEqual([403, expected])
    expect(idsOf(await discover(ada))).toEqual([])
  }
})

const TENANT = '11111111-2222-4333-8444-555555555555'
const issuer = `${microsoft.url}/${TENANT}/v2.0`
microsoft.behaviour.discovery = (document) => ({ ...document, issuer })

test('an organization that admits another tenant of Microsoft is not entered by the application of the defaults', async () => {
  const own = await app.tenant()
  await switchOn(own, 'microsoft', { ...APPLICATION, tenant: TENANT })
  const email = newEmail()
  const subOrgId = await own.organization()
  await newUser(own, { subOrgId, email })
  const claims = { iss: issuer, sub: 'm-1', email, xms_edov: true, tid: TENANT }
  const set = (other: string | null) =>
    own.put(PROVIDERS, { subOrgId, provider: 'microsoft', enabled: true, tenant: other })
  succeeded(await set('99999999-2222-4333-8444-555555555555'))
  const asked = { peer: microsoft, provider: 'microsoft', claims }
  const { discovery_token } = await discoverAtPeer(app, own, asked)
  expect(refusal(await enter(own, subOrgId, discovery_token))).toEqual([403, 'social_start_required'])
  succeeded(await set(null))
  succeeded(await enter(own, subOrgId, discovery_token))
})

test('a person whom another client of Microsoft names so is not taken for the linked user', async () => {
  const own = await app.tenant()
  await switchOn(own, 'microsoft', { ...APPLICATION, tenant: TENANT })
  const email = newEmail()
  const subOrgId = await own.organization()
  await newUser(own, { subOrgId, email })
  const claims = { iss: issuer, sub: 'm-2', email, xms_edov: true, tid: TENANT }
  const set = (fields: object) => own.put(PROVIDERS, { subOrgId, provider: 'microsoft', enabled: true, ...fields })
  succeeded(await set({ ...APPLICATION, client_id: 'own', tenant: TENANT }))
  const asked = { peer: microsoft, provider: 'microsoft' }
  expect((await signInAtPeer(app, own, { ...asked, claims, subOrgId }))['access_token']).toBeDefined()
  // Now the defaults' application is used, for which `m-2` may be another person.
  succeeded(await set({ client_id: null, client_secret: null, tenant: null }))
  const other = { ...claims, email: newEmail() }
  expect((await discoverAtPeer(app, own, { ...asked, claims: other })).organizations).toEqual([])
  const direct = await signInAtPeer(app, own, { ...asked, claims: other, subOrgId })
  expect(direct['error']).toBe('signup_disabled')
  expect(await sessionsIn(own, subOrgId)).toHaveLength(1)
  // The client that created the link still knows the person.
  succeeded(await set({ ...APPLICATION, client_id: 'own', tenant: TENANT }))
  expect((await signInAtPeer(app, own, { ...asked, claims: other, subOrgId }))['access_token']).toBeDefined()
})

test('whoever has an address of a verified domain joins if sign-up is open', async () => {
  const domain = `${fresh()}.example`
  const subOrgId = await organization()
  await verifyDomain(app, tenant, subOrgId, domain)
  const ada = vouched(`ada@${domain}`)
  expect(idsOf(await discover(ada))).toEqual([])
  const found = await discover(ada, { openSignup: true })
  expect(found.organizations).toEqual([expect.objectContaining({ subOrgId, state: 'joinable' })])
  const unverified = await discover({ ...ada, sub: fresh(), email_verified: false }, { openSignup: true })
  expect(idsOf(unverified)).toEqual([])
  const { session } = succeeded(await enter(tenant, subOrgId, found.discovery_token))
  const { user } = succeeded(await tenant.get(`/v1/users/${session.directory_user_id}?subOrgId=${subOrgId}`))
  expect(user).toMatchObject({ email: ada.email, source: 'social', emailVerified: true, displayName: 'Ada Lovelace' })
  // If the organization loses the domain meanwhile, the person cannot join.
  const late = await discover(vouched(`late@${domain}`), { openSignup: true })
  const { overview } = succeeded(await tenant.get(`/v1/admin-portal?subOrgId=${subOrgId}`))
  const [{ id: domainId }] = overview.domains
  succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'remove_domain', domainId }))
  expect(refusal(await enter(tenant, subOrgId, late.discovery_token))).toEqual(INVALID)
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
})

test('where single sign-on is enforced, the list and the refusal name the connection', async () => {
  const domain = `${fresh()}.example`
  const ada = vouched(`ada@${domain}`)
  const [subOrgId = ''] = await organizationsOf(ada.email, 1)
  const connection_id = await enforceSso({ app, tenant, subOrgId }, domain)
  const found = await discover(ada)
  expect(found.organizations).toEqual([expect.objectContaining({ subOrgId, requires: 'sso', connection_id })])
  const refused = await enter(tenant, subOrgId, found.discovery_token)
  expect([...refusal(refused), refused.body.connection_id]).toEqual([403, 'sso_required', connection_id])
})

test('a vouched address makes an organization, another makes none, and the session says how it was proved', async () => {
  const own = await app.tenant()
  await switchOn(own)
  succeeded(await own.patch('/v1/auth/settings/defaults', { discovery_create_organizations: true }))
  const tokenOf = async (claims: Claims) => (await discoverAtPeer(app, own, { peer: google, claims })).discovery_token
  const create = (discovery_token: string) =>
    own.post('/v1/auth/discovery/create', { discovery_token, name: `Acme ${fresh()}` })
  expect(refusal(await create(await tokenOf({ ...vouched(), email_verified: false })))).toEqual(INVALID)
  const ada = vouched()
  const token = await tokenOf(ada)
  const { organization, session } = succeeded(await create(token))
  expect(decodeJwt(session.access_token)).toMatchObject({ amr: ['fed'], role: 'admin', email: ada.email })
  expect(refusal(await create(token))).toEqual(INVALID)
  expect(await sessionsIn(own, organization.subOrgId)).toHaveLength(1)
  const { providers } = succeeded(await own.get(`${PROVIDERS}?subOrgId=${organization.subOrgId}`))
  const on = providers.filter(({ enabled }: { enabled: boolean }) => enabled)
  expect(on.map(({ provider }: { provider: string }) => provider)).toEqual(['google'])
  const changed = await app.events({ accountId: own.accountId, type: 'social_provider.updated' })
  expect(changed.at(-1)).toMatchObject({ organization_id: organization.subOrgId, data: { provider: 'google' } })
  const back = await discoverAtPeer(app, own, { peer: google, claims: ada })
  expect(idsOf(back)).toEqual([organization.subOrgId])
  succeeded(await enter(own, organization.subOrgId, back.discovery_token))
  const late = await tokenOf(vouched())
  succeeded(await own.put(`${PROVIDERS}/defaults`, { provider: 'google', enabled: false }))
  expect(refusal(await create(late))).toEqual([403, 'provider_disabled'])
})

test('the token ends with the access of its user', async () => {
  const ada = vouched()
  const [byLink = '', byAddress = ''] = await organizationsOf(ada.email, 2)
  succeeded(await enter(tenant, byLink, (await discover(ada)).discovery_token))
  const { discovery_token } = await discover(ada)
  for (const subOrgId of [byLink, byAddress]) {
    const [user] = await usersAt(tenant, subOrgId, ada.email)
    for (const active of [false, true]) succeeded(await tenant.patch(`/v1/users/${user.id}`, { subOrgId, active }))
    expect(refusal(await enter(tenant, subOrgId, discovery_token))).toEqual(INVALID)
  }
})

test('nothing of a person at a provider is stored in the clear before they choose', async () => {
  const ada = vouched()
  const code = await codeOf(ada)
  const rows = await app.app.platform.db.selectFrom('exchange_codes').selectAll().where('user_id', 'is', null).execute()
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(ada.email)
  const { discovery_token } = succeeded(await tenant.post(EXCHANGE, { code }))
  for (const secret of [code, discovery_token]) expect(app.logLines.join()).not.toContain(secret)
  expect(Buffer.from(discovery_token.split('.').at(-1) ?? '', 'base64url').toString('latin1')).not.toContain(ada.email)
})

// Must be the last test, since the providers' clocks do not follow the test's clock.
test('a code is good once, within 60 seconds, and a token for ten minutes', async () => {
  const ada = vouched()
  const [subOrgId = ''] = await organizationsOf(ada.email, 1)
  const code = await codeOf(ada)
  const replies = await Promise.all(Array.from({ length: 6 }, () => tenant.post(EXCHANGE, { code })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(400)])
  const before = await discover(ada)
  const after = await discover(ada)
  expect(refusal(await enter(tenant, subOrgId, before.discovery_token))).toEqual(INVALID)
  succeeded(await enter(tenant, subOrgId, after.discovery_token))
  const { discovery_token } = await discover(ada)
  const late = await codeOf(ada)
  await app.advance(61)
  expect(refusal(await tenant.post(EXCHANGE, { code: late }))).toEqual(CODE_INVALID)
  await app.advance(540)
  expect(refusal(await enter(tenant, subOrgId, discovery_token))).toEqual(INVALID)
})

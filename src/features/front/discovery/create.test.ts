import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh, freshEmail } from '../../../../test/fresh.ts'
import { startApp, type Tenant } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newUser } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { enforceSso } from '../../../../test/walkers/own-world.ts'
import { gates } from '../../../wiring/gates.ts'
import { loginErrors } from '../../access/login/errors.ts'
import { gates as loginGates } from '../../access/login/gates.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { platform } = app.app
const AT = '/v1/auth/discovery'

const set = (tenant: Tenant, patch: object) => tenant.patch('/v1/auth/settings/defaults', patch)

/** An environment in which people may create organizations. */
async function openTenant(patch: object = {}): Promise<Tenant> {
  const tenant = await app.tenant()
  succeeded(await set(tenant, { discovery_create_organizations: true, ...patch }))
  return tenant
}

async function tokenOf(tenant: Tenant, email: string): Promise<string> {
  const { otp_id } = succeeded(await tenant.post(`${AT}/otp/send`, { email }))
  const code = await mailedCode(app, email)
  return succeeded(await tenant.post(`${AT}/otp/verify`, { email, otp_id, code })).discovery_token
}

const create = (tenant: Pick<Tenant, 'post'>, discovery_token: string, body: object = {}) =>
  tenant.post(`${AT}/create`, { discovery_token, name: 'Acme Works', ...body })
const refused = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const invalid = [400, 'discovery_token_invalid']

/** Runs while a gate refuses every sign-in. */
async function whileClosed<T>(run: () => Promise<T>): Promise<T> {
  const closed = {
    evaluate: async () => {
      throw loginErrors.userInactive({ detail: 'Closed by a test.' })
    },
  }
  loginGates.provide(platform, [...gates, closed])
  return run().finally(() => loginGates.provide(platform, gates))
}

const organizationsOf = async (tenant: Tenant): Promise<{ id: string; slug: string; userCount: number }[]> =>
  succeeded(await tenant.get('/v1/organizations?limit=1000')).subOrganizations

test('whoever has proved a mailbox makes an organization, and is its admin, signed in', async () => {
  const tenant = await openTenant()
  const email = freshEmail('ada')
  const elsewhere = await tenant.organization()
  await newUser(tenant, { subOrgId: elsewhere, email })
  const token = await tokenOf(tenant, email)
  const seen = (await app.events({ accountId: tenant.accountId })).length
  const slug = `acme-${fresh()}`
  const { organization, session, ...more } = succeeded(await create(tenant, token, { slug }))
  const { subOrgId } = organization
  expect([organization, more]).toEqual([{ subOrgId: expect.any(String), name: 'Acme Works', slug }, {}])
  const claims = decodeJwt(session.access_token)
  expect(claims).toMatchObject({ org_id: subOrgId, org_slug: slug, role: 'admin', email, email_verified: true })
  // Takes effect at once in this process and in another.
  const { refresh_token } = session
  const refreshed = succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).session
  const beside = { subOrgId, refresh_token: refreshed.refresh_token }
  succeeded(await second.as(tenant.key).post('/v1/auth/token/refresh', beside))
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}`))
  expect(users).toMatchObject([
    { id: session.directory_user_id, email, emailVerified: true, role: 'admin', status: 'active', source: 'signup' },
  ])
  expect(await organizationsOf(tenant)).toContainEqual(expect.objectContaining({ id: subOrgId, userCount: 1 }))
  const events = (await app.events({ accountId: tenant.accountId })).slice(seen)
  expect(events.map(({ type, organization_id }) => [type, organization_id])).toEqual([
    ['organization.created', null],
    ['user.created', subOrgId],
    ['user.updated', subOrgId],
    ['auth.signup.succeeded', subOrgId],
    ['session.created', subOrgId],
    ['auth.login.succeeded', subOrgId],
  ])
  // The user of the other organization still exists, and the same token enters it.
  succeeded(await tenant.post(`${AT}/exchange`, { subOrgId: elsewhere, discovery_token: token }))
})

test('a token makes one organization, and none is entered by it', async () => {
  const tenant = await openTenant()
  const token = await tokenOf(tenant, freshEmail('bea'))
  const { subOrgId } = succeeded(await create(tenant, token)).organization
  expect(refused(await create(tenant, token))).toEqual(invalid)
  expect(refused(await tenant.post(`${AT}/exchange`, { subOrgId, discovery_token: token }))).toEqual(invalid)
  for (const made of ['dsc_', `${token}x`, 'x']) expect(refused(await create(tenant, made))).toEqual(invalid)
  const other = await openTenant()
  expect(refused(await create(other, await tokenOf(tenant, freshEmail('bob'))))).toEqual(invalid)
  const late = await tokenOf(tenant, freshEmail('late'))
  await app.advance(601)
  expect(refused(await create(tenant, late))).toEqual(invalid)
  expect(await organizationsOf(tenant)).toHaveLength(1)
  expect(await organizationsOf(other)).toHaveLength(0)
})

test('of many who bring a token at once, through two services, one makes an organization', async () => {
  const tenant = await openTenant()
  const callers = [tenant, second.as(tenant.key)]
  for (let round = 0; round < 3; round++) {
    const token = await tokenOf(tenant, freshEmail('cleo'))
    const asked = Array.from({ length: 5 }, (_, i) => create(callers[i % 2] ?? tenant, token))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400, 400])
  }
  const made = await organizationsOf(tenant)
  expect(made.map(({ userCount }) => userCount)).toEqual([1, 1, 1])
})

test('it is off unless the defaults of the environment say otherwise', async () => {
  const tenant = await app.tenant()
  const token = await tokenOf(tenant, freshEmail('dora'))
  const before = await snapshot(app)
  expect(refused(await create(tenant, token))).toEqual([403, 'signup_disabled'])
  expect(await snapshot(app)).toEqual(before)
  succeeded(await set(tenant, { discovery_create_organizations: true }))
  // The token was issued while organizations could not be created, so it does not allow that.
  expect(refused(await create(tenant, token))).toEqual(invalid)
  await app.advance(61)
  const opened = await tokenOf(tenant, freshEmail('dan'))
  succeeded(await set(tenant, { discovery_create_organizations: null }))
  expect(refused(await create(tenant, opened))).toEqual([403, 'signup_disabled'])
  const scoped = await tenant.withKey({ subOrgId: await tenant.organization() })
  expect(refused(await create(scoped, opened))).toEqual([403, 'sub_org_mismatch'])
})

test('an organization cannot say so, nor how many', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const before = await snapshot(app)
  for (const [field, value] of [
    ['discovery_create_organizations', true],
    ['discovery_create_limit_per_day', 5],
  ] as const) {
    const { status, body } = await tenant.patch('/v1/auth/settings', { subOrgId, [field]: value })
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          field,
          code: 'defaults_only',
          message: `${field} can be set only in the defaults: PATCH /v1/auth/settings/defaults`,
        },
      ],
    ])
  }
  expect(await snapshot(app)).toEqual(before)
  // Sending back everything that was read changes nothing, and neither does null.
  const { settings } = succeeded(await tenant.get(`/v1/auth/settings?subOrgId=${subOrgId}`))
  const same = { discovery_create_organizations: false, discovery_create_limit_per_day: 100 }
  expect(settings).toMatchObject(same)
  const none = { discovery_create_organizations: null, discovery_create_limit_per_day: null }
  for (const patch of [same, none])
    expect(succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, ...patch })).settings).toMatchObject(same)
})

const suffixed = (slug: string) => expect.stringMatching(new RegExp(`^${slug}-[0-9a-f]{6}$`))

test('a slug that is taken gets a suffix, and so does one that nobody chose', async () => {
  const tenant = await openTenant()
  const slug = `taken-${fresh()}`
  succeeded(await tenant.post('/v1/organizations', { name: 'Taken', slug }))
  const make = async (body: object): Promise<string> =>
    succeeded(await create(tenant, await tokenOf(tenant, freshEmail('eve')), body)).organization.slug
  const long = 'a'.repeat(63)
  const slugs = [
    await make({ slug }),
    await make({ name: 'Ünïque & Söhne' }),
    await make({ name: 'Unique Sohne' }),
    await make({ name: '株式会社' }),
    await make({ slug: long }),
    await make({ slug: long }),
  ]
  expect(slugs).toEqual([
    suffixed(slug),
    'unique-sohne',
    suffixed('unique-sohne'),
    suffixed('organization'),
    long,
    suffixed('a'.repeat(56)),
  ])
  expect((await organizationsOf(tenant)).map((each) => each.slug).toSorted()).toEqual([slug, ...slugs].toSorted())
})

test('of two who choose a slug at once, through two services, both make an organization', async () => {
  const tenant = await openTenant()
  const slug = `wanted-${fresh()}`
  const tokens = [await tokenOf(tenant, freshEmail('abe')), await tokenOf(tenant, freshEmail('bob'))]
  const callers = [tenant, second.as(tenant.key)]
  const made = await Promise.all(tokens.map((token, i) => create(callers[i] ?? tenant, token, { slug })))
  const slugs = made.map((reply) => succeeded(reply).organization.slug).toSorted()
  expect(slugs).toEqual([slug, suffixed(slug)])
})

test('what products keep for themselves, and the name of this one, nobody gets as a slug', async () => {
  const tenant = await openTenant()
  succeeded(await tenant.patch('/v1/mail/settings/defaults', { brand_name: 'Höhle & Co' }))
  for (const [wanted, kept] of [
    [{ slug: 'admin' }, 'admin'],
    [{ name: 'API' }, 'api'],
    [{ slug: 'well-known' }, 'well-known'],
    [{ slug: 'hohle-co' }, 'hohle-co'],
  ] as const) {
    const { organization } = succeeded(await create(tenant, await tokenOf(tenant, freshEmail('flo')), wanted))
    expect(organization.slug).toEqual(suffixed(kept))
  }
  // A caller that manages the account may use a reserved slug.
  succeeded(await tenant.post('/v1/organizations', { name: 'Admin', slug: 'admin' }))
})

test('what staging makes takes no slug from production, and tells nothing of those there', async () => {
  const tenant = await app.tenant()
  const staging = await tenant.withKey({ environment: 'staging' })
  succeeded(await staging.patch('/v1/auth/settings/defaults', { discovery_create_organizations: true }))
  const [taken, free] = [`taken-${fresh()}`, `free-${fresh()}`]
  succeeded(await tenant.post('/v1/organizations', { name: 'Taken', slug: taken }))
  for (const slug of [taken, free]) {
    const email = freshEmail('sue')
    const { otp_id } = succeeded(await staging.post(`${AT}/otp/send`, { email }))
    const proof = { email, otp_id, code: await mailedCode(app, email) }
    const { discovery_token } = succeeded(await staging.post(`${AT}/otp/verify`, proof))
    const { organization } = succeeded(await create(staging, discovery_token, { slug }))
    expect(organization.slug).toEqual(suffixed(slug))
  }
  succeeded(await tenant.post('/v1/organizations', { name: 'Free', slug: free }))
})

test('who of a domain must come by single sign-on makes no organization by their mailbox', async () => {
  const tenant = await openTenant()
  const domain = `${fresh()}.example`
  const subOrgId = await tenant.organization()
  await verifyDomain(app, tenant, subOrgId, domain)
  succeeded(await create(tenant, await tokenOf(tenant, `gil@${domain}`)))
  const token = await tokenOf(tenant, `guy@${domain}`)
  const connectionId = await enforceSso({ app, tenant, subOrgId }, domain)
  const before = (await app.events({ accountId: tenant.accountId })).length
  const reply = await create(tenant, token)
  expect([...refused(reply), reply.body.connection_id]).toEqual([403, 'sso_required', connectionId])
  expect(await app.events({ accountId: tenant.accountId })).toHaveLength(before)
  expect(await organizationsOf(tenant)).toHaveLength(2)
  succeeded(await create(tenant, await tokenOf(tenant, `guy@other.${domain}`)))
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, enforce_sso: false }))
  succeeded(await create(tenant, token))
})

test('a mailbox makes ten a day, and an environment as many as it says; a refusal says when to come again', async () => {
  const tenant = await openTenant({ discovery_create_limit_per_day: 12 })
  const make = async (email: string) => {
    await app.advance(61)
    return create(tenant, await tokenOf(tenant, email))
  }
  const email = freshEmail('ida')
  for (let i = 0; i < 10; i++) {
    const reply = await make(email)
    expect([reply.status, reply.headers.get('ratelimit')]).toEqual([200, expect.stringContaining(`r=${9 - i};`)])
    if (i === 7) await app.advance(3600)
  }
  const own = await make(email)
  expect(refused(own)).toEqual([429, 'rate_limited'])
  expect(Number(own.headers.get('retry-after'))).toBeGreaterThan(3600)
  // Refused attempts do not count for the common limit.
  for (let i = 0; i < 2; i++) expect((await make(freshEmail('kit'))).status).toBe(200)
  const late = await make(freshEmail('lou'))
  expect([...refused(late), Number(late.headers.get('retry-after')) > 3600]).toEqual([429, 'rate_limited', true])
  expect(await organizationsOf(tenant)).toHaveLength(12)
  await app.advance(86_400)
  expect((await make(email)).status).toBe(200)
})

test('what is refused takes nothing of the day of all, and of two processes none exceeds it', async () => {
  const tenant = await openTenant({ discovery_create_limit_per_day: 3 })
  const closed = await tokenOf(tenant, freshEmail('mia'))
  await whileClosed(async () => {
    for (let i = 0; i < 4; i++) expect((await create(tenant, closed)).status).toBe(403)
  })
  const tokens = await Promise.all(Array.from({ length: 8 }, (_, i) => tokenOf(tenant, freshEmail(`m${i}`))))
  const callers = [tenant, second.as(tenant.key)]
  const replies = await Promise.all(tokens.map((token, i) => create(callers[i % 2] ?? tenant, token)))
  const statuses = replies.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array(3).fill(200), ...Array(5).fill(429)])
  expect(await organizationsOf(tenant)).toHaveLength(3)
  // Attempts that this limit refused do not count, either.
  succeeded(await set(tenant, { discovery_create_limit_per_day: 4 }))
  const more = await create(tenant, tokens[replies.findIndex(({ status }) => status === 429)] ?? '')
  expect([more.status, (await create(tenant, closed)).status]).toEqual([200, 429])
})

test('those of one network try thirty times a day, refusals among them', async () => {
  const tenant = await openTenant()
  const from = (address: string) => ({ 'x-end-user-ip': address })
  const make = async (address: string) => {
    const token = await tokenOf(tenant, freshEmail('net'))
    return tenant.post(`${AT}/create`, { discovery_token: token, name: 'Acme' }, from(address))
  }
  await whileClosed(async () => {
    for (let i = 0; i < 29; i++) expect((await make('203.0.113.7')).status).toBe(403)
  })
  const last = await make('203.0.113.7')
  // The header shows the mailbox's own limit.
  expect([last.status, last.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('"default";r=9;')])
  const over = await make('203.0.113.7')
  expect([...refused(over), over.headers.get('ratelimit-policy')]).toEqual([
    429,
    'rate_limited',
    '"network";q=30;w=86400',
  ])
  succeeded(await make('203.0.113.8'))
  expect(await organizationsOf(tenant)).toHaveLength(2)
})

test('where a second factor is demanded, the admin gets a challenge', async () => {
  const tenant = await openTenant()
  succeeded(await tenant.patch('/v1/mfa/policy/defaults', { require_mfa: true, grace_period_days: 0 }))
  const answer = succeeded(await create(tenant, await tokenOf(tenant, freshEmail('max'))))
  expect(answer).toMatchObject({ session: null, mfa_required: true, enrollment_required: true })
  const { subOrgId } = answer.organization
  const { pendingId } = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId: answer.directory_user_id }))
  expect(pendingId).toEqual(expect.any(String))
  const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`))
  expect(users).toEqual([])
})

test('a gate that refuses leaves nothing behind, and the token good', async () => {
  const tenant = await openTenant()
  const token = await tokenOf(tenant, freshEmail('ned'))
  const before = (await app.events({ accountId: tenant.accountId })).length
  const reply = await whileClosed(() => create(tenant, token))
  expect([reply.status, reply.body.detail]).toEqual([403, 'Closed by a test.'])
  expect(await organizationsOf(tenant)).toEqual([])
  expect(await app.events({ accountId: tenant.accountId })).toHaveLength(before)
  succeeded(await create(tenant, token))
})

test('where codes are off nobody makes one by a code', async () => {
  const tenant = await openTenant()
  const token = await tokenOf(tenant, freshEmail('oda'))
  succeeded(await tenant.patch('/v1/otp/settings/defaults', { channel_email: false }))
  expect(refused(await create(tenant, token))).toEqual([403, 'method_disabled'])
  expect(await organizationsOf(tenant)).toEqual([])
})

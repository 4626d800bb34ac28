import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { gates } from '../../../src/gates.ts'
import { succeeded } from '../../../test/factors.ts'
import { fresh, freshEmail } from '../../../test/fresh.ts'
import { startApp, type Tenant } from '../../../test/harness.ts'
import { newUser } from '../../../test/people.ts'
import { startSecondApp } from '../../../test/second-app.ts'
import { mailedCode } from '../../../test/sign-in.ts'
import { snapshot } from '../../../test/snapshot.ts'
import { loginErrors } from '../login/errors.ts'
import { gates as loginGates } from '../login/gates.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { platform } = app.app
const AT = '/v1/auth/discovery'

const set = (tenant: Tenant, patch: object) => tenant.patch('/v1/auth/settings/defaults', patch)

/** An environment in which people make organizations. */
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
  // At once, in this process and in another.
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
  // And is still a user of the other one, which the same token enters.
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
  // It was not among what the token was given for.
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
      [{ field, code: 'defaults_only', message: `${field} is of the environment: PATCH /v1/auth/settings/defaults` }],
    ])
  }
  expect(await snapshot(app)).toEqual(before)
  // Whoever sends back all that was read changes nothing, nor does null.
  const { settings } = succeeded(await tenant.get(`/v1/auth/settings?subOrgId=${subOrgId}`))
  const same = { discovery_create_organizations: false, discovery_create_limit_per_day: 100 }
  expect(settings).toMatchObject(same)
  const none = { discovery_create_organizations: null, discovery_create_limit_per_day: null }
  for (const patch of [same, none])
    expect(succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, ...patch })).settings).toMatchObject(same)
})

test('a slug that is taken costs nothing, and one that nobody chose is made free', async () => {
  const tenant = await openTenant()
  const slug = `taken-${fresh()}`
  succeeded(await tenant.post('/v1/organizations', { name: 'Taken', slug }))
  const token = await tokenOf(tenant, freshEmail('eve'))
  const before = (await app.events({ accountId: tenant.accountId })).length
  expect(refused(await create(tenant, token, { slug }))).toEqual([409, 'slug_taken'])
  expect(await app.events({ accountId: tenant.accountId })).toHaveLength(before)
  expect(await organizationsOf(tenant)).toHaveLength(1)
  succeeded(await create(tenant, token, { name: 'Ünïque & Söhne' }))
  succeeded(await create(tenant, await tokenOf(tenant, freshEmail('fay')), { name: 'Unique Sohne' }))
  succeeded(await create(tenant, await tokenOf(tenant, freshEmail('gus')), { name: '株式会社' }))
  const slugs = (await organizationsOf(tenant)).map((each) => each.slug).toSorted()
  expect(slugs).toEqual(['organization', slug, 'unique-sohne', expect.stringMatching(/^unique-sohne-[0-9a-f]{6}$/)])
  const many = await tokenOf(tenant, freshEmail('hal'))
  for (let i = 0; i < 5; i++) expect(refused(await create(tenant, many, { slug }))).toEqual([409, 'slug_taken'])
  expect(refused(await create(tenant, many))).toEqual(invalid)
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
  // What it was refused has used up nothing of the others’.
  for (let i = 0; i < 2; i++) expect((await make(freshEmail('kit'))).status).toBe(200)
  expect(refused(await make(freshEmail('lou')))).toEqual([429, 'rate_limited'])
  expect(await organizationsOf(tenant)).toHaveLength(12)
  await app.advance(86_400)
  expect((await make(email)).status).toBe(200)
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
  const closed = {
    judge: async () => {
      throw loginErrors.userInactive({ detail: 'Closed by a test.' })
    },
  }
  const before = (await app.events({ accountId: tenant.accountId })).length
  loginGates.hand(platform, [...gates, closed])
  const reply = await create(tenant, token).finally(() => loginGates.hand(platform, gates))
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

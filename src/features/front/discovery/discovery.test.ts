import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh, freshEmail } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newPendingUser, newUser } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { mailedCode, signIn } from '../../../../test/people/sign-in.ts'
import { enforceSso } from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform
const AT = '/v1/auth/discovery'

const send = async (email: string) => succeeded(await tenant.post(`${AT}/otp/send`, { email }))

/** Proves a mailbox with a code. Returns the response. */
async function discover(email: string) {
  const { otp_id } = await send(email)
  const code = await mailedCode(app, email)
  return succeeded(await tenant.post(`${AT}/otp/verify`, { email, otp_id, code }))
}

const enter = (subOrgId: string, discovery_token: string) =>
  tenant.post(`${AT}/exchange`, { subOrgId, discovery_token })
const refused = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const sessionsOf = (email: string) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id')
    .where('users.email_norm', '=', email)
    .execute()

test('somebody enters each of their organizations once, by one proof of the mailbox', async () => {
  const email = freshEmail('ada')
  const [first, second, stranger] = [
    await tenant.organization(),
    await tenant.organization(),
    await tenant.organization(),
  ]
  const [one, two] = [
    await newUser(tenant, { subOrgId: first, email }),
    await newUser(tenant, { subOrgId: second, email }),
  ]
  await newUser(tenant, { subOrgId: stranger })
  await signIn(app, tenant, second, email)
  const { discovery_token, expires_at, organizations } = await discover(email)
  const left = Date.parse(expires_at) - app.app.platform.clock.now().getTime()
  expect(left > 590_000 && left <= 600_000).toBe(true)
  const shown = {
    state: 'active',
    requires: null,
    connection_id: null,
    name: expect.any(String),
    slug: expect.any(String),
  }
  // The organization of the last sign-in comes first.
  expect(organizations).toEqual([
    { subOrgId: second, ...shown },
    { subOrgId: first, ...shown },
  ])
  for (const [subOrgId, user] of [
    [first, one],
    [second, two],
  ] as const) {
    const { session } = succeeded(await enter(subOrgId, discovery_token))
    expect(session.directory_user_id).toBe(user.id)
    expect(refused(await enter(subOrgId, discovery_token))).toEqual([400, 'discovery_token_invalid'])
  }
  // A token without organizations cannot enter one either.
  expect(refused(await enter(stranger, discovery_token))).toEqual([400, 'discovery_token_invalid'])
  expect(await sessionsOf(email)).toHaveLength(3)
})

test('the answer to a stranger is that to everybody, and the proof finds nothing', async () => {
  const email = freshEmail('nobody')
  const known = freshEmail('known')
  await newUser(tenant, { subOrgId: await tenant.organization(), email: known })
  const [strange, usual] = [await send(email), await send(known)]
  expect(Object.keys(strange)).toEqual(Object.keys(usual))
  expect((await app.mails(email)).map(({ subject }) => subject)).toEqual(
    (await app.mails(known)).map(({ subject }) => subject),
  )
  expect((await discover(email)).organizations).toEqual([])
  expect(await db.selectFrom('users').select('id').where('email_norm', '=', email).execute()).toEqual([])
})

test('who is invited, or has not finished a sign-up, is told so, and enters as who is there', async () => {
  const email = freshEmail('ivy')
  const [invited, pending, left] = [
    await tenant.organization(),
    await tenant.organization(),
    await tenant.organization(),
  ]
  succeeded(await tenant.post('/v1/users/invites', { subOrgId: invited, email }))
  await newPendingUser(db, tenant, { subOrgId: pending, email })
  succeeded(await tenant.post('/v1/auth/signup/otp/send', { subOrgId: left, email }))
  const states = (found: { subOrgId: string; state: string }[]) =>
    new Map(found.map((one) => [one.subOrgId, one.state]))
  const { discovery_token, organizations } = await discover(email)
  expect(states(organizations)).toEqual(
    new Map([
      [invited, 'invited'],
      [pending, 'invited'],
    ]),
  )
  for (const subOrgId of [invited, pending]) succeeded(await enter(subOrgId, discovery_token))
  const { invites } = succeeded(await tenant.get(`/v1/users/invites?subOrgId=${invited}`))
  expect(invites).toMatchObject([{ email, status: 'accepted', accepted_by: 'otp' }])
  const accepted = await app.events({ accountId: tenant.accountId, type: 'invite.accepted' })
  expect(accepted).toMatchObject([{ target_id: invites[0].id, organization_id: invited, data: invites[0] }])
  expect(states((await discover(email)).organizations)).toEqual(
    new Map([
      [invited, 'active'],
      [pending, 'active'],
    ]),
  )
})

test('a code is good once, and for its own mailbox', async () => {
  const email = freshEmail('bea')
  const { otp_id } = await send(email)
  const code = await mailedCode(app, email)
  const verify = (body: object) => tenant.post(`${AT}/otp/verify`, { email, otp_id, code, ...body })
  expect(refused(await verify({ code: 'amber falcon' }))).toEqual([401, 'otp_invalid'])
  expect(refused(await verify({ email: freshEmail('other') }))).toEqual([401, 'otp_invalid'])
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  expect(refused(await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))).toEqual([
    401,
    'otp_invalid',
  ])
  const answers = await Promise.all(Array.from({ length: 4 }, () => verify({})))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401])
})

test('of many who bring a token at once, one gets a session; the next one voids it, and so do ten minutes', async () => {
  const email = freshEmail('cleo')
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  const { discovery_token: token } = await discover(email)
  const answers = await Promise.all(Array.from({ length: 5 }, () => enter(subOrgId, token)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
  await app.advance(61)
  const { discovery_token: older } = await discover(email)
  await app.advance(61)
  const { discovery_token: newer } = await discover(email)
  expect(refused(await enter(subOrgId, older))).toEqual([400, 'discovery_token_invalid'])
  await app.advance(600)
  expect(refused(await enter(subOrgId, newer))).toEqual([400, 'discovery_token_invalid'])
  for (const made of ['dsc_', `${newer}x`, newer.slice(0, -4), newer.replace(/v1\.[0-9a-f]{4}/, 'v1.0000'), 'x'])
    expect(refused(await enter(subOrgId, made))).toEqual([400, 'discovery_token_invalid'])
  await app.advance(-722)
  expect(await sessionsOf(email)).toHaveLength(1)
})

test('a token of one environment says nothing in another', async () => {
  const email = freshEmail('dora')
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  const { discovery_token } = await discover(email)
  const other = await app.tenant()
  const theirs = await other.organization()
  await newUser(other, { subOrgId: theirs, email })
  const entered = await other.post(`${AT}/exchange`, { subOrgId: theirs, discovery_token })
  expect(refused(entered)).toEqual([400, 'discovery_token_invalid'])
  const { otp_id } = succeeded(await other.post(`${AT}/otp/send`, { email }))
  const code = await mailedCode(app, email)
  const found = succeeded(await other.post(`${AT}/otp/verify`, { email, otp_id, code }))
  expect(found.organizations.map((each: { subOrgId: string }) => each.subOrgId)).toEqual([theirs])
})

test('who is gone, deactivated, or in a suspended organization is not found there', async () => {
  const email = freshEmail('eve')
  const ids = await Promise.all(Array.from({ length: 4 }, () => tenant.organization()))
  const [kept = '', gone = '', inactive = '', suspended = ''] = ids
  const users = new Map<string, string>()
  for (const subOrgId of ids) users.set(subOrgId, (await newUser(tenant, { subOrgId, email })).id)
  succeeded(await tenant.delete(`/v1/users/${users.get(gone)}?subOrgId=${gone}`))
  succeeded(await tenant.patch(`/v1/users/${users.get(inactive)}`, { subOrgId: inactive, active: false }))
  succeeded(await tenant.patch(`/v1/organizations/${suspended}`, { status: 'suspended' }))
  const { organizations } = await discover(email)
  expect(organizations.map((each: { subOrgId: string }) => each.subOrgId)).toEqual([kept])
})

test('a cut-off ends what was found before', async () => {
  const email = freshEmail('finn')
  const subOrgId = await tenant.organization()
  const { id } = await newUser(tenant, { subOrgId, email })
  const { discovery_token } = await discover(email)
  succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, active: false }))
  expect(refused(await enter(subOrgId, discovery_token))).toEqual([400, 'discovery_token_invalid'])
  expect(await sessionsOf(email)).toEqual([])
})

test('a verified domain lets its people join, as long as it is proved and sign-up is open', async () => {
  const domain = `${fresh()}.example`
  const subOrgId = await tenant.organization()
  await verifyDomain(app, tenant, subOrgId, domain)
  const set = (patch: object) => tenant.patch('/v1/auth/settings', { subOrgId, ...patch })
  const email = `gus@${domain}`
  const { discovery_token, organizations } = await discover(email)
  expect(organizations).toMatchObject([{ subOrgId, state: 'joinable', requires: null }])
  const { session } = succeeded(await enter(subOrgId, discovery_token))
  const { user } = succeeded(await tenant.get(`/v1/users/${session.directory_user_id}?subOrgId=${subOrgId}`))
  expect(user).toMatchObject({ email, emailVerified: true, role: 'member', source: 'signup' })
  const late = await discover(`hal@${domain}`)
  succeeded(await set({ allow_sign_up: false }))
  expect((await discover(`ida@${domain}`)).organizations).toEqual([])
  expect(refused(await enter(subOrgId, late.discovery_token))).toEqual([403, 'signup_disabled'])
  succeeded(await set({ allow_sign_up: true }))
  const { overview } = succeeded(await tenant.get(`/v1/admin-portal?subOrgId=${subOrgId}`))
  const { id: domainId } = overview.domains[0]
  succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'remove_domain', domainId }))
  expect(refused(await enter(subOrgId, late.discovery_token))).toEqual([400, 'discovery_token_invalid'])
  const made = await db.selectFrom('users').select('email').where('email_norm', 'like', `%@${domain}`).execute()
  expect(made.map(({ email }) => email)).toEqual([email])
})

test('discovery does not show a deactivated person the joinable organization of their domain', async () => {
  const domain = `${fresh()}.example`
  const subOrgId = await tenant.organization()
  await verifyDomain(app, tenant, subOrgId, domain)
  const [email, other] = [`jan@${domain}`, `kim@${domain}`]
  const { id } = await newUser(tenant, { subOrgId, email })
  succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, active: false }))
  expect((await discover(email)).organizations).toEqual([])
  expect((await discover(other)).organizations).toMatchObject([{ subOrgId, state: 'joinable' }])
})

test('of very many organizations a hundred are told, first those where somebody was last', async () => {
  const email = freshEmail('many')
  const [last, first] = [await tenant.organization(), await tenant.organization()]
  for (const subOrgId of [last, first]) await newUser(tenant, { subOrgId, email })
  await signIn(app, tenant, first, email)
  await app.advance(61)
  await signIn(app, tenant, last, email)
  await sql`
    with named as (select gen_random_uuid() as id, gen_random_uuid() as of, n from generate_series(1, 120) n),
    organizations_made as (
      insert into organizations (id, account_id, name, slug)
      select of, ${tenant.accountId}, 'Aaa ' || n, 'aaa-' || left(of::text, 13) from named),
    directories_made as (
      insert into directories (id, kind, account_id, environment_id, organization_id)
      select id, 'organization', ${tenant.accountId}, ${tenant.environmentId}, of from named)
    insert into users (directory_id, id, environment_id, email, email_norm, source)
    select id, gen_random_uuid(), ${tenant.environmentId}, ${email}, ${email}, 'api' from named`.execute(db)
  const { organizations } = await discover(email)
  const ids = organizations.map((each: { subOrgId: string }) => each.subOrgId)
  expect([ids.length, new Set(ids).size, ids.slice(0, 2)]).toEqual([100, 100, [last, first]])
})

test('what else an organization asks for is told, and asked for', async () => {
  const email = freshEmail('kit')
  const [plain, strict] = [await tenant.organization(), await tenant.organization()]
  for (const subOrgId of [plain, strict]) await newUser(tenant, { subOrgId, email })
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId: strict, require_mfa: true, grace_period_days: 0 }))
  const { discovery_token, organizations } = await discover(email)
  const requires = Object.fromEntries(
    organizations.map((each: { subOrgId: string; requires: string | null }) => [each.subOrgId, each.requires]),
  )
  expect(requires).toEqual({ [plain]: null, [strict]: 'mfa' })
  expect(succeeded(await enter(strict, discovery_token))).toMatchObject({ session: null, mfa_required: true })
})

test('where single sign-on is enforced, the connection to start is told', async () => {
  const domain = `${fresh()}.example`
  const email = `lou@${domain}`
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  const before = await discover(email)
  const connection_id = await enforceSso({ app, tenant, subOrgId }, domain)
  expect((await enter(subOrgId, before.discovery_token)).body).toMatchObject({ code: 'sso_required', connection_id })
  await app.advance(61)
  const { organizations } = await discover(email)
  expect(organizations).toMatchObject([{ subOrgId, requires: 'sso', connection_id }])
  await app.advance(-61)
  expect(await sessionsOf(email)).toEqual([])
})

test('where codes are off nobody enters by one, and nothing is told of it', async () => {
  const email = freshEmail('max')
  const subOrgId = await tenant.organization()
  await newUser(tenant, { subOrgId, email })
  const before = await discover(email)
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, channel_email: false }))
  expect(refused(await enter(subOrgId, before.discovery_token))).toEqual([403, 'method_disabled'])
  await app.advance(61)
  expect((await discover(email)).organizations).toEqual([])
  await app.advance(-61)
})

test('a key of one organization discovers nothing, nor whoever names one', async () => {
  const subOrgId = await tenant.organization()
  const scoped = await tenant.withKey({ subOrgId })
  const replies = [
    await scoped.post(`${AT}/otp/send`, { email: freshEmail('ned') }),
    await tenant.post(`${AT}/otp/send`, { subOrgId, email: freshEmail('ned') }),
  ]
  for (const reply of replies) {
    expect(refused(reply)).toEqual([403, 'sub_org_mismatch'])
    expect(reply.body).toMatchObject({
      title: 'The organization does not match',
      detail:
        'Discovery covers all organizations. Use an org-wide key (not limited to one organization), and omit subOrgId.',
    })
  }
})

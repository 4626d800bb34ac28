import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { person, RULES, signInAs, workOfOrganization } from '../../../../test/people/federation.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { newId } from '../../../platform/ids.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

async function makeOrganization() {
  const subOrgId = await tenant.organization()
  const { id: _, ...user } = await newUser(tenant, { subOrgId })
  return { subOrgId, user, work: await workOfOrganization(app, subOrgId) }
}

/** Verifies a domain as if its DNS record had been found. */
async function verifyDomain(subOrgId: string, domain: string): Promise<void> {
  await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain })
  await db
    .updateTable('domains')
    .set({ status: 'verified', verified_at: new Date() })
    .where('organization_id', '=', subOrgId)
    .where('domain', '=', domain)
    .execute()
}

const identitiesOf = (userId: string) =>
  db.selectFrom('identities').select(['source', 'subject']).where('user_id', '=', userId).execute()

const social = (email: string, more = {}) => person({ email, emailVerified: true, ...more })
const ownDomain = { ...RULES, needsOwnDomain: true }

test('a person whose address the provider vouches for becomes a user, and is the same one ever after', async () => {
  const { work } = await makeOrganization()
  const ada = social(newEmail(), { firstName: 'Ada', lastName: 'Love\u0000\u202elace', displayName: 'x'.repeat(500) })
  const first = await signInAs(work, ada)
  expect(first).toMatchObject({ from: 'login', access_token: expect.any(String), expires_in: '3600' })
  const { user } = (await tenant.get(`/v1/users/${first['directory_user_id']}`)).body
  expect(user).toMatchObject({
    email: ada.email,
    emailVerified: true,
    source: 'social',
    role: 'member',
    firstName: 'Ada',
    lastName: 'Love lace',
    displayName: 'x'.repeat(200),
  })
  const again = await signInAs(work, { ...ada, email: newEmail(), emailVerified: false })
  expect(again['user_id']).toBe(first['user_id'])
  expect((await tenant.get(`/v1/users/${user.id}`)).body.user.email).toBe(ada.email)
  expect(await identitiesOf(user.id)).toEqual([{ source: 'google', subject: ada.subject }])
})

test('the same subject of another provider, issuer, connection or organization is another person', async () => {
  const { work } = await makeOrganization()
  const other = await makeOrganization()
  const ada = social(newEmail())
  await signInAs(work, ada)
  const unknown = { ...ada, email: null }
  expect((await signInAs(work, unknown, RULES, { source: 'github' }))['error']).toBe('email_missing')
  expect((await signInAs(work, unknown, RULES, { method: 'sso', source: randomUUID() }))['error']).toBe('email_missing')
  expect((await signInAs(work, { ...unknown, issuer: 'https://evil.example' }))['error']).toBe('email_missing')
  expect((await signInAs(other.work, unknown))['error']).toBe('email_missing')
  expect((await signInAs(work, unknown))['access_token']).toBeDefined()
})

test.each([
  ['not said to be verified', { emailVerified: false }, 'email_not_verified'],
  ['missing', { email: null }, 'email_missing'],
  ['not an address', { email: '"a@evil.example"@acme.example' }, 'email_missing'],
])('an address that is %s links nobody', async (_, fields, error) => {
  const { work, user } = await makeOrganization()
  expect(await signInAs(work, social(user.email, fields))).toMatchObject({ error, state: expect.any(String) })
  expect(await db.selectFrom('identities').selectAll().where('directory_id', '=', work.directory.id).execute()).toEqual(
    [],
  )
})

test('who is known by address is linked, and what a stranger set up before goes', async () => {
  const { work, subOrgId } = await makeOrganization()
  const email = newEmail()
  const squatter = await tenant.post('/v1/auth/signup/password', {
    subOrgId,
    email,
    password: 'correct horse battery staple',
    openSignup: true,
  })
  expect(squatter.status).toBe(200)
  const { refresh_token, directory_user_id } = squatter.body.session
  const owner = await signInAs(work, social(email))
  expect(owner['directory_user_id']).toBe(directory_user_id)
  expect((await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).status).toBe(401)
  const login = { subOrgId, email, password: 'correct horse battery staple' }
  expect((await tenant.post('/v1/auth/login/password', login)).status).toBe(401)
  expect(await identitiesOf(directory_user_id)).toHaveLength(1)
})

test('whoever has proved the mailbox keeps what they have', async () => {
  const { work, subOrgId } = await makeOrganization()
  const known = await signedInUser(app, tenant, subOrgId, newEmail())
  const linked = await signInAs(work, social(known.email))
  expect(linked['user_id']).toBe(known.session.user_id)
  const { refresh_token } = known.session
  expect((await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).status).toBe(200)
})

test('a connection that names domains speaks for no other, though its organization has verified it', async () => {
  const { work, subOrgId } = await makeOrganization()
  const [mine, named] = [`mine-${fresh()}.example`, `named-${fresh()}.example`]
  for (const domain of [mine, named]) await verifyDomain(subOrgId, domain)
  const sso = { method: 'sso', source: newId() } as const
  const rules = { ...ownDomain, domains: [named.toUpperCase()] }
  const boss = await newUser(tenant, { subOrgId, email: `boss@${mine}` })
  expect((await signInAs(work, person({ email: boss.email }), rules, sso))['error']).toBe('domain_not_verified')
  expect((await signInAs(work, person({ email: `new@${mine}` }), rules, sso))['error']).toBe('domain_not_verified')
  expect((await signInAs(work, person({ email: `new@${named}` }), rules, sso))['access_token']).toBeDefined()
})

test('an address that is another one but for its characters is nobody else', async () => {
  const { work } = await makeOrganization()
  const email = newEmail()
  await signInAs(work, social(email))
  for (const like of [`\uff4e${email.slice(1)}`, `${email}\u00a0`, email.replace(/\.(?=[^.]+$)/, '\u3002')])
    expect((await signInAs(work, social(like)))['error']).toBe('email_missing')
})

test('a person with a name that is too long to be found again is refused', async () => {
  const { work } = await makeOrganization()
  // Not repetitive, since the database would compress a repetitive text.
  const subject = Array.from({ length: 1000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join(
    '',
  )
  expect((await signInAs(work, { ...social(newEmail()), subject }))['error']).toBe('response_invalid')
})

test('a connection speaks for the domains that its organization has verified, and for no other', async () => {
  const { work, subOrgId } = await makeOrganization()
  const other = await makeOrganization()
  const [mine, theirs] = [`mine-${fresh()}.example`, `theirs-${fresh()}.example`]
  await verifyDomain(subOrgId, mine)
  await verifyDomain(other.subOrgId, theirs)
  const sso = { method: 'sso', source: newId() } as const
  const provisioned = await newUser(tenant, { subOrgId, email: `scim@${mine}` })
  // The provider does not say that the address is verified. The organization's domain decides.
  const signedIn = await signInAs(work, person({ email: provisioned.email }), ownDomain, sso)
  expect(signedIn['directory_user_id']).toBe(provisioned.id)
  for (const email of [`ada@${theirs}`, `ada@sub.${mine}`, `ada@${mine}.evil.example`, 'ada@unverified.example'])
    expect((await signInAs(work, social(email), ownDomain, sso))['error']).toBe('domain_not_verified')
  const made = await signInAs(work, person({ email: `new@${mine}` }), { ...ownDomain, defaultRole: 'admin' }, sso)
  expect((await tenant.get(`/v1/users/${made['directory_user_id']}`)).body.user).toMatchObject({
    source: 'sso',
    role: 'admin',
    emailVerified: true,
  })
})

test('an address of a verified domain counts unless the provider says itself that it is not verified', async () => {
  const { work, subOrgId } = await makeOrganization()
  const domain = `${fresh()}.example`
  await verifyDomain(subOrgId, domain)
  const sso = { method: 'sso', source: newId() } as const
  const known = await newUser(tenant, { subOrgId, email: `known@${domain}` })
  const denied = (email: string) => person({ email, emailVerified: false })
  for (const email of [known.email, `new@${domain}`])
    expect((await signInAs(work, denied(email), ownDomain, sso))['error']).toBe('email_not_verified')
  expect(await identitiesOf(known.id)).toEqual([])
  const linked = await signInAs(work, person({ email: known.email, subject: 'known' }), ownDomain, sso)
  expect(linked['directory_user_id']).toBe(known.id)
  // A person who is already linked is found by subject, so the address does not matter.
  const later = { ...denied(known.email), subject: 'known' }
  expect((await signInAs(work, later, ownDomain, sso))['directory_user_id']).toBe(known.id)
})

test('the mail about a link makes no link of the name that an administrator gave the connection', async () => {
  const { work, subOrgId } = await makeOrganization()
  const user = await newUser(tenant, { subOrgId })
  await signInAs(work, social(user.email), { ...RULES, sourceName: 'Acme https://evil.example/login' })
  const mails = (await app.mails(user.email)).filter(({ kind }) => kind === 'identity_linked')
  expect(mails).toHaveLength(1)
  const { text, html } = mails[0] ?? { text: '', html: '' }
  expect(text).toContain('Acme https')
  for (const shown of [text, html]) expect(shown).not.toMatch(/evil\.example|https:\/\/evil/)
})

test('who may not be made is told so', async () => {
  const { work } = await makeOrganization()
  const closed = { ...RULES, jit: false }
  expect((await signInAs(work, social(newEmail()), closed))['error']).toBe('signup_disabled')
})

test('an inactive user, a suspended organization and a missing second factor hold as everywhere', async () => {
  const { work, subOrgId } = await makeOrganization()
  const ada = social(newEmail())
  const { directory_user_id } = await signInAs(work, ada)
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  const held = await signInAs(work, ada)
  expect(held).toMatchObject({
    mfa_required: 'true',
    challenge_token: expect.stringMatching(/^mfa_/),
    directory_user_id,
    sub_org_id: subOrgId,
  })
  expect(Object.keys(held)).not.toContain('access_token')
  expect((await signInAs(work, { ...ada, isTwoFactor: true, amr: ['mfa'] }))['access_token']).toBeDefined()
  await tenant.patch(`/v1/users/${directory_user_id}`, { subOrgId, active: false })
  for (const responseMode of ['query', 'code'] as const)
    expect((await signInAs(work, ada, RULES, { responseMode }))['error']).toBe('user_inactive')
  await tenant.patch(`/v1/users/${directory_user_id}`, { subOrgId, active: true })
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect((await signInAs(work, ada))['error']).toBe('organization_suspended')
})

test('fifty sign-ins of somebody new at once make one user', async () => {
  const { work } = await makeOrganization()
  const ada = social(newEmail())
  const answers = await Promise.all(Array.from({ length: 50 }, () => signInAs(work, ada)))
  const users = new Set(answers.flatMap(({ directory_user_id }) => directory_user_id ?? []))
  expect(users.size).toBe(1)
  expect(answers.every(({ error }) => ['rate_limited', undefined].includes(error))).toBe(true)
})

test.each(['\ud800', '\u0000'])('a subject with %j is refused: it could not be told from others', async (character) => {
  const { work } = await makeOrganization()
  const strange = social(newEmail(), { subject: `sub-${character}` })
  expect((await signInAs(work, strange))['error']).toBe('response_invalid')
  expect((await signInAs(work, { ...strange, subject: 'sub', issuer: character }))['error']).toBe('response_invalid')
})

test('an address or a method with characters that are none is left out', async () => {
  const { work } = await makeOrganization()
  const ada = social(newEmail(), { amr: ['pwd', 'otp\u0000'] })
  const came = await signInAs(work, ada)
  expect(decodeJwt(came['access_token'] ?? '')).toMatchObject({ amr: ['fed', 'pwd'] })
  expect((await signInAs(work, { ...ada, email: 'a\u0000@b.example' }))['user_id']).toBe(came['user_id'])
})

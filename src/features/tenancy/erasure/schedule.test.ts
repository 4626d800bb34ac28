import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { eraseDue, requestErasure, waitForErasure } from '../../../../test/people/erasure.ts'
import { enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import { newEmail, newPasswordUser } from '../../../../test/people/people.ts'
import { mailedCode, signedInUser } from '../../../../test/people/sign-in.ts'
import { joinedMember, type TeamMember } from '../../../../test/people/team.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { scopes } from '../../../contract/contract.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization('of-callers')
const other = await tenant.organization()
const path = `/v1/organizations/${subOrgId}`
const name = 'of-callers'
const staging = await tenant.withKey({ environment: 'staging' })

type Erase = (body: object) => ReturnType<typeof tenant.post>
const asMember =
  ({ headers }: TeamMember, query = ''): Erase =>
  (body) =>
    app.as(null).post(`${path}/erase${query}`, body, headers)
const member = async (role: Parameters<typeof joinedMember>[2], of?: string) =>
  joinedMember(app, tenant, role, of === undefined ? {} : { subOrgId: of })
const asKey = async (options: Parameters<typeof tenant.withKey>[0]): Promise<Erase> => {
  const key = await tenant.withKey(options)
  return (body) => key.post(`${path}/erase`, body)
}
const owner = await member('owner')
const { environments } = succeeded(await tenant.get('/v1/environments'))
const stagingId = environments.find(({ slug }: { slug: string }) => slug === 'staging').id
const rosterOwner = await member('owner', subOrgId)

const callers: Record<string, [Erase, string | null]> = {
  'production key with *': [await asKey({}), null],
  'owner of the account': [asMember(owner), null],
  'owner who works in staging': [
    (body) => app.as(null).post(`${path}/erase`, body, { ...owner.headers, 'x-watchword-environment': stagingId }),
    null,
  ],
  'production key with every scope by name': [await asKey({ scopes: [...scopes] }), 'insufficient_scope'],
  'production key with sub_orgs.write': [await asKey({ scopes: ['sub_orgs.write'] }), 'insufficient_scope'],
  'production key with sub_orgs.*': [await asKey({ scopes: ['sub_orgs.*'] }), 'insufficient_scope'],
  'key of the organization': [await asKey({ subOrgId }), 'sub_org_mismatch'],
  'key of another organization': [await asKey({ subOrgId: other }), 'organization_not_found'],
  'staging key with *': [await asKey({ environment: 'staging' }), 'production_key_required'],
  'staging key of the organization': [await asKey({ environment: 'staging', subOrgId }), 'production_key_required'],
  'admin of the account': [asMember(await member('admin')), 'insufficient_scope'],
  developer: [asMember(await member('developer')), 'insufficient_scope'],
  member: [asMember(await member('member')), 'insufficient_scope'],
  'owner on the roster': [asMember(rosterOwner), 'sub_org_mismatch'],
  'owner on the roster, who names the organization': [
    asMember(rosterOwner, `?subOrgId=${subOrgId}`),
    'sub_org_mismatch',
  ],
}

const recorded = async (id = subOrgId) =>
  (await app.events({ accountId: tenant.accountId })).filter(({ target_id }) => target_id === id)

test.each(Object.entries(callers))('who may request an erasure: %s', async (_, [erase, refusal]) => {
  succeeded(await tenant.patch(path, { status: 'active' }))
  const before = await snapshot(app)
  const events = await recorded()
  const reply = await erase({ name })
  if (refusal !== null) {
    expect([reply.status >= 400, reply.body.code]).toEqual([true, refusal])
    return expect(await snapshot(app)).toEqual(before)
  }
  const shown = succeeded(reply).subOrganization
  expect(shown).toMatchObject({ id: subOrgId, status: 'archived' })
  expect(Date.parse(shown.eraseAt) - Date.parse(shown.archivedAt)).toBe(30 * 86_400_000)
  expect((await recorded()).slice(events.length).map(({ type }) => type)).toEqual([
    'organization.archived',
    'organization.erasure_scheduled',
  ])
})

test('an organization of staging is erased by a staging key, and does not exist for production', async () => {
  const body = { name: 'Staging only', slug: 'staging-only' }
  const { id } = succeeded(await staging.post('/v1/organizations', body)).subOrganization
  const narrow = await tenant.withKey({ environment: 'staging', scopes: ['sub_orgs.write', 'sub_orgs.read'] })
  const erase = (by: Pick<typeof tenant, 'post'>) => by.post(`/v1/organizations/${id}/erase`, { name: body.name })
  expect((await erase(tenant)).body.code).toBe('organization_not_found')
  expect((await erase(narrow)).body.code).toBe('insufficient_scope')
  expect(succeeded(await erase(staging)).subOrganization).toMatchObject({ status: 'archived', environment: 'staging' })
})

test('the name has to be the name, letter by letter', async () => {
  succeeded(await tenant.patch(path, { status: 'active' }))
  const before = await snapshot(app)
  for (const wrong of ['Of-callers', 'of-callers ', 'of'])
    expect((await tenant.post(`${path}/erase`, { name: wrong })).body.code).toBe('organization_name_mismatch')
  expect((await tenant.post(`${path}/erase`, { name: '' })).status).toBe(400)
  expect((await tenant.post(`${path}/erase`, {})).status).toBe(400)
  expect((await tenant.post(`${path}/erase`, { name, now: true })).status).toBe(400)
  expect(await snapshot(app)).toEqual(before)
})

test('a repeated request moves no date and records nothing', async () => {
  const id = await tenant.organization('repeated')
  const first = await requestErasure(tenant, id)
  await app.advance(86_400)
  const events = await recorded(id)
  const again = succeeded(await tenant.post(`/v1/organizations/${id}/erase`, { name: 'repeated' })).subOrganization
  expect([again.eraseAt, again.updatedAt]).toEqual([first.eraseAt, first.updatedAt])
  expect(await recorded(id)).toEqual(events)
  const listed = succeeded(await tenant.get('/v1/organizations?slug=repeated')).subOrganizations
  expect(listed[0].eraseAt).toBe(first.eraseAt)
  expect((await tenant.post(`/v1/organizations/${id}/erase`, { name: 'other' })).status).toBe(409)
})

test('until then no user signs in, as with an archived organization, and a restored one works as before', async () => {
  const id = await tenant.organization('restored')
  succeeded(await tenant.patch(`/v1/organizations/${id}`, { metadata: { plan: 'pro' }, externalId: 'crm-9' }))
  const key = await tenant.withKey({ subOrgId: id })
  const email = newEmail()
  const { session, userId } = await signedInUser(app, key, id, email)
  const { email: withPassword } = await newPasswordUser(tenant, {
    subOrgId: id,
    password: 'correct horse battery staple',
  })
  const ahead = (app.app.platform.clock.now().getTime() - Date.now()) / 1000
  await enrollTotp(key, userId, { ahead })
  const byPassword = () =>
    key.post('/v1/auth/login/password', { email: withPassword, password: 'correct horse battery staple' })
  const before = succeeded(await tenant.get(`/v1/organizations/${id}`)).subOrganization
  await requestErasure(tenant, id)
  expect(succeeded(await key.post('/v1/auth/token/introspect', { token: session.access_token })).active).toBe(false)
  for (const refused of [
    await byPassword(),
    await key.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token }),
  ])
    expect([refused.status, refused.body.code]).not.toEqual([200, undefined])
  expect((await byPassword()).body.code).toBe('organization_suspended')
  expect(succeeded(await key.get(`/v1/users/${userId}`)).user.email).toBe(email)

  await app.advance(29 * 86_400)
  await eraseDue(app.app.platform)
  const events = (await recorded(id)).length
  const restored = succeeded(await tenant.patch(`/v1/organizations/${id}`, { status: 'active' })).subOrganization
  expect({ ...restored, updatedAt: null, userCountedAt: null }).toEqual({
    ...{ ...before, updatedAt: null, userCountedAt: null },
    eraseAt: null,
  })
  expect((await recorded(id)).slice(events).map(({ type }) => type)).toEqual([
    'organization.activated',
    'organization.erasure_cancelled',
  ])
  await waitForErasure(app)
  await eraseDue(app.app.platform)
  expect((await byPassword()).status).toBe(200)
  // The second factor is still required.
  const sent = succeeded(await key.post('/v1/auth/login/otp/send', { email }))
  const code = await mailedCode(app, email)
  const reply = await key.post('/v1/auth/login/otp/verify', { email, otp_id: sent.otp_id, code })
  expect(succeeded(reply)).toMatchObject({ mfa_required: true })
})

test('suspending an archived organization cancels too, and a later archiving alone erases nothing', async () => {
  const id = await tenant.organization('suspended-again')
  await requestErasure(tenant, id)
  const patch = (status: string) => tenant.patch(`/v1/organizations/${id}`, { status })
  expect(succeeded(await patch('suspended')).subOrganization.eraseAt).toBeNull()
  expect(succeeded(await patch('archived')).subOrganization.eraseAt).toBeNull()
  await waitForErasure(app)
  await eraseDue(app.app.platform)
  expect((await tenant.get(`/v1/organizations/${id}`)).status).toBe(200)
  expect((await recorded(id)).map(({ type }) => type)).toEqual([
    ...['organization.created', 'organization.archived', 'organization.erasure_scheduled'],
    ...['organization.suspended', 'organization.erasure_cancelled', 'organization.archived'],
  ])
})

test('callers who may not restore an organization cannot cancel, and other changes do not', async () => {
  const id = await tenant.organization('not-cancelled')
  const own = await tenant.withKey({ subOrgId: id })
  const { eraseAt } = await requestErasure(tenant, id)
  expect((await own.patch(`/v1/organizations/${id}`, { status: 'active' })).body.code).toBe('sub_org_mismatch')
  expect((await staging.patch(`/v1/organizations/${id}`, { status: 'active' })).body.code).toBe(
    'production_key_required',
  )
  for (const change of [{ description: 'Closed' }, { status: 'archived' }])
    expect(succeeded(await tenant.patch(`/v1/organizations/${id}`, change)).subOrganization.eraseAt).toBe(eraseAt)
  succeeded(await tenant.delete(`/v1/organizations/${id}`))
  expect(succeeded(await tenant.get(`/v1/organizations/${id}`)).subOrganization.eraseAt).toBe(eraseAt)
})

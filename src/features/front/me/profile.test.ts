import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { bearing, ownWorld, signedIn, signInAgain } from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world

test('people read themselves, without what the backend keeps for its own use', async () => {
  const person = await signedIn(world)
  await tenant.patch(`/v1/users/${person.id}`, { subOrgId, metadata: { plan: 'gold' }, externalId: 'crm-1' })
  const { user } = succeeded(await person.me.get('/v1/me'))
  expect(user).toEqual({
    id: person.id,
    userId: person.session.user_id,
    subOrgId,
    email: person.email,
    emailVerified: true,
    displayName: null,
    firstName: null,
    lastName: null,
    phone: null,
    locale: null,
    role: 'member',
    scimManaged: false,
    mfaEnrolled: false,
    passkeyCount: 0,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
})

test('people read the name of their organization, as it is now', async () => {
  const person = await signedIn(world)
  const { subOrganization } = succeeded(await tenant.get(`/v1/organizations/${subOrgId}`))
  const organization = { id: subOrgId, name: subOrganization.name, slug: subOrganization.slug }
  expect(succeeded(await person.me.get('/v1/me')).organization).toEqual(organization)
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { name: 'Acme & Söhne' }))
  const renamed = { ...organization, name: 'Acme & Söhne' }
  expect(succeeded(await person.me.get('/v1/me')).organization).toEqual(renamed)
  expect(succeeded(await person.me.patch('/v1/me', { firstName: 'Ada' })).organization).toEqual(renamed)
})

test('people change their names and phone, as themselves, and nothing else', async () => {
  const person = await signedIn(world)
  const names = {
    displayName: 'Ada L.',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: '+14155550123',
    locale: 'fr-CA',
  }
  const changed = await person.me.patch('/v1/me', names)
  expect(succeeded(changed).user).toMatchObject({ id: person.id, ...names })
  const event = (await app.events({ accountId: tenant.accountId, type: 'user.updated' })).at(-1)
  expect(event).toMatchObject({ actor_type: 'user', actor_id: person.id, target_id: person.id })
  for (const field of ['email', 'role', 'active', 'metadata', 'externalId', 'force', 'jobTitle', 'emailVerified'])
    expect([field, (await person.me.patch('/v1/me', { [field]: 'x' })).status]).toEqual([field, 400])
  const tag = changed.headers.get('etag') ?? ''
  expect(succeeded(await person.me.patch('/v1/me', { phone: null }, { 'if-match': tag })).user.phone).toBe(null)
  const late = await person.me.patch('/v1/me', { firstName: 'Eve' }, { 'if-match': tag })
  expect([late.status, late.body.code]).toEqual([412, 'version_conflict'])
})

test('what provisioning has set stays', async () => {
  const person = await signedIn(world)
  await app.app.platform.db
    .updateTable('users')
    .set({ scim_managed: true, first_name: 'Ada' })
    .where('id', '=', person.id)
    .execute()
  const refused = await person.me.patch('/v1/me', { firstName: 'Eve' })
  expect([refused.status, refused.body.code]).toEqual([409, 'scim_managed'])
  expect(succeeded(await person.me.patch('/v1/me', { firstName: 'Ada' })).user.firstName).toBe('Ada')
})

test('people see their own sessions, the present one marked, and end them', async () => {
  const person = await signedIn(world)
  const stranger = await signedIn(world)
  const second = bearing(app, (await signInAgain(person)).access_token)
  const third = bearing(app, (await signInAgain(person)).access_token)
  const list = async (me = person.me) => succeeded(await me.get('/v1/me/sessions')).sessions
  const sessions = await list()
  expect(sessions.map((each: { current: boolean }) => each.current)).toEqual([true, false, false])
  expect((await list(second)).map((each: { current: boolean }) => each.current)).toEqual([false, true, false])
  expect(new Set(sessions.map((each: { directory_user_id: string }) => each.directory_user_id))).toEqual(
    new Set([person.id]),
  )
  const page = succeeded(await person.me.get('/v1/me/sessions?limit=2&order=desc&include_total=true'))
  expect([page.sessions.length, page.has_more, page.total]).toEqual([2, true, 3])

  succeeded(await person.me.delete(`/v1/me/sessions/${sessions[1].id}`))
  expect((await second.get('/v1/me')).status).toBe(401)
  succeeded(await person.me.delete(`/v1/me/sessions/${sessions[1].id}`))
  await app.advance(61)
  const fourth = bearing(app, (await signInAgain(person)).access_token)
  expect(succeeded(await person.me.delete('/v1/me/sessions')).revoked).toBe(2)
  expect([(await third.get('/v1/me')).status, (await fourth.get('/v1/me')).status]).toEqual([401, 401])
  expect([(await person.me.get('/v1/me')).status, (await stranger.me.get('/v1/me')).status]).toEqual([200, 200])
  const ended = (await app.events({ accountId: tenant.accountId, type: 'session.revoked' })).slice(-2)
  expect(ended).toMatchObject([
    { actor_type: 'user', actor_id: person.id, data: { reason: 'revoked' } },
    { actor_type: 'user', actor_id: person.id, data: { reason: 'revoked' } },
  ])
  succeeded(await person.me.delete(`/v1/me/sessions/${sessions[0].id}`))
  expect((await person.me.get('/v1/me')).status).toBe(401)
})

test('a refresh makes no sign-in of long ago a recent one', async () => {
  const person = await signedIn(world)
  const before = succeeded(await person.me.get('/v1/auth/userinfo')).auth_time
  await app.advance(900)
  const { refresh_token } = person.session
  const { session } = succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))
  const after = succeeded(await bearing(app, session.access_token).get('/v1/auth/userinfo')).auth_time
  expect(after).toBe(before)
})

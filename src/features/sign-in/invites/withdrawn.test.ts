import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'

// Changes of a user that end an open invitation, and changes that do not.

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'seven green bottles'

async function invited() {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const invite = async () => succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
  const find = async (id: string) =>
    succeeded(await tenant.get(`/v1/users/invites?subOrgId=${subOrgId}`)).invites.find(
      (one: { id: string }) => one.id === id,
    )
  const eventsOf = async (id: string) =>
    (await app.events({ accountId: tenant.accountId })).filter(({ target_id }) => target_id === id)
  const accept = async () => {
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    return tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: `${PASSWORD} of the owner` })
  }
  return { subOrgId, email, invite, find, eventsOf, accept }
}

type Own = ReturnType<typeof bearing>

const ACTS: [string, (me: Own) => Promise<unknown>][] = [
  [
    'another password',
    async (me) =>
      succeeded(await me.post('/v1/me/password', { current_password: PASSWORD, new_password: `${PASSWORD} again` })),
  ],
  ['the end of their sessions', async (me) => succeeded(await me.delete('/v1/me/sessions'))],
  ['an authenticator app', async (me) => succeeded(await me.post('/v1/me/mfa/totp', {}))],
]

test.each(ACTS)('an invitation to an address that a stranger has signed up for outlives %s', async (_, act) => {
  const { subOrgId, email, invite, find, eventsOf, accept } = await invited()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true }))
  const { session } = succeeded(await tenant.post('/v1/auth/signup/password', { subOrgId, email, password: PASSWORD }))
  const { invite: open } = await invite()
  const me = bearing(app, session.access_token)
  await act(me)
  expect(await find(open.id)).toEqual(open)
  succeeded(await accept())
  expect((await me.get('/v1/me')).status).toBe(401)
  expect((await eventsOf(open.id)).map(({ type }) => type)).toEqual(['invite.created', 'invite.accepted'])
})

test.each(ACTS)('such an invitation is accepted by the code of the owner after %s', async (_, act) => {
  const { subOrgId, email, invite, find } = await invited()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true }))
  const { session } = succeeded(await tenant.post('/v1/auth/signup/password', { subOrgId, email, password: PASSWORD }))
  const { invite: open } = await invite()
  await act(bearing(app, session.access_token))
  await app.advance(61)
  await signIn(app, tenant, subOrgId, email)
  expect(await find(open.id)).toMatchObject({ status: 'accepted', accepted_by: 'otp' })
})

test('a password that an administrator sets ends it, also while the address is not proved', async () => {
  const { subOrgId, invite, find, accept } = await invited()
  const { invite: open, user } = await invite()
  succeeded(await tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password: PASSWORD }))
  expect((await find(open.id)).status).toBe('revoked')
  expect((await accept()).body.code).toBe('token_invalid')
})

test('a new address of a user who has signed up ends it, and is recorded', async () => {
  const { subOrgId, email, invite, eventsOf } = await invited()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true }))
  const { session } = succeeded(await tenant.post('/v1/auth/signup/password', { subOrgId, email, password: PASSWORD }))
  const { invite: open } = await invite()
  const me = bearing(app, session.access_token)
  const other = newEmail()
  const { otp_id } = succeeded(await me.post('/v1/me/email', { email: other }))
  const code = await mailedCode(app, other)
  succeeded(await me.post('/v1/me/email/verify', { email: other, otp_id, code }))
  expect((await eventsOf(open.id)).map(({ type }) => type)).toEqual(['invite.created', 'invite.revoked'])
})

type Place = { subOrgId: string; userId: string }

const ENDS: [string, (place: Place) => Promise<unknown>][] = [
  ['another address', ({ subOrgId, userId }) => tenant.patch(`/v1/users/${userId}`, { subOrgId, email: newEmail() })],
  ['deactivation', ({ subOrgId, userId }) => tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false })],
  ['deletion', ({ subOrgId, userId }) => tenant.delete(`/v1/users/${userId}?subOrgId=${subOrgId}`)],
  [
    'a move',
    async ({ subOrgId, userId }) =>
      tenant.post(`/v1/users/${userId}`, { subOrgId, targetSubOrgId: await tenant.organization() }),
  ],
]

test.each(ENDS)('%s of the user ends the invitation, which is recorded', async (_, end) => {
  const { subOrgId, invite, eventsOf, accept } = await invited()
  const { invite: open, user } = await invite()
  await end({ subOrgId, userId: user.id })
  const { status } = await accept()
  expect(status).toBe(400)
  expect(await eventsOf(open.id)).toMatchObject([
    { type: 'invite.created' },
    {
      type: 'invite.revoked',
      organization_id: subOrgId,
      data: { ...open, status: 'revoked', revoked_at: expect.any(String) },
    },
  ])
})

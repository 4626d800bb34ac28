import { describe, expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { newPasskey } from '../people/authenticator.ts'
import { enrollTotp } from '../people/factors.ts'
import { register, signInBy } from '../people/passkeys.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, mailedLink, type Tokens } from '../people/sign-in.ts'

// The attacks of Sudhodanan and Paverd, "Pre-hijacked Accounts" (USENIX Security 2022): an attacker prepares an account
// under someone else's address, and waits for its owner.

const app = await startApp()
const tenant = await app.tenant()
const ATTACKER = 'the attacker knows this one'
const OWNER = 'only the owner knows this'

interface Place {
  subOrgId: string
  email: string
}

async function newPlace(): Promise<Place> {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true })
  return { subOrgId, email: newEmail() }
}

async function ask(path: string, body: object) {
  const reply = await tenant.post(path, body)
  expect(reply.status, `${path}: ${reply.text}`).toBe(200)
  return reply.body
}

const login = (place: Place, password: string) => tenant.post('/v1/auth/login/password', { ...place, password })

/** The ways to prove a mailbox; each returns the session it gives. */
const proofs: Record<string, (place: Place) => Promise<{ session?: Tokens }>> = {
  'a sign-in code': async (place) => {
    const { otp_id } = await ask('/v1/auth/login/otp/send', place)
    return ask('/v1/auth/login/otp/verify', { ...place, otp_id, code: await mailedCode(app, place.email) })
  },
  'a sign-up code': async (place) => {
    const { otp_id } = await ask('/v1/auth/signup/otp/send', place)
    return ask('/v1/auth/signup/otp/verify', { ...place, otp_id, code: await mailedCode(app, place.email) })
  },
  'a sign-in link': async (place) => {
    await ask('/v1/auth/login/magic-link/send', place)
    const { token_hash } = await mailedLink(app, place.email, 'magic_link')
    return ask('/v1/auth/login/magic-link/verify', { ...place, token_hash })
  },
  'a sign-up link': async (place) => {
    await ask('/v1/auth/signup/authenticate-email/send', place)
    const { token_hash } = await mailedLink(app, place.email, 'signup_link')
    return ask('/v1/auth/signup/authenticate-email/verify', { ...place, token_hash })
  },
  'a reset': async (place) => {
    await ask('/v1/auth/password/reset/send', place)
    const { token_hash } = await mailedLink(app, place.email, 'password_reset')
    return ask('/v1/auth/password/reset/confirm', { ...place, token_hash, password: OWNER })
  },
  'an invitation': async (place) => {
    await ask('/v1/users/invites', place)
    const { token_hash } = await mailedLink(app, place.email, 'invite')
    return ask('/v1/auth/invite/accept', { subOrgId: place.subOrgId, token: token_hash, password: OWNER })
  },
  'a verification link': async (place) => {
    const { users } = (await tenant.get(`/v1/users?subOrgId=${place.subOrgId}&email=${place.email}`)).body
    await ask(`/v1/users/${users[0].id}/verify/resend`, { subOrgId: place.subOrgId })
    const { token_hash } = await mailedLink(app, place.email, 'email_verification')
    return ask('/v1/auth/email/verify', { ...place, token_hash })
  },
}

async function expectDead(place: Place, session: Tokens) {
  const { subOrgId } = place
  expect((await tenant.post('/v1/auth/token/introspect', { token: session.access_token })).body).toEqual({
    active: false,
  })
  const refresh = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  expect(refresh.status).toBe(401)
}

describe.each(Object.keys(proofs))('once the owner has proved the mailbox by %s', (name) => {
  const prove = async (place: Place) => {
    const proved = await proofs[name]?.(place)
    if (!proved) throw new Error('No proof')
    return proved
  }

  test('a password set before opens nothing (classic-federated merge)', async () => {
    const place = await newPlace()
    const { session } = await ask('/v1/auth/signup/password', { ...place, password: ATTACKER })
    expect((await login(place, ATTACKER)).status).toBe(200)
    await prove(place)
    expect((await login(place, ATTACKER)).body.code).toBe('invalid_credentials')
    await expectDead(place, session)
  })

  test('a second factor enrolled before asks nobody (trojan factor)', async () => {
    const place = await newPlace()
    const { session } = await ask('/v1/auth/signup/password', { ...place, password: ATTACKER })
    const userId = session.directory_user_id
    const { subOrgId } = place
    await enrollTotp(tenant, userId, { subOrgId })
    const waiting = (await login(place, ATTACKER)).body
    expect(waiting.session).toBeNull()
    await prove(place)
    const { enrollment } = (await tenant.get(`/v1/mfa/totp?subOrgId=${subOrgId}&userId=${userId}`)).body
    expect(enrollment).toMatchObject({ enrolled: false, backupCodesRemaining: 0 })
    expect((await tenant.get(`/v1/users/${userId}`)).body.user.mfaEnrolled).toBe(false)
    const { challenge_token } = waiting
    const late = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: '123456' })
    expect(late.body.code).toBe('challenge_expired')
  })

  test('names and phone typed before are gone, and what the backend wrote is not', async () => {
    const place = await newPlace()
    const typed = { firstName: 'Mallory', lastName: 'M', phone: '+14155550123' }
    const { session } = await ask('/v1/auth/signup/password', { ...place, ...typed, password: ATTACKER })
    const userId = session.directory_user_id
    const { subOrgId } = place
    await tenant.patch(`/v1/users/${userId}`, { subOrgId, externalId: 'customer-7', metadata: { plan: 'pro' } })
    await prove(place)
    const { user } = (await tenant.get(`/v1/users/${userId}`)).body
    expect(user).toMatchObject({ firstName: null, lastName: null, phone: null, emailVerified: true })
    expect(user).toMatchObject({ externalId: 'customer-7', metadata: { plan: 'pro' } })
  })

  test('a session opened before has ended (unexpired session identifier)', async () => {
    const place = await newPlace()
    const { session } = await ask('/v1/auth/signup', place)
    const refresh = { subOrgId: place.subOrgId, refresh_token: session.refresh_token }
    const kept = (await ask('/v1/auth/token/refresh', refresh)).session
    const { session: owners } = await prove(place)
    await expectDead(place, kept)
    if (owners)
      expect((await tenant.post('/v1/auth/token/introspect', { token: owners.access_token })).body.active).toBe(true)
  })

  test('a passkey registered before opens nothing', async () => {
    const place = await newPlace()
    const { session } = await ask('/v1/auth/signup', place)
    const [userId, passkey] = [session.directory_user_id, newPasskey()]
    const { body } = await register(tenant, { ...place, userId }, passkey)
    const attacker = { ...place, userId, passkey, credentialId: body.credential.id }
    expect((await signInBy(tenant, attacker)).status).toBe(200)
    await prove(place)
    expect((await signInBy(tenant, attacker)).body.code).toBe('passkey_invalid')
    expect((await tenant.get(`/v1/users/${userId}`)).body.user.passkeyCount).toBe(0)
  })

  test('a token held back from before opens nothing (trojan identifier)', async () => {
    const place = await newPlace()
    const { session } = await ask('/v1/auth/signup/password', { ...place, password: ATTACKER })
    const id = session.directory_user_id
    await tenant.put(`/v1/users/${id}/password`, { subOrgId: place.subOrgId, password: ATTACKER, mustChange: true })
    const due = await login(place, ATTACKER)
    expect(due.body.code).toBe('password_change_required')
    await prove(place)
    const { token_hash } = due.body
    const confirm = await tenant.post('/v1/auth/password/reset/confirm', {
      ...place,
      token_hash,
      password: `${ATTACKER}!`,
    })
    expect(confirm.body.code).toBe('token_invalid')
    expect((await login(place, ATTACKER)).body.code).toBe('invalid_credentials')
  })
})

test('what was mailed to the address before opens nothing under the new one (unexpired email change)', async () => {
  const place = await newPlace()
  const attacker = { ...place, email: `attacker-${place.email}` }
  const { user } = (await tenant.post('/v1/users', attacker)).body
  const { otp_id } = await ask('/v1/auth/login/otp/send', attacker)
  const code = await mailedCode(app, attacker.email)
  const links = []
  for (const [path, kind, route] of [
    ['/v1/auth/login/magic-link/send', 'magic_link', '/v1/auth/login/magic-link/verify'],
    ['/v1/auth/password/reset/send', 'password_reset', '/v1/auth/password/reset/confirm'],
    [`/v1/users/${user.id}/verify/resend`, 'email_verification', '/v1/auth/email/verify'],
    [`/v1/users/${user.id}/invite`, 'invite', '/v1/auth/invite/accept'],
    ['/v1/auth/signup/authenticate-email/send', 'signup_link', '/v1/auth/signup/authenticate-email/verify'],
  ] as const) {
    await ask(path, path.startsWith('/v1/users') ? { subOrgId: place.subOrgId } : attacker)
    links.push({ route, token: (await mailedLink(app, attacker.email, kind)).token_hash })
  }
  await tenant.patch(`/v1/users/${user.id}`, { subOrgId: place.subOrgId, email: place.email })
  for (const { route, token } of links)
    for (const { email } of [place, attacker]) {
      const rest = route.endsWith('accept') ? { token } : { email, token_hash: token }
      const password = /accept|confirm/.test(route) ? { password: ATTACKER } : {}
      const reply = await tenant.post(route, { subOrgId: place.subOrgId, ...rest, ...password })
      // A sign-up link for the old address creates a new user there, and never opens the user who moved on.
      if (reply.status === 200) expect(reply.body.session.directory_user_id).not.toBe(user.id)
      else expect([reply.status, reply.body.code], route).toEqual([400, 'token_invalid'])
    }
  const verify = await tenant.post('/v1/auth/login/otp/verify', { ...place, otp_id, code })
  expect(verify.status).toBe(401)
  const sessions = await tenant.get(`/v1/sessions?subOrgId=${place.subOrgId}&userId=${user.id}`)
  expect(sessions.body.users).toEqual([])
})

test('an address that is merely asserted joins no account that is there (non-verifying provider)', async () => {
  for (const isVerified of [false, true]) {
    const place = await newPlace()
    const { user } = (await tenant.post('/v1/users', place)).body
    if (isVerified) await proofs['a sign-in code']?.(place)
    for (const [path, body] of [
      ['/v1/auth/signup', {}],
      ['/v1/auth/signup/password', { password: ATTACKER }],
    ] as const) {
      const reply = await tenant.post(path, { ...place, openSignup: true, ...body })
      expect([reply.status, reply.body.code], path).toEqual(
        isVerified ? [409, 'email_exists'] : [403, 'verification_required'],
      )
    }
    expect((await login(place, ATTACKER)).status).toBe(401)
    expect((await tenant.get(`/v1/users/${user.id}`)).body.user).toMatchObject({ emailVerified: isVerified })
  }
})

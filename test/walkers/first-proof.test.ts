import { describe, expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { newPasskey } from '../people/authenticator.ts'
import { codeOf, enrollTotp, sentSmsCode, signInByLink, succeeded } from '../people/factors.ts'
import { register, signInBy } from '../people/passkeys.ts'
import { newEmail, newUser, type Person, usersAt } from '../people/people.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'

// What the first proof of a mailbox leaves, and what it takes away: no more than a stranger may have set.

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'

const added: Record<string, (subOrgId: string) => Promise<Person>> = {
  'the API': (subOrgId) => newUser(tenant, { subOrgId }),
  async bulk(subOrgId) {
    const email = newEmail()
    const { created } = succeeded(await tenant.put('/v1/users', { subOrgId, users: [{ email }] }))
    return { subOrgId, email, id: created[0].id }
  },
  async 'an invitation'(subOrgId) {
    const email = newEmail()
    const { user } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email }))
    return { subOrgId, email, id: user.id }
  },
}

async function signUp(): Promise<Person> {
  const [subOrgId, email] = [await tenant.organization(), newEmail()]
  const { session } = succeeded(await tenant.post('/v1/auth/signup', { subOrgId, email, openSignup: true }))
  return { subOrgId, email, id: session.directory_user_id }
}

async function signInByCode({ subOrgId, email }: Pick<Person, 'subOrgId' | 'email'>, caller = tenant) {
  const { otp_id } = succeeded(await caller.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const code = await mailedCode(app, email)
  return succeeded(await caller.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))
}

const isEnrolled = async ({ subOrgId, id }: Person) =>
  succeeded(await tenant.get(`/v1/mfa/totp?subOrgId=${subOrgId}&userId=${id}`)).enrollment.enrolled

const noticesTo = async (email: string) =>
  (await app.mails(email)).filter(({ kind }) => /^(mfa_removed|passkey_deleted)$/.test(kind))

describe.each(Object.keys(added))('a user added by %s', (name) => {
  const add = async () => {
    const person = await added[name]?.(await tenant.organization())
    if (!person) throw new Error('Nobody was added')
    return person
  }

  test('keeps the second factor at the first proof, and is asked for it', async () => {
    const person = await add()
    const { subOrgId, id, email } = person
    await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
    const { secret } = await enrollTotp(tenant, id, { subOrgId })
    const asked = await signInByCode(person)
    expect(asked).toMatchObject({ session: null, mfa_required: true, methods: ['totp', 'backup'] })
    expect(await isEnrolled(person)).toBe(true)
    expect(await noticesTo(email)).toEqual([])
    // The administrator's password stays, and is followed by the same challenge.
    const byPassword = succeeded(await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD }))
    expect(byPassword).toMatchObject({ session: null, mfa_required: true, methods: ['totp', 'backup'] })
    const { challenge_token } = asked
    const body = { subOrgId, challenge_token, code: codeOf(secret, 1) }
    expect(succeeded(await tenant.post('/v1/mfa/challenge/verify', body)).session).toBeTruthy()
    expect(await usersAt(tenant, subOrgId, email)).toMatchObject([{ emailVerified: true, mfaEnrolled: true }])
  })

  test('keeps the passkey, and where a factor is required the mailbox alone enrolls no other', async () => {
    const { subOrgId, id, email } = await add()
    await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
    const passkey = newPasskey()
    const { credential } = succeeded(await register(tenant, { subOrgId, userId: id }, passkey))
    const asked = await signInByCode({ subOrgId, email })
    expect(asked).toMatchObject({ session: null, methods: ['passkey'], enrollment_required: false })
    expect(await noticesTo(email)).toEqual([])
    const owner = { subOrgId, email, userId: id, passkey, credentialId: credential.id }
    expect((await signInBy(tenant, owner)).body.session).toBeTruthy()
  })
})

test('a key that may change addresses and sign in takes no factor away', async () => {
  const rights = ['users.write', 'auth.login']
  for (const isProved of [false, true]) {
    const person = await newUser(tenant)
    const { subOrgId, id } = person
    if (isProved) await signInByCode(person)
    await enrollTotp(tenant, id, { subOrgId })
    const key = await tenant.withKey({ subOrgId, scopes: rights })
    const email = newEmail()
    succeeded(await key.patch(`/v1/users/${id}`, { email }))
    const asked = await signInByCode({ subOrgId, email })
    expect(asked).toMatchObject({ session: null, mfa_required: true, enrollment_required: false })
    expect(await isEnrolled(person)).toBe(true)
  }
})

test('nor the passkey of somebody who signed up, where the policy requires a second factor', async () => {
  for (const require_mfa of [true, false]) {
    const person = await signUp()
    const { subOrgId, id } = person
    await signInByCode(person)
    await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa, grace_period_days: 0 })
    succeeded(await register(tenant, { subOrgId, userId: id }, newPasskey()))
    const email = newEmail()
    succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, email }))
    const answer = await signInByCode({ subOrgId, email })
    if (require_mfa) expect(answer).toMatchObject({ session: null, methods: ['passkey'] })
    // Whoever is let in by the new mailbox alone may be somebody else than who registered the passkey.
    else expect(answer.session).toBeTruthy()
    expect(await usersAt(tenant, subOrgId, email)).toMatchObject([{ passkeyCount: require_mfa ? 1 : 0 }])
  }
})

test('an enrollment that waits for its first code ends with the first proof, whoever began it', async () => {
  for (const person of [await newUser(tenant), await signUp()]) {
    const { subOrgId, id: userId } = person
    const { pendingId, secret } = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId }))
    await signInByCode(person)
    const late = await tenant.put('/v1/mfa/totp', { subOrgId, userId, pendingId, code: codeOf(secret) })
    expect([late.status, late.body.code]).toEqual([404, 'enrollment_not_found'])
  }
})

test('whoever loses a factor or a passkey to the first proof is told, and it is recorded', async () => {
  const person = await signUp()
  const { subOrgId, id, email } = person
  await enrollTotp(tenant, id, { subOrgId })
  await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'sms'] })
  await tenant.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: ['US'] })
  const phone = '+14155550123'
  succeeded(await tenant.post('/v1/mfa/sms', { subOrgId, userId: id, phone }))
  succeeded(await tenant.put('/v1/mfa/sms', { subOrgId, userId: id, code: await sentSmsCode(app, phone) }))
  for (const _ of [1, 2]) succeeded(await register(tenant, { subOrgId, userId: id }, newPasskey()))
  const { session } = await signInByCode(person)
  expect(session).toBeTruthy()
  const notices = await noticesTo(email)
  expect(notices.map(({ kind }) => kind).sort()).toEqual(['mfa_removed', 'mfa_removed', 'passkey_deleted'])
  const texts = notices.map(({ text }) => text).join('\n')
  for (const said of ['an authenticator app', 'a phone', 'before this address was confirmed', '2 passkeys'])
    expect(texts).toContain(said)
  const recorded = (await app.events({ accountId: tenant.accountId })).filter(
    ({ organization_id }) => organization_id === subOrgId,
  )
  const lost = recorded.filter(({ type }) => /^(mfa.removed|passkey.deleted)$/.test(type))
  expect(lost.map(({ data }) => data)).toEqual([
    { directory_user_id: id, method: 'totp' },
    { directory_user_id: id, method: 'sms' },
    expect.objectContaining({ directoryUserId: id, deviceType: expect.any(String), createdAt: expect.any(String) }),
    expect.objectContaining({ directoryUserId: id }),
  ])
})

test('a passkey that does not come along into another organization is told of', async () => {
  const [here, there] = [await tenant.organization(), await tenant.organization()]
  const [mover, resident] = [await newUser(tenant, { subOrgId: here }), await newUser(tenant, { subOrgId: there })]
  const { db } = app.app.platform
  for (const { subOrgId, id } of [mover, resident])
    succeeded(await register(tenant, { subOrgId, userId: id }, newPasskey()))
  const { credential_id } = await db
    .selectFrom('passkeys')
    .select('credential_id')
    .where('user_id', '=', resident.id)
    .executeTakeFirstOrThrow()
  await db.updateTable('passkeys').set({ credential_id }).where('user_id', '=', mover.id).execute()
  succeeded(await tenant.post(`/v1/users/${mover.id}`, { subOrgId: here, targetSubOrgId: there }))
  expect(await usersAt(tenant, there, mover.email)).toMatchObject([{ passkeyCount: 0 }])
  expect((await noticesTo(mover.email)).map(({ kind }) => kind)).toEqual(['passkey_deleted'])
})

test('an invitation of somebody who keeps a passkey is refused before anything is typed', async () => {
  const { subOrgId, id, email } = await newUser(tenant)
  succeeded(await register(tenant, { subOrgId, userId: id }, newPasskey()))
  succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId }))
  const { token_hash, url } = await mailedLink(app, email, 'invite')
  const reply = await tenant.post('/v1/auth/invite/accept', { subOrgId, token: token_hash, password: PASSWORD })
  expect([reply.status, reply.body.code]).toEqual([409, 'credential_exists'])
  const page = await fetch(app.baseUrl + new URL(url).pathname + new URL(url).search)
  expect(await page.text()).not.toContain('type="password"')
})

describe('a password', () => {
  const signIn = (person: Pick<Person, 'subOrgId' | 'email'>, password = PASSWORD) =>
    tenant.post('/v1/auth/login/password', { subOrgId: person.subOrgId, email: person.email, password })
  const set = async ({ subOrgId, id }: Person) =>
    succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))
  const signUpBy = async (password: string): Promise<Person> => {
    const [subOrgId, email] = [await tenant.organization(), newEmail()]
    const body = { subOrgId, email, password, openSignup: true }
    const { session } = succeeded(await tenant.post('/v1/auth/signup/password', body))
    return { subOrgId, email, id: session.directory_user_id }
  }
  const OWN = 'seven green bottles of mine'

  test('set by an administrator or the backend stays', async () => {
    const person = await newUser(tenant)
    await set(person)
    const { session } = succeeded(await signIn(person))
    await signInByCode(person)
    const { refresh_token, subOrgId = person.subOrgId } = session
    expect((await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).status).toBe(401)
    expect(succeeded(await signIn(person)).session).toBeTruthy()
  })

  test('of a sign-up goes, and so do an imported one and one that replaced an administrator’s', async () => {
    const { subOrgId } = await newUser(tenant)
    const email = newEmail()
    // A vector of crypt_blowfish.
    const passwordHash = '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
    const user = { email, passwordHash, passwordHashType: 'bcrypt' }
    succeeded(await tenant.put('/v1/users', { subOrgId, users: [user] }))
    await signInByCode({ subOrgId, email })
    expect((await signIn({ subOrgId, email }, 'U*U')).status).toBe(401)
    const signedUp = await signUpBy(OWN)
    await signInByCode(signedUp)
    expect((await signIn(signedUp, OWN)).status).toBe(401)
    // The administrator may have taken who signed up for the owner of the address.
    const other = await signUpBy(OWN)
    await set(other)
    await signInByCode(other)
    for (const password of [OWN, PASSWORD]) expect((await signIn(other, password)).status).toBe(401)
    const person = await newUser(tenant)
    await set(person)
    const { access_token } = succeeded(await signIn(person)).session
    const body = { current_password: PASSWORD, new_password: OWN }
    const own = { authorization: `Bearer ${access_token}` }
    succeeded(await app.as(null).post('/v1/me/password', body, own))
    await signInByCode(person)
    for (const password of [PASSWORD, OWN]) expect((await signIn(person, password)).status).toBe(401)
  })

  test('set by an administrator goes where the address or the organization is another one, though no address was proved', async () => {
    const [mistyped, moved] = [await newUser(tenant), await newUser(tenant)]
    for (const person of [mistyped, moved]) await set(person)
    const email = newEmail()
    succeeded(await tenant.patch(`/v1/users/${mistyped.id}`, { subOrgId: mistyped.subOrgId, email }))
    const there = await tenant.organization()
    const move = { subOrgId: moved.subOrgId, targetSubOrgId: there }
    succeeded(await tenant.post(`/v1/users/${moved.id}`, move))
    for (const person of [
      { subOrgId: mistyped.subOrgId, email },
      { subOrgId: there, email: moved.email },
    ]) {
      await signInByCode(person)
      expect((await signIn(person)).status).toBe(401)
    }
  })

  test('set by an administrator goes where another address was proved before: the account may be another person’s', async () => {
    const person = await newUser(tenant)
    await signInByCode(person)
    await set(person)
    const email = newEmail()
    succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId: person.subOrgId, email }))
    await signInByCode({ ...person, email })
    expect((await signIn({ ...person, email })).status).toBe(401)
  })

  test('set by an administrator is replaced by who accepts the invitation', async () => {
    const person = await newUser(tenant)
    const { subOrgId, id, email } = person
    await set(person)
    succeeded(await tenant.post(`/v1/users/${id}/invite`, { subOrgId }))
    const { token_hash } = await mailedLink(app, email, 'invite')
    succeeded(await tenant.post('/v1/auth/invite/accept', { subOrgId, token: token_hash, password: OWN }))
    expect((await signIn(person)).status).toBe(401)
    expect(succeeded(await signIn(person, OWN)).session).toBeTruthy()
  })
})

test('a challenge that a password began ends with the first proof', async () => {
  const person = await newUser(tenant)
  const { subOrgId, id, email } = person
  await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const login = succeeded(await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD }))
  await signInByCode(person)
  const { challenge_token } = login
  const late = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: codeOf(secret, 1) })
  expect([late.status, late.body.code]).toEqual([400, 'challenge_expired'])
})

test('a challenge of before a cut-off is passed by no code, even where its row has stayed', async () => {
  const { subOrgId, id, email } = await newUser(tenant)
  await signInByLink(tenant, email, { subOrgId })
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const challenges = []
  for (const _ of [1, 2]) challenges.push(succeeded(await signInByLink(tenant, email, { subOrgId })).challenge_token)
  const { db } = app.app.platform
  const cut = (by: number) =>
    db
      .updateTable('users')
      .set((eb) => ({ epoch: eb('epoch', '+', by) }))
      .where('id', '=', id)
      .execute()
  await cut(1)
  for (const trust_device of [false, true]) {
    const body = { subOrgId, challenge_token: challenges[0], code: codeOf(secret, 1), trust_device }
    const late = await tenant.post('/v1/mfa/challenge/verify', body)
    expect([late.status, late.body.code]).toEqual([400, 'challenge_expired'])
  }
  await cut(-1)
  const body = { subOrgId, challenge_token: challenges[1], code: codeOf(secret, 1) }
  succeeded(await tenant.post('/v1/mfa/challenge/verify', body))
})

describe('names and phone typed at a sign-up', () => {
  const TYPED = { firstName: 'Ada', lastName: 'Lovelace', phone: '+14155550123' }
  const NOTHING = { firstName: null, lastName: null, phone: null }

  async function signUpWith(more: object) {
    const [subOrgId, email] = [await tenant.organization(), newEmail()]
    const path = 'password' in more ? '/v1/auth/signup/password' : '/v1/auth/signup'
    succeeded(await tenant.post(path, { subOrgId, email, openSignup: true, ...TYPED, ...more }))
    return { subOrgId, email, token_hash: (await mailedLink(app, email, 'email_verification')).token_hash }
  }

  const shown = async ({ subOrgId, email }: Pick<Person, 'subOrgId' | 'email'>) =>
    (await usersAt(tenant, subOrgId, email))[0]

  test('stay where the link of that sign-up proves the mailbox, and there is no password that shows otherwise', async () => {
    const person = await signUpWith({})
    succeeded(await tenant.post('/v1/auth/email/verify', person))
    expect(await shown(person)).toMatchObject({ ...TYPED, emailVerified: true })
  })

  test('stay with the password, and go without it', async () => {
    for (const sent of [{ password: PASSWORD }, {}]) {
      const person = await signUpWith({ password: PASSWORD })
      succeeded(await tenant.post('/v1/auth/email/verify', { ...person, ...sent }))
      expect(await shown(person)).toMatchObject('password' in sent ? TYPED : NOTHING)
    }
  })

  test('go with a link that was sent again, or by an administrator', async () => {
    const person = await signUpWith({})
    const { id } = await shown(person)
    succeeded(await tenant.post(`/v1/users/${id}/verify/resend`, { subOrgId: person.subOrgId }))
    const { token_hash } = await mailedLink(app, person.email, 'email_verification')
    succeeded(await tenant.post('/v1/auth/email/verify', { ...person, token_hash }))
    expect(await shown(person)).toMatchObject(NOTHING)
  })

  test('go where nothing else had been set up, too, and the event says so', async () => {
    const [subOrgId, email] = [await tenant.organization(), newEmail()]
    await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
    const held = succeeded(await tenant.post('/v1/auth/signup', { subOrgId, email, openSignup: true, ...TYPED }))
    expect(held.session).toBeNull()
    await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: false })
    // The challenge and the link have expired: there is nothing but the profile.
    await app.advance(25 * 3600)
    const { db } = app.app.platform
    await db.deleteFrom('mfa_challenges').where('user_id', '=', held.directory_user_id).execute()
    expect((await signInByCode({ subOrgId, email })).session).toBeTruthy()
    expect(await shown({ subOrgId, email })).toMatchObject(NOTHING)
    const [verified] = (await app.events({ accountId: tenant.accountId, type: 'user.email_verified' })).slice(-1)
    expect(verified?.previous).toMatchObject({ ...TYPED, emailVerified: false })
    await app.advance(-25 * 3600)
  })

  test('stay of somebody who proved an earlier address, and of people whom the application added', async () => {
    const person = await signUpWith({})
    succeeded(await tenant.post('/v1/auth/email/verify', person))
    const { subOrgId } = person
    const moved = { subOrgId, email: newEmail() }
    const { id } = await shown(person)
    succeeded(await tenant.patch(`/v1/users/${id}`, moved))
    const made = { subOrgId, email: newEmail() }
    succeeded(await tenant.post('/v1/users', { ...made, ...TYPED }))
    for (const each of [moved, made]) {
      await signInByCode(each)
      expect(await shown(each)).toMatchObject({ ...TYPED, emailVerified: true })
    }
  })
})

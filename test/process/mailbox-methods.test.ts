import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type ReceivedMail, startMailService, succeed } from './mail-service.ts'
import { startedOnce } from './service.ts'

// Every sign-in method that begins with a mail, as in production: sent over STARTTLS with a password, and ending in a
// session. `receive` asserts what is true of every mail.

const mails = await startedOnce(startMailService)
const { api, post, receive, expectSession } = mails
const PASSWORD = 'correct horse battery staple'
const NEW = 'a quite different sentence'

afterEach(async () => {
  expect(await mails.unreceived()).toEqual([])
  mails.expectEncryptedLogins()
})

async function newcomer() {
  return { subOrgId: await mails.organization(), email: `${randomUUID()}@example.com` }
}

async function newUser() {
  const { subOrgId, email } = await newcomer()
  const { user } = await post('/v1/users', { subOrgId, email })
  return { subOrgId, email, id: String(user.id) }
}

/** A user with a password, who has read the mail about it. */
async function passwordUser() {
  const { id, subOrgId, email } = await newUser()
  succeed(await api.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))
  await receive(email)
  return { id, subOrgId, email }
}

/** The link's part of a request that redeems it. */
function redeeming({ link, code }: ReceivedMail, type: string) {
  expect([link?.type, code]).toEqual([type, null])
  return { email: link?.email, token_hash: link?.token }
}

function login({ subOrgId, email }: { subOrgId: string; email: string }, password: string) {
  return api.post('/v1/auth/login/password', { subOrgId, email, password })
}

test('a code signs in', async () => {
  const { subOrgId, email } = await newUser()
  const { otp_id } = await post('/v1/auth/login/otp/send', { subOrgId, email })
  const { subject, code, link } = await receive(email)
  expect([subject, link]).toEqual(['Your sign-in code', null])
  await expectSession(subOrgId, await api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))
})

test('a code signs up', async () => {
  const { subOrgId, email } = await newcomer()
  const { otp_id } = await post('/v1/auth/signup/otp/send', { subOrgId, email })
  const { code, link } = await receive(email)
  expect(link).toBeNull()
  await expectSession(subOrgId, await api.post('/v1/auth/signup/otp/verify', { subOrgId, email, otp_id, code }))
})

test('a link signs in, and so do the words of the same mail', async () => {
  const { subOrgId, email } = await newUser()
  const { otp_id } = await post('/v1/auth/login/magic-link/send', { subOrgId, email })
  const first = await receive(email)
  expect(first.link?.type).toBe('magiclink')
  const verify = { subOrgId, email, otp_id, code: first.code }
  await expectSession(subOrgId, await api.post('/v1/auth/login/otp/verify', verify))
  await post('/v1/auth/login/magic-link/send', { subOrgId, email })
  const { link, code } = await receive(email)
  expect(code).not.toBe(first.code)
  const redeem = { subOrgId, email, token_hash: link?.token }
  await expectSession(subOrgId, await api.post('/v1/auth/login/magic-link/verify', redeem))
})

test('a forgotten password is replaced, and the change is told', async () => {
  const { subOrgId, email } = await passwordUser()
  await post('/v1/auth/password/reset/send', { subOrgId, email })
  const chosen = { ...redeeming(await receive(email), 'recovery'), password: NEW }
  await expectSession(subOrgId, await api.post('/v1/auth/password/reset/confirm', { subOrgId, ...chosen }))
  expect(await receive(email)).toMatchObject({ subject: 'Your password was changed', link: null, code: null })
  await expectSession(subOrgId, await login({ subOrgId, email }, NEW))
})

test('an administrator has somebody choose another password', async () => {
  const { subOrgId, email, id } = await passwordUser()
  await post(`/v1/users/${id}/password/reset`, { subOrgId })
  const chosen = { ...redeeming(await receive(email), 'recovery'), password: NEW }
  await expectSession(subOrgId, await api.post('/v1/auth/password/reset/confirm', { subOrgId, ...chosen }))
  expect(await receive(email)).toMatchObject({ subject: 'Your password was changed', link: null, code: null })
})

test('an invitation is accepted with a first password', async () => {
  const { subOrgId, email } = await newcomer()
  await post('/v1/users/invites', { subOrgId, email })
  const { token_hash: token } = redeeming(await receive(email), 'invite')
  await expectSession(subOrgId, await api.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD }))
  await expectSession(subOrgId, await login({ subOrgId, email }, PASSWORD))
})

test('of two invitations the newer one is accepted', async () => {
  const { subOrgId, email } = await newcomer()
  const { user } = await post('/v1/users/invites', { subOrgId, email })
  const { token_hash: first } = redeeming(await receive(email), 'invite')
  await post(`/v1/users/${user.id}/invite`, { subOrgId })
  const { token_hash: second } = redeeming(await receive(email), 'invite')
  const accept = (token?: string) => api.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD })
  expect((await accept(first)).body.code).toBe('token_invalid')
  await expectSession(subOrgId, await accept(second))
})

test('a sign-up with a password is verified, and the password signs in afterwards', async () => {
  const { subOrgId, email } = await newcomer()
  await expectSession(subOrgId, await api.post('/v1/auth/signup/password', { subOrgId, email, password: PASSWORD }))
  const verify = { subOrgId, ...redeeming(await receive(email), 'verification'), password: PASSWORD }
  await post('/v1/auth/email/verify', verify)
  await expectSession(subOrgId, await login({ subOrgId, email }, PASSWORD))
})

test('a sign-up without a password is verified', async () => {
  const { subOrgId, email } = await newcomer()
  await expectSession(subOrgId, await api.post('/v1/auth/signup', { subOrgId, email }))
  await post('/v1/auth/email/verify', { subOrgId, ...redeeming(await receive(email), 'verification') })
})

test('a verification is mailed again, and a code signs in afterwards', async () => {
  const { subOrgId, email, id } = await newUser()
  await post(`/v1/users/${id}/verify/resend`, { subOrgId })
  await post('/v1/auth/email/verify', { subOrgId, ...redeeming(await receive(email), 'verification') })
  expect(succeed(await api.get(`/v1/users/${id}`)).user.emailVerified).toBe(true)
  const { otp_id } = await post('/v1/auth/login/otp/send', { subOrgId, email })
  const { code } = await receive(email)
  await expectSession(subOrgId, await api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))
})

test.each(['newcomer', 'user'])('a link lets in whoever signs up: a %s', async (who) => {
  const { subOrgId, email } = who === 'user' ? await newUser() : await newcomer()
  await post('/v1/auth/signup/authenticate-email/send', { subOrgId, email })
  const mail = await receive(email)
  expect(mail.subject).toBe(who === 'user' ? 'Your sign-in link' : 'Confirm your email address')
  const redeem = { subOrgId, ...redeeming(mail, 'signup') }
  await expectSession(subOrgId, await api.post('/v1/auth/signup/authenticate-email/verify', redeem))
})

test('a lock is told and ended by its link', async () => {
  const { subOrgId, email } = await passwordUser()
  for (const _ of [1, 2, 3]) expect((await login({ subOrgId, email }, NEW)).status).toBe(401)
  expect((await login({ subOrgId, email }, PASSWORD)).body.code).toBe('account_locked')
  await post('/v1/auth/unlock', { subOrgId, ...redeeming(await receive(email), 'unlock') })
  await expectSession(subOrgId, await login({ subOrgId, email }, PASSWORD))
})

test('a password and an address that an administrator changed are told', async () => {
  const { subOrgId, email, id } = await newUser()
  succeed(await api.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))
  expect(await receive(email)).toMatchObject({ subject: 'Your password was changed', link: null, code: null })
  succeed(await api.patch(`/v1/users/${id}`, { subOrgId, email: `${randomUUID()}@example.com` }))
  expect(await receive(email)).toMatchObject({ subject: 'Your email address was changed', link: null, code: null })
})

test('nobody’s address is mailed', async () => {
  const { subOrgId, email } = await newcomer()
  const closed = { subOrgId, email, openSignup: false }
  await post('/v1/auth/login/otp/send', { subOrgId, email })
  await post('/v1/auth/login/magic-link/send', { subOrgId, email })
  await post('/v1/auth/password/reset/send', { subOrgId, email })
  await post('/v1/auth/signup/otp/send', closed)
  await post('/v1/auth/signup/authenticate-email/send', closed)
  for (const _ of [1, 2, 3]) expect((await login({ subOrgId, email }, PASSWORD)).status).toBe(401)
})

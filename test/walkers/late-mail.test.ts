import { afterAll, beforeEach, expect, test } from 'vitest'
import { startWorker } from '../../src/platform/jobs/worker.ts'
import { jobs } from '../../src/wiring/jobs.ts'
import { startApp, until } from '../harness.ts'
import { startSmtpPeer } from '../peers/smtp-peer.ts'
import { newEmail } from '../people/people.ts'

// After an outage of the mail server: a mail's code or link works when it arrives, or the mail is not sent at all.

const peer = await startSmtpPeer({ withoutStarttls: true })
afterAll(() => peer.stop())
const app = await startApp({
  env: { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, WATCHWORD_MAIL_FROM: 'Acme <login@acme.example>' },
})
const { platform } = app.app
const tenant = await app.tenant()
const [MINUTE, HOUR] = [60, 3600]
const DAY = 24 * HOUR
const PASSWORD = 'correct horse battery staple'

beforeEach(() => {
  peer.deliveries.length = 0
})

interface Person {
  subOrgId: string
  email: string
  id: string
}

const post = (path: string, body: object) => tenant.post(path, body)
const sendAt = (path: string) => {
  return ({ subOrgId, email }: Person) => post(path, { subOrgId, email })
}
const signUpAt = (path: string, extra: object = {}) => {
  return ({ subOrgId }: Person) => post(path, { subOrgId, email: newEmail(), openSignup: true, ...extra })
}
const administer = (action: string) => {
  return ({ subOrgId, id }: Person) => post(`/v1/users/${id}/${action}`, { subOrgId })
}
const setPassword = ({ subOrgId, id }: Person) =>
  tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })

async function lock({ subOrgId, email }: Person) {
  await tenant.patch('/v1/auth/settings', { subOrgId, lockout_max_attempts: 3 })
  const login = () => post('/v1/auth/login/password', { subOrgId, email, password: 'not the password' })
  await login()
  await login()
  const third = await login()
  return { ...third, status: third.status === 401 ? 200 : third.status }
}

/** Every kind of mail, and how long its code or link is valid. */
const mailings: [string, number, (person: Person) => Promise<{ status: number; text: string }>][] = [
  ['login_otp', 5 * MINUTE, sendAt('/v1/auth/login/otp/send')],
  ['signup_otp', 5 * MINUTE, signUpAt('/v1/auth/signup/otp/send')],
  ['magic_link', 10 * MINUTE, sendAt('/v1/auth/login/magic-link/send')],
  ['password_reset', 30 * MINUTE, sendAt('/v1/auth/password/reset/send')],
  ['password_reset', 30 * MINUTE, administer('password/reset')],
  ['account_locked', HOUR, lock],
  ['signup_link', 10 * MINUTE, sendAt('/v1/auth/signup/authenticate-email/send')],
  ['signup_link', DAY, signUpAt('/v1/auth/signup/authenticate-email/send')],
  ['email_verification', DAY, administer('verify/resend')],
  ['email_verification', DAY, signUpAt('/v1/auth/signup')],
  ['email_verification', DAY, signUpAt('/v1/auth/signup/password', { password: PASSWORD })],
  ['password_changed', DAY, setPassword],
  ['invite', 7 * DAY, sendAt('/v1/users/invites')],
  ['invite', 7 * DAY, administer('invite')],
]

/** Sends the mail while the server is down for so long. Returns how many arrived and how many counted as expired. */
async function sendLate(mailing: (typeof mailings)[number], afterSeconds: number) {
  const [kind, , send] = mailing
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { user } = (await post('/v1/users', { subOrgId, email })).body
  const reply = await send({ subOrgId, email, id: user.id })
  expect(reply.status, reply.text).toBe(200)
  const queued = await platform.db.selectFrom('mail_outbox').select('kind').execute()
  expect(queued).toEqual([{ kind }])
  await app.advance(afterSeconds)
  const before = await countExpired()
  const worker = await startWorker(platform, jobs)
  await until(async () => (await platform.db.selectFrom('mail_outbox').select('id').execute()).length === 0)
  await worker.stop(5000)
  return { arrived: peer.deliveries.length, expired: (await countExpired()) - before }
}

async function countExpired(): Promise<number> {
  const { values } = await platform.metrics.mail.get()
  return values.find(({ labels }) => labels.result === 'expired')?.value ?? 0
}

test.each(mailings)('%s: is sent as long as it is good, %i s', async (...mailing) => {
  const [, goodSeconds] = mailing
  expect(await sendLate(mailing, goodSeconds - 30)).toEqual({ arrived: 1, expired: 0 })
  peer.deliveries.length = 0
  expect(await sendLate(mailing, goodSeconds)).toEqual({ arrived: 0, expired: 1 })
})

test('what arrives late still works for the rest of its time', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  await post('/v1/users', { subOrgId, email })
  await post('/v1/auth/login/magic-link/send', { subOrgId, email })
  await app.advance(10 * MINUTE - 30)
  const worker = await startWorker(platform, jobs)
  await until(async () => peer.deliveries.length === 1)
  await worker.stop(5000)
  const text = peer.deliveries[0]?.email.text ?? ''
  const token_hash = /token_hash=([0-9A-Za-z]+)/.exec(text)?.[1]
  const redeem = () => post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  expect((await redeem()).status).toBe(200)
})

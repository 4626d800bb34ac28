import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../../../../test/people/factors.ts'
import { type Mailbox, newEmail, newPasswordUser, sessionRowsOf } from '../../../../test/people/people.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'

// How often a user may sign in, whichever address and method they use.

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const LIMIT = 10

const login = ({ subOrgId, email }: Mailbox, password = PASSWORD) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })
const outcomeOf = ({ status, body }: Reply) => (status === 200 ? 200 : body.code)
const newUser = () => newPasswordUser(tenant, { password: PASSWORD })

async function signInOften(user: Mailbox, times: number) {
  const outcomes = []
  for (let n = 0; n < times; n++) outcomes.push(outcomeOf(await login(user)))
  return outcomes
}

async function send(path: string, user: Mailbox, more: object = {}) {
  return succeeded(await tenant.post(path, { ...user, ...more }))
}

test('a password counts where it leads to a second factor, and the second factor does not', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }))
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  for (let n = 1; n < LIMIT; n++) expect((await login({ subOrgId, email })).body.mfa_required).toBe(true)
  const { challenge_token } = succeeded(await login({ subOrgId, email }))
  expect(outcomeOf(await login({ subOrgId, email }))).toBe('rate_limited')
  const passed = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: codeOf(secret, 1) })
  expect(passed.status).toBe(200)
})

test('the eleventh sign-in within a minute is refused and says when to come back; the right password alone is told so', async () => {
  const user = await newUser()
  expect(await signInOften(user, LIMIT)).toEqual(Array(LIMIT).fill(200))
  const refused = await login(user)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  const seconds = refused.body.retry_after
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(refused.headers.get('retry-after')).toBe(String(seconds))
  expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=10;w=60')
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
  for (const mailbox of [user, { ...user, email: newEmail() }])
    expect(outcomeOf(await login(mailbox, 'wrong'))).toBe('invalid_credentials')
  expect(await sessionRowsOf(app.app.platform.db, user.id)).toHaveLength(LIMIT)
  await app.advance(60)
  expect(await signInOften(user, 2)).toEqual([200, 200])
})

test('of many at once no more pass', async () => {
  const user = await newUser()
  // An attempt counts as wrong until its password is found to be correct.
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: user.subOrgId, lockout_max_attempts: 20 }))
  const outcomes = await Promise.all(Array.from({ length: 20 }, async () => outcomeOf(await login(user))))
  expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(LIMIT)
  expect(new Set(outcomes)).toEqual(new Set([200, 'rate_limited']))
  expect(await sessionRowsOf(app.app.platform.db, user.id)).toHaveLength(LIMIT)
})

test('a stranger uses up nothing of it', async () => {
  const user = await newUser()
  for (let n = 0; n < 9; n++) expect(outcomeOf(await login(user, 'wrong'))).toBe('invalid_credentials')
  expect(await signInOften(user, LIMIT)).toEqual(Array(LIMIT).fill(200))
})

test('every way in counts together, and a code or a link that comes too soon is good later', async () => {
  const user = await newUser()
  const { subOrgId, email } = user
  const { url } = await send('/v1/auth/login/magic-link/send', { subOrgId, email }, { deliver: false })
  const token_hash = new URL(url).searchParams.get('token_hash')
  const { otp_id } = await send('/v1/auth/login/otp/send', { subOrgId, email })
  const code = await mailedCode(app, email)
  // Otherwise the first proof of the mailbox would remove the password.
  await app.app.platform.db.updateTable('users').set({ email_verified: true }).where('id', '=', user.id).execute()
  expect(await signInOften(user, LIMIT)).toEqual(Array(LIMIT).fill(200))
  const byLink = () => tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  const byCode = () => tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
  expect([outcomeOf(await byLink()), outcomeOf(await byCode())]).toEqual(['rate_limited', 'rate_limited'])
  await app.advance(60)
  expect([outcomeOf(await byLink()), outcomeOf(await byCode())]).toEqual([200, 200])
  expect([outcomeOf(await byLink()), outcomeOf(await byCode())]).toEqual(['token_invalid', 'otp_invalid'])
})

test('how often is a setting', async () => {
  const user = await newUser()
  const { subOrgId } = user
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sign_in_rate_limit_per_minute: 2 }))
  expect(await signInOften(user, 3)).toEqual([200, 200, 'rate_limited'])
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sign_in_rate_limit_per_minute: 4 }))
  expect(await signInOften(user, 3)).toEqual([200, 200, 'rate_limited'])
  for (const value of [0, 10_001, 'many'])
    expect((await tenant.patch('/v1/auth/settings', { subOrgId, sign_in_rate_limit_per_minute: value })).status).toBe(
      400,
    )
})

test('passkey sign-ins are started as often for an address, from each network by itself, whoever has it', async () => {
  const user = await newUser()
  const ip = (n: number) => ({ 'x-end-user-ip': `192.0.2.${n}` })
  const start = ({ subOrgId, email }: Mailbox, headers = {}) =>
    tenant.post('/v1/auth/login/passkey/options', { subOrgId, email }, headers)
  for (const mailbox of [user, { ...user, email: newEmail() }]) {
    for (let n = 0; n < LIMIT; n++) expect((await start(mailbox, ip(1))).status).toBe(200)
    const refused = await start(mailbox, ip(1))
    expect([refused.body.code, refused.headers.has('retry-after')]).toEqual(['rate_limited', true])
    expect((await start(mailbox, ip(2))).status).toBe(200)
  }
  const another = { ...user, email: newEmail() }
  for (let n = 0; n < LIMIT; n++) expect((await start(another)).status).toBe(200)
  expect(outcomeOf(await start(another))).toBe('rate_limited')
})

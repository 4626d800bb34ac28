import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Caller, type Reply, startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../../../../test/people/factors.ts'
import { sessionsIn } from '../../../../test/people/people.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'

// A login page's key may only sign users in: it can enroll the user of a challenge that demands it, but cannot change
// other factors.

const app = await startApp()
const tenant = await app.tenant()
const page = await tenant.withKey({ scopes: ['auth.login'] })
const TOTP = '/v1/mfa/totp'
const verdict = ({ status, body }: Reply) => [status, body.code, body.scope]
const LACKS = [403, 'insufficient_scope', 'mfa.write']
const EXPIRED = [400, 'challenge_expired', undefined]

async function signIn(subOrgId: string, email: string) {
  const { otp_id } = succeeded(await page.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const code = await mailedCode(app, email)
  return succeeded(await page.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }))
}

async function organization() {
  const subOrgId = await tenant.organization()
  const own = await tenant.withKey({ subOrgId })
  return { subOrgId, newUser: () => makeProvenUser(own) }
}

const demand = (subOrgId: string) =>
  tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })

test('the challenge of a forced enrollment is enough to enroll its user, and ends in a session', async () => {
  const { subOrgId, newUser } = await organization()
  const user = await newUser()
  succeeded(await demand(subOrgId))
  const held = await signIn(subOrgId, user.email)
  expect(held).toMatchObject({ session: null, enrollment_required: true, sub_org_id: subOrgId })
  const { challenge_token, directory_user_id: userId } = held
  const named = { subOrgId, userId, challenge_token }
  const { pendingId, secret } = succeeded(await page.post(TOTP, named))
  const { session, backupCodes } = succeeded(await page.put(TOTP, { ...named, pendingId, code: codeOf(secret) }))
  expect(decodeJwt(session.access_token)).toMatchObject({ aal: 'aal2', directory_user_id: userId })
  expect(backupCodes).toHaveLength(10)
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
})

test('without such a challenge it enrolls no user', async () => {
  const { subOrgId, newUser } = await organization()
  const [user, other] = [await newUser(), await newUser()]
  const { secret } = await enrollTotp(tenant, other.id, { subOrgId })
  succeeded(await demand(subOrgId))
  const { challenge_token } = await signIn(subOrgId, user.email)
  const { challenge_token: passable } = await signIn(subOrgId, other.email)
  const attempts: [object, unknown[]][] = [
    [{}, LACKS],
    [{ challenge_token: `mfa_${'A'.repeat(43)}` }, EXPIRED],
    // One challenge is of another user, the other can be passed with a code.
    [{ challenge_token: passable }, EXPIRED],
    [{ userId: other.id, challenge_token }, EXPIRED],
    [{ userId: other.id, challenge_token: passable }, EXPIRED],
  ]
  for (const [sent, expected] of attempts) {
    const body = { subOrgId, userId: user.id, ...sent }
    expect([sent, ...verdict(await page.post(TOTP, body))]).toEqual([sent, ...expected])
    const confirm = { ...body, pendingId: randomUUID(), code: codeOf(secret, 1) }
    expect([sent, ...verdict(await page.put(TOTP, confirm))]).toEqual([sent, ...expected])
  }
  const enrollmentOf = async (userId: string) =>
    succeeded(await tenant.get(`${TOTP}?subOrgId=${subOrgId}&userId=${userId}`)).enrollment
  expect(await enrollmentOf(user.id)).toMatchObject({ enrolled: false, pending: false })
  expect(await enrollmentOf(other.id)).toMatchObject({ enrolled: true })
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
})

test('every other factor, and every other key, is as before', async () => {
  const { subOrgId, newUser } = await organization()
  const user = await newUser()
  succeeded(await demand(subOrgId))
  const { challenge_token } = await signIn(subOrgId, user.email)
  const named = { subOrgId, userId: user.id }
  const requests: [string, (by: Caller) => Promise<Reply>][] = [
    ['mfa.read', (by) => by.get(`${TOTP}?subOrgId=${subOrgId}&userId=${user.id}`)],
    ['mfa.write', (by) => by.delete(`${TOTP}?subOrgId=${subOrgId}&userId=${user.id}`)],
    ['mfa.write', (by) => by.post(`${TOTP}/backup-codes`, named)],
    ['mfa.write', (by) => by.post('/v1/mfa/sms', { ...named, phone: '+14155550123' })],
  ]
  for (const [scope, send] of requests) expect(verdict(await send(page))).toEqual([403, 'insufficient_scope', scope])
  const reader = await tenant.withKey({ scopes: ['users.read', 'mfa.read'] })
  expect(verdict(await reader.post(TOTP, { ...named, challenge_token }))).toEqual(LACKS)
  // An organization that another key is limited to.
  const elsewhere = await tenant.withKey({ scopes: ['auth.login'], subOrgId: await tenant.organization() })
  expect(verdict(await elsewhere.post(TOTP, { userId: user.id, challenge_token }))).toEqual(EXPIRED)
})

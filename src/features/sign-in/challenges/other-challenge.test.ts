import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { codeOf, makeProvenUser, sentSmsCode, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { register } from '../../../../test/people/passkeys.ts'
import { sessionRowsOf } from '../../../../test/people/people.ts'

const app = await startApp()
const tenant = await app.tenant()
const PHONE = '+14155550123'

async function newPerson() {
  const caller = await tenant.withKey({ subOrgId: await tenant.organization() })
  succeeded(await caller.patch('/v1/otp/settings', { sms_allowed_countries: ['US'] }))
  const policy = { require_mfa: true, grace_period_days: 0, allowed_methods: ['totp', 'backup', 'sms'] }
  succeeded(await caller.patch('/v1/mfa/policy', policy))
  return { caller, ...(await makeProvenUser(caller)) }
}

type Holder = Awaited<ReturnType<typeof newPerson>>

const factors: Record<string, (holder: Holder) => Promise<void>> = {
  async 'a phone'({ caller, id: userId }) {
    succeeded(await caller.post('/v1/mfa/sms', { userId, phone: PHONE }))
    succeeded(await caller.put('/v1/mfa/sms', { userId, code: await sentSmsCode(app, PHONE) }))
  },
  async 'a passkey'({ caller, id: userId }) {
    const { subOrgId } = succeeded(await caller.get(`/v1/users/${userId}`)).user
    succeeded(await register(caller, { subOrgId, userId }, newPasskey()))
  },
}

test.each(Object.entries(factors))('who is asked for %s enrolls no app instead of using it', async (_, enroll) => {
  const holder = await newPerson()
  const { caller, id: userId, email } = holder
  await enroll(holder)
  const held = succeeded(await signInByLink(caller, email))
  expect([held.mfa_required, held.enrollment_required]).toEqual([true, false])
  const { pendingId, secret } = succeeded(await caller.post('/v1/mfa/totp', { userId }))
  const { challenge_token } = held
  const reply = await caller.put('/v1/mfa/totp', { userId, pendingId, code: codeOf(secret), challenge_token })
  expect([reply.status, reply.body.code, reply.body.session]).toEqual([400, 'challenge_expired', undefined])
  expect(await sessionRowsOf(app.app.platform.db, userId)).toEqual([])
  expect(succeeded(await caller.get(`/v1/mfa/totp?userId=${userId}`)).enrollment.enrolledAt).toBe(null)
})

import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { register, signInBy } from '../../../../test/people/passkeys.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

test('who has a second factor, or a passkey, registers another after the use of it', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/passkey/settings', { subOrgId, require_recent_sign_in_seconds: 600 })
  const options = (userId: string, access_token: string) =>
    tenant.post('/v1/auth/passkey/register', { subOrgId, userId, action: 'options', access_token })
  const { userId, email, session } = await signedInUser(app, tenant, subOrgId, newEmail())
  expect((await options(userId, session.access_token)).status).toBe(200)
  // The session was opened with one factor, and stays valid.
  const { secret } = await enrollTotp(tenant, userId, { subOrgId })
  expect((await options(userId, session.access_token)).body.code).toBe('recent_sign_in_required')
  const { challenge_token } = succeeded(await signInByLink(tenant, email, { subOrgId }))
  const passed = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: codeOf(secret, 1) })
  expect((await options(userId, succeeded(passed).session.access_token)).status).toBe(200)

  await tenant.patch('/v1/auth/passkey/settings', { subOrgId, require_recent_sign_in_seconds: 0 })
  const proven = await makeProvenUser(tenant, subOrgId)
  const holder = { subOrgId, userId: proven.id, email: proven.email, passkey: newPasskey(), credentialId: '' }
  expect((await register(tenant, holder, holder.passkey)).status).toBe(200)
  await tenant.patch('/v1/auth/passkey/settings', { subOrgId, require_recent_sign_in_seconds: 600 })
  const byLink = succeeded(await signInByLink(tenant, proven.email, { subOrgId })).session
  expect((await options(proven.id, byLink.access_token)).body.code).toBe('recent_sign_in_required')
  const byPasskey = succeeded(await signInBy(tenant, holder)).session
  expect((await options(proven.id, byPasskey.access_token)).status).toBe(200)
})

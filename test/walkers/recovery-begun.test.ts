import { expect, test } from 'vitest'
import { startOpPeer } from '../peers/op-peer.ts'
import { newPasskey } from '../people/authenticator.ts'
import { codeOf, enrollTotp, makeProvenUser, sentSmsCode, signInByLink, succeeded } from '../people/factors.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../people/oidc-organization.ts'
import { newHolder, PAGE, registrationOptions, signInOptions } from '../people/passkeys.ts'
import { runCommand, settingsOf } from '../process/cli.ts'

// What people have begun when `watchword recover` runs, and devices that need no second factor.

const service = await startFederatedApp()
const { app, tenant } = service
const recover = async () => {
  const { code, stderr } = await runCommand(settingsOf(app), 'recover', '--yes', '--json')
  expect(code, stderr).toBe(0)
}

test('a passkey is neither registered nor accepted with a challenge from before recover', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const { id: userId } = await makeProvenUser(tenant, subOrgId)
  const registering = await registrationOptions(tenant, subOrgId, userId)
  const signingIn = await signInOptions(tenant, subOrgId, holder.email)
  await recover()
  const made = newPasskey().make(registering.options, { origin: PAGE })
  const registration = { subOrgId, userId, action: 'verify', challengeId: registering.challengeId, credential: made }
  const registered = await tenant.post('/v1/auth/passkey/register', registration)
  expect([registered.status, registered.body.code]).toEqual([401, 'passkey_invalid'])
  const used = holder.passkey.use(signingIn.options, { origin: PAGE })
  const assertion = { subOrgId, email: holder.email, challengeId: signingIn.challengeId, credential: used }
  const signedIn = await tenant.post('/v1/auth/login/passkey/verify', assertion)
  expect([signedIn.status, signedIn.body.code]).toEqual([401, 'passkey_invalid'])
})

test('a sign-in at an identity provider that began before recover ends without a session', async () => {
  const peer = await startOpPeer()
  const home = await provenOrganization(service)
  const connectionId = await connect(home, peer.url)
  const { authorization_url, state } = await start(home, connectionId)
  const { code } = peer.signIn(authorization_url, { sub: 'ada-1', email: `ada@${home.domain}` })
  await recover()
  const reply = await callBack(app, { code, state })
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  const again = await start(home, connectionId)
  const { code: second } = peer.signIn(again.authorization_url, { sub: 'ada-1', email: `ada@${home.domain}` })
  expect(arrived(await callBack(app, { code: second, state: again.state }))).toHaveProperty('access_token')
})

test('factors that were not confirmed before recover cannot be confirmed after it', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'sms'] }))
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: ['US'] }))
  const { id: userId } = await makeProvenUser(tenant, subOrgId)
  const named = { subOrgId, userId }
  const phone = '+14155550123'
  const { pendingId, secret } = succeeded(await tenant.post('/v1/mfa/totp', named))
  succeeded(await tenant.post('/v1/mfa/sms', { ...named, phone }))
  const code = await sentSmsCode(app, phone)
  await recover()
  for (const confirmed of [
    await tenant.put('/v1/mfa/totp', { ...named, pendingId, code: codeOf(secret) }),
    await tenant.put('/v1/mfa/sms', { ...named, code }),
  ])
    expect([confirmed.status, confirmed.body.code]).toEqual([404, 'enrollment_not_found'])
})

test('a trusted device needs the second factor again after recover', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, trusted_device_days: 30 }))
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  const { backupCodes } = await enrollTotp(tenant, id, { subOrgId })
  const { challenge_token } = succeeded(await signInByLink(tenant, email, { subOrgId }))
  const answer = { subOrgId, challenge_token, code: backupCodes[0], trust_device: true }
  const { trusted_device_token } = succeeded(await tenant.post('/v1/mfa/challenge/verify', answer))
  const headers = { 'x-trusted-device': trusted_device_token }
  expect(succeeded(await signInByLink(tenant, email, { subOrgId, headers }))).toHaveProperty('session')
  await recover()
  const reply = await signInByLink(tenant, email, { subOrgId, headers })
  expect(succeeded(reply)).toMatchObject({ challenge_token: expect.any(String) })
})

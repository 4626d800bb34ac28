import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink } from '../../../../test/people/factors.ts'
import { PAGE, register, registrationOptions, signInBy } from '../../../../test/people/passkeys.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { withPasswordPlace } from '../../../platform/crypto/password-pool.ts'

// Ways in which an attacker with one factor may try to get around the second factor.

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app
const PASSWORD = 'correct horse battery staple'

async function person(options: { requires?: boolean } = {}) {
  const subOrgId = await tenant.organization()
  if (options.requires) await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  return { subOrgId, id, email }
}

test('a new mailbox does not do away with the second factor of an address that was proved before', async () => {
  const { subOrgId, id, email } = await person()
  const { backupCodes } = await enrollTotp(tenant, id, { subOrgId })
  const moved = `new-${email}`
  await tenant.patch(`/v1/users/${id}`, { subOrgId, email: moved })
  const asked = await signInByLink(tenant, moved, { subOrgId })
  expect(asked.body).toMatchObject({ session: null, mfa_required: true, enrollment_required: false })
  expect((await tenant.get(`/v1/users/${id}`)).body.user).toMatchObject({ emailVerified: true, mfaEnrolled: true })
  const passed = await tenant.post('/v1/mfa/challenge/verify', {
    subOrgId,
    challenge_token: asked.body.challenge_token,
    code: backupCodes[0],
  })
  expect(passed.status, passed.text).toBe(200)
})

test('whoever has a passkey is not offered to enroll an app beside it with one factor', async () => {
  const { subOrgId, id, email } = await person({ requires: true })
  const passkey = newPasskey({ algorithm: 'ES256' })
  expect((await register(tenant, { subOrgId, userId: id }, passkey)).status).toBe(200)
  const asked = await signInByLink(tenant, email, { subOrgId })
  expect(asked.body).toMatchObject({ session: null, methods: ['passkey'], enrollment_required: false })
  const { challenge_token } = asked.body
  const begun = await tenant.post('/v1/mfa/totp', { subOrgId, userId: id })
  const put = await tenant.put('/v1/mfa/totp', {
    subOrgId,
    userId: id,
    pendingId: begun.body.pendingId,
    code: codeOf(begun.body.secret),
    challenge_token,
  })
  expect([begun.status, put.status, put.body.code]).toEqual([200, 400, 'challenge_expired'])
  for (const code of ['000000', 'ABCDEFGHJKM'])
    expect((await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code })).status).toBe(401)
  const holder = { subOrgId, userId: id, email, passkey, credentialId: '' }
  expect((await signInBy(tenant, holder)).body.session).toBeTruthy()
})

test('a passkey registration that began before its user was cut off stores nothing', async () => {
  const { subOrgId, id } = await person()
  const passkey = newPasskey({ algorithm: 'ES256' })
  const { options, challengeId } = await registrationOptions(tenant, subOrgId, id)
  const credential = passkey.make(options, { origin: PAGE })
  await platform.db
    .updateTable('webauthn_ceremonies')
    .set({ expires_at: new Date(Date.now() + 60_000) })
    .execute()
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const cutting = platform.tx(async (tx) => {
    await tx
      .updateTable('users')
      .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
      .where('id', '=', id)
      .execute()
    held.resolve()
    await go.promise
  })
  await held.promise
  const registering = tenant.post('/v1/auth/passkey/register', {
    subOrgId,
    userId: id,
    action: 'verify',
    challengeId,
    credential,
  })
  await expect
    .poll(async () => {
      const { rows } = await platform.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length
    })
    .toBeGreaterThan(0)
  go.resolve()
  await cutting
  expect((await registering).status).toBe(403)
  expect(await platform.db.selectFrom('passkeys').selectAll().where('user_id', '=', id).execute()).toEqual([])
})

test('the mailbox does not give guesses at the second factor back', async () => {
  const { subOrgId, id, email } = await person()
  await enrollTotp(tenant, id, { subOrgId })
  await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
  const guess = async () => {
    const { challenge_token } = (await signInByLink(tenant, email, { subOrgId })).body
    const codes = []
    for (let i = 0; i < 5; i++)
      codes.push(
        (await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: '000000' })).body.code,
      )
    return codes
  }
  await guess()
  expect(await guess()).toEqual(Array(5).fill('mfa_code_invalid'))
  for (let i = 0; i < 10; i++) await tenant.post('/v1/auth/login/password', { subOrgId, email, password: `no ${i}` })
  const { token_hash } = await mailedLink(app, email, 'account_locked')
  expect((await tenant.post('/v1/auth/unlock', { subOrgId, email, token_hash })).status).toBe(200)
  expect(await guess()).toEqual(Array(5).fill('account_locked'))
})

test('a passkey for somebody with a second factor takes a sign-in of both, where a recent one is asked for', async () => {
  const { subOrgId, id, email } = await person()
  await tenant.patch('/v1/auth/passkey/settings', { subOrgId, require_recent_sign_in_seconds: 900 })
  const { session } = (await signInByLink(tenant, email, { subOrgId })).body
  await enrollTotp(tenant, id, { subOrgId })
  const reply = await tenant.post('/v1/auth/passkey/register', {
    subOrgId,
    userId: id,
    action: 'options',
    access_token: session.access_token,
  })
  expect([reply.status, reply.body.code]).toEqual([403, 'recent_sign_in_required'])
})

test('a full pool of hashes costs a backup code none of its tries', async () => {
  const { subOrgId, id, email } = await person()
  const { backupCodes } = await enrollTotp(tenant, id, { subOrgId })
  const { challenge_token } = (await signInByLink(tenant, email, { subOrgId })).body
  const go = Promise.withResolvers<void>()
  const held = Array.from({ length: 22 * Math.max(2, availableParallelism()) }, () =>
    withPasswordPlace({ platform, directory: { id: randomUUID() } }, () => go.promise),
  )
  const pass = () => tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code: backupCodes[0] })
  for (let i = 0; i < 6; i++) expect((await pass()).status).toBe(503)
  go.resolve()
  await Promise.all(held)
  expect((await pass()).status).toBe(200)
})

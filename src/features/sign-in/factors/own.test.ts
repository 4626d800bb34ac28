import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { sentSmsCode, succeeded } from '../../../../test/people/factors.ts'
import { pageOf } from '../../../../test/people/passkeys.ts'
import {
  bearing,
  codeNow,
  enforceSso,
  giveApp,
  type OwnPerson,
  ownWorld,
  signedIn,
  signInAgain,
  steppedUp,
} from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)

const refused = (reply: { status: number; body: { code: string } }) => [reply.status, reply.body.code]
const mailsTo = async ({ email }: OwnPerson) => (await app.mails(email)).map(({ kind }) => kind)
const eventsBy = async (person: OwnPerson, type: string) =>
  (await app.events({ accountId: tenant.accountId, type })).filter(({ actor_id }) => actor_id === person.id)

async function enroll(person: OwnPerson) {
  const { pendingId, secret } = succeeded(await person.me.post('/v1/me/mfa/totp'))
  const confirmed = await person.me.put('/v1/me/mfa/totp', { pendingId, code: codeNow(world, secret) })
  person.secret = secret
  return succeeded(confirmed).backupCodes as string[]
}

async function registerOwn(person: OwnPerson, more: object = {}) {
  const { options, challengeId } = succeeded(await person.me.post('/v1/me/passkeys/options'))
  const credential = newPasskey().make(options, { origin: pageOf(options.rp.id) })
  return person.me.post('/v1/me/passkeys/verify', { challengeId, credential, ...more })
}

test('people enroll their app: their other sessions end, this one stays, and they are told', async () => {
  const person = await signedIn(world)
  const other = bearing(app, (await signInAgain(person)).access_token)
  expect((await enroll(person)).length).toBe(10)
  expect([(await person.me.get('/v1/me')).status, (await other.get('/v1/me')).status]).toEqual([200, 401])
  expect(succeeded(await person.me.get('/v1/me/mfa/totp')).enrollment).toMatchObject({ enrolled: true })
  expect(succeeded(await person.me.get('/v1/me')).user.mfaEnrolled).toBe(true)
  expect(await mailsTo(person)).toContain('mfa_enrolled')
  expect(await eventsBy(person, 'mfa.enrolled')).toMatchObject([{ actor_type: 'user', target_id: person.id }])

  // Each code works only once.
  await app.advance(31)
  const strong = await steppedUp(person)
  expect(succeeded(await strong.me.post('/v1/me/mfa/totp/backup-codes')).backupCodes.length).toBe(10)
  succeeded(await strong.me.delete('/v1/me/mfa/totp'))
  expect(succeeded(await person.me.get('/v1/me')).user.mfaEnrolled).toBe(false)
  expect(await mailsTo(person)).toContain('mfa_removed')
  expect((await eventsBy(person, 'mfa.removed')).length).toBe(1)
})

test('the last factor that the policy requires stays, until there is another', async () => {
  const strict = await ownWorld(app, tenant)
  const person = await signedIn(strict)
  person.secret = await giveApp(person)
  const policy = { subOrgId: strict.subOrgId, require_mfa: true, grace_period_days: 30 }
  succeeded(await tenant.patch('/v1/mfa/policy', policy))
  const strong = await steppedUp(person)
  expect(refused(await strong.me.delete('/v1/me/mfa/totp'))).toEqual([409, 'last_factor'])
  expect(succeeded(await strong.me.get('/v1/me/mfa/totp')).enrollment.enrolled).toBe(true)
  expect(await mailsTo(person)).not.toContain('mfa_removed')

  const passkey = succeeded(await registerOwn(strong)).credential
  succeeded(await strong.me.delete('/v1/me/mfa/totp'))
  expect(refused(await strong.me.delete(`/v1/me/passkeys/${passkey.id}`))).toEqual([409, 'last_factor'])
  expect(succeeded(await strong.me.get('/v1/me/passkeys')).credentials.length).toBe(1)
  succeeded(await tenant.patch('/v1/mfa/policy', { ...policy, require_mfa: false }))
  await app.advance(6)
  succeeded(await strong.me.delete(`/v1/me/passkeys/${passkey.id}`))
})

test('a phone: enrolled, stepped up by, and removed', async () => {
  const person = await signedIn(world)
  const phone = '+14155559876'
  expect(succeeded(await person.me.post('/v1/me/mfa/phone', { phone })).delivery_hint).toMatch(/76$/)
  expect(refused(await person.me.put('/v1/me/mfa/phone', { code: '000000x' }))).toEqual([400, 'mfa_code_invalid'])
  succeeded(await person.me.put('/v1/me/mfa/phone', { code: await sentSmsCode(app, phone) }))
  expect(refused(await person.me.delete('/v1/me/mfa/phone'))).toEqual([401, 'step_up_required'])
  const { challenge_token, delivery_hint } = succeeded(await person.me.post('/v1/me/step-up', { method: 'sms' }))
  expect(delivery_hint).toMatch(/76$/)
  const proof = { challenge_token, code: await sentSmsCode(app, phone) }
  const { access_token, amr } = succeeded(await person.me.post('/v1/me/step-up/verify', proof))
  expect(amr).toEqual(['otp', 'sms', 'mfa'])
  succeeded(await bearing(app, access_token).delete('/v1/me/mfa/phone'))
})

test('a backup code steps up once, and is told by mail', async () => {
  const person = await signedIn(world)
  const [code] = await enroll(person)
  const prove = async () => {
    const { challenge_token } = succeeded(await person.me.post('/v1/me/step-up', { method: 'backup' }))
    return person.me.post('/v1/me/step-up/verify', { challenge_token, code })
  }
  expect(succeeded(await prove()).aal).toBe('aal2')
  expect(await mailsTo(person)).toContain('backup_code_used')
  expect(refused(await prove())).toEqual([401, 'mfa_code_invalid'])
})

test('people register passkeys, name them and delete them, and are told', async () => {
  const person = await signedIn(world)
  const { credential } = succeeded(await registerOwn(person, { deviceName: 'Laptop' }))
  expect(credential).toMatchObject({ directoryUserId: person.id, deviceName: 'Laptop' })
  const named = await person.me.patch(`/v1/me/passkeys/${credential.id}`, { deviceName: 'Phone' })
  expect(succeeded(named).credential).toEqual({ ...credential, deviceName: 'Phone' })
  const [renamed] = await eventsBy(person, 'passkey.updated')
  expect(renamed).toMatchObject({ data: { deviceName: 'Phone' }, previous: { deviceName: 'Laptop' } })
  await app.advance(601)
  expect(succeeded(await person.me.patch(`/v1/me/passkeys/${credential.id}`, { deviceName: null })).credential.id).toBe(
    credential.id,
  )
  const strong = await steppedUp(person)
  succeeded(await strong.me.delete(`/v1/me/passkeys/${credential.credentialId}`))
  expect(succeeded(await person.me.get('/v1/me/passkeys')).credentials).toEqual([])
  expect(await mailsTo(person)).toEqual(expect.arrayContaining(['passkey_registered', 'passkey_deleted']))
})

test('where single sign-on is enforced, nobody registers a passkey', async () => {
  const closed = await ownWorld(app, tenant)
  const person = await signedIn(closed)
  await enforceSso(closed)
  expect(refused(await person.me.post('/v1/me/passkeys/options'))).toEqual([403, 'sso_required'])
})

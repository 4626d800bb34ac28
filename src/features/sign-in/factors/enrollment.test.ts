import { randomUUID } from 'node:crypto'
import jsqr from 'jsqr'
import { sql } from 'kysely'
import { PNG } from 'pngjs'
import { TOTP } from 'totp-generator'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { changeDuring } from '../../../../test/in-order.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import { newPendingUser } from '../../../../test/people/people.ts'
import { userCleanup } from '../../directory/users/cleanup.ts'

const app = await startApp({ costlyHashes: true })
const tenant = await app.tenant()
const organization = async () => tenant.withKey({ subOrgId: await tenant.organization() })
const caller = await organization()
const { db } = app.app.platform

const NOTHING = {
  userId: expect.toBeOneOf([null, expect.any(String)]),
  directoryUserId: expect.any(String),
  enrolled: false,
  method: 'totp',
  enrolledAt: null,
  pending: false,
  backupCodesRemaining: 0,
  sms: { enrolled: false, enrolledAt: null, phone: null },
}
const enrollmentOf = async (userId: string, by = caller) =>
  succeeded(await by.get(`/v1/mfa/totp?userId=${userId}`)).enrollment
const begin = async (userId: string) => succeeded(await caller.post('/v1/mfa/totp', { userId }))

/** Reads the text of a QR code in a PNG data URL with an independent library. */
function readQr(dataUrl: string): string {
  const png = PNG.sync.read(Buffer.from(dataUrl.replace('data:image/png;base64,', ''), 'base64'))
  const read = jsqr.default ?? jsqr
  return read(new Uint8ClampedArray(png.data), png.width, png.height)?.data ?? ''
}

/** The code that an app shows after scanning the QR code, computed by an independent implementation of RFC 6238. */
async function readApp(qrText: string): Promise<string> {
  const told = new URL(qrText).searchParams
  expect(told.get('algorithm')).toBe('SHA1')
  const options = { digits: Number(told.get('digits')), period: Number(told.get('period')), explicitZeroPad: true }
  return (await TOTP.generate(told.get('secret') ?? '', { ...options, algorithm: 'SHA-1' })).otp
}

test('the other implementation is one of RFC 6238, by the vectors of its appendix B', async () => {
  // The base32 form of the RFC's test secret, 12345678901234567890.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const codeAt = async (seconds: number) =>
    (await TOTP.generate(secret, { digits: 8, timestamp: seconds * 1000, explicitZeroPad: true })).otp
  expect(await Promise.all([59, 1_111_111_109, 1_111_111_111, 2_000_000_000, 20_000_000_000].map(codeAt))).toEqual([
    '94287082',
    '07081804',
    '14050471',
    '69279037',
    '65353130',
  ])
})

test('an app that reads the QR code makes the codes that pass', async () => {
  await caller.patch('/v1/mail/settings', { brand_name: 'Acme' })
  const { id, email } = await makeProvenUser(caller)
  const { user } = succeeded(await caller.get(`/v1/users/${id}`))
  expect(await enrollmentOf(id)).toEqual({ ...NOTHING, userId: user.userId, directoryUserId: id })
  const pending = await begin(id)
  expect(pending.qrDataUrl).toMatch(/^data:image\/png;base64,/)
  expect(readQr(pending.qrDataUrl)).toBe(pending.otpauthUrl)
  const url = new URL(readQr(pending.qrDataUrl))
  expect(url.searchParams.get('issuer')).toBe('Acme')
  expect(decodeURIComponent(url.pathname)).toBe(`/Acme:${email}`)
  expect(url.searchParams.get('secret')).toBe(pending.secret)
  expect(await enrollmentOf(id)).toEqual({ ...NOTHING, pending: true })
  const code = await readApp(url.href)
  const confirmed = succeeded(await caller.put('/v1/mfa/totp', { userId: id, pendingId: pending.pendingId, code }))
  expect(confirmed).toEqual({ success: true, backupCodes: expect.any(Array) })
  expect(new Set(confirmed.backupCodes).size).toBe(10)
  expect(await enrollmentOf(id)).toMatchObject({ enrolled: true, pending: false, backupCodesRemaining: 10 })
  expect((await enrollmentOf(id)).enrolledAt).toEqual(expect.any(String))
  // The user is notified and shown as enrolled, and the event contains no secret.
  expect(succeeded(await caller.get(`/v1/users/${id}`)).user.mfaEnrolled).toBe(true)
  const listed = succeeded(await caller.get(`/v1/users?email=${encodeURIComponent(email)}`)).users
  expect(listed.map((user: { mfaEnrolled: boolean }) => user.mfaEnrolled)).toEqual([true])
  expect((await app.mails(email)).map((mail) => mail.kind)).toEqual(['mfa_enrolled'])
  const events = await app.events({ accountId: tenant.accountId, type: 'mfa.enrolled' })
  expect(events.map(({ target_id, data }) => [target_id, data])).toEqual([
    [id, { directory_user_id: id, method: 'totp' }],
  ])
  // No row has the secret in plain text, and no later response contains it.
  const row = await app.app.platform.db.selectFrom('totp_enrollments').selectAll().executeTakeFirst()
  expect(row?.secret_sealed).toMatch(/^v1\./)
  expect(JSON.stringify(await enrollmentOf(id))).not.toContain(pending.secret)
  const codes = await app.app.platform.db.selectFrom('backup_codes').select('hash').execute()
  expect(codes.every(({ hash }) => hash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))).toBe(true)
  // A new app can be enrolled only after the confirmed one was removed.
  const again = await caller.post('/v1/mfa/totp', { userId: id })
  expect([again.status, again.body.code]).toEqual([409, 'already_enrolled'])
})

test('five wrong codes end what was begun, and so do ten minutes', async () => {
  const { id } = await makeProvenUser(caller)
  const { pendingId, secret } = await begin(id)
  for (let i = 0; i < 5; i++) {
    const wrong = await caller.put('/v1/mfa/totp', { userId: id, pendingId, code: codeOf(secret, 5 + i) })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'mfa_code_invalid'])
  }
  const over = await caller.put('/v1/mfa/totp', { userId: id, pendingId, code: codeOf(secret) })
  expect([over.status, over.body.code]).toEqual([404, 'enrollment_not_found'])
  const later = await begin(id)
  await app.advance(600)
  const late = { userId: id, pendingId: later.pendingId, code: codeOf(later.secret, 0, 600) }
  expect((await caller.put('/v1/mfa/totp', late)).status).toBe(404)
  await app.advance(-600)
  expect(await enrollmentOf(id)).toMatchObject({ enrolled: false })
})

test('what one user began, nobody else confirms, and a second beginning ends the first', async () => {
  const [ada, bob] = [await makeProvenUser(caller), await makeProvenUser(caller)]
  const first = await begin(ada.id)
  const second = await begin(ada.id)
  for (const [userId, pending, by] of [
    [bob.id, second, caller],
    [ada.id, first, caller],
    [ada.id, { ...second, pendingId: randomUUID() }, caller],
  ] as const) {
    const reply = await by.put('/v1/mfa/totp', {
      userId,
      pendingId: pending.pendingId,
      code: codeOf(pending.secret),
    })
    expect([reply.status, reply.body.code]).toEqual([404, 'enrollment_not_found'])
  }
  const elsewhere = await organization()
  const foreign = { userId: ada.id, pendingId: second.pendingId, code: codeOf(second.secret) }
  expect((await elsewhere.put('/v1/mfa/totp', foreign)).body.code).toBe('user_not_found')
  expect((await elsewhere.get(`/v1/mfa/totp?userId=${ada.id}`)).body.code).toBe('user_not_found')
  expect(succeeded(await caller.put('/v1/mfa/totp', foreign)).success).toBe(true)
})

test('nothing is attached to a sign-up that waits for its proof', async () => {
  const { id, subOrgId } = await newPendingUser(app.app.platform.db, tenant)
  const user = { id }
  const by = await tenant.withKey({ subOrgId })
  for (const call of [
    by.post('/v1/mfa/totp', { userId: user.id }),
    by.put('/v1/mfa/totp', { userId: user.id, pendingId: randomUUID(), code: '123456' }),
    by.post('/v1/mfa/totp/backup-codes', { userId: user.id }),
  ])
    expect([(await call).status, (await call).body.code]).toEqual([403, 'verification_required'])
})

/** A user whose sign-in waits for the enrollment of an app; `confirm` completes it with an `Idempotency-Key`. */
async function enrollingAtSignIn() {
  const by = await organization()
  await by.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 })
  const { id: userId, email } = await makeProvenUser(by)
  const { challenge_token } = succeeded(await signInByLink(by, email))
  const { pendingId, secret } = succeeded(await by.post('/v1/mfa/totp', { userId }))
  const confirm = () =>
    by.put('/v1/mfa/totp', { userId, pendingId, code: codeOf(secret), challenge_token }, { 'idempotency-key': userId })
  return { by, userId, confirm }
}

const claimsOf = (key: string) => db.selectFrom('idempotency_keys').select('status').where('key', '=', key).execute()

test('an app that is enrolled during a sign-in brings a session, which no Idempotency-Key keeps', async () => {
  const { by, userId, confirm } = await enrollingAtSignIn()
  const { session, backupCodes } = succeeded(await confirm())
  expect([session.refresh_token, backupCodes]).toEqual([expect.any(String), expect.any(Array)])
  succeeded(await by.delete(`/v1/users/${userId}/sessions`))
  const again = await confirm()
  expect([again.status, again.body.code, again.headers.get('idempotent-replayed')]).toEqual([
    400,
    'challenge_expired',
    null,
  ])
  expect(await claimsOf(userId)).toEqual([])
})

test('where a repetition has taken its claim over, the first request brings no session and enrolls nothing', async () => {
  const { by, userId, confirm } = await enrollingAtSignIn()
  // Makes the key look as if 60 seconds had passed.
  const takeOver = sql`update idempotency_keys set created_at = created_at + interval '1 second' where key = ${userId}`
  const first = await changeDuring(app.app.platform, userId, confirm, () => takeOver.execute(db))
  expect([first.status, first.body.code]).toEqual([409, 'idempotency_in_progress'])
  expect(await enrollmentOf(userId, by)).toMatchObject({ enrolled: false, pending: true, backupCodesRemaining: 0 })
  expect(succeeded(await by.get('/v1/sessions')).users).toEqual([])
  expect(await claimsOf(userId)).toEqual([{ status: null }])
})

test('removal takes codes, devices and challenges along, tells the user, and says what the policy wants', async () => {
  const by = await organization()
  await by.patch('/v1/auth/settings', { trusted_device_days: 30 })
  const { id, email } = await makeProvenUser(by)
  expect((await by.delete(`/v1/mfa/totp?userId=${id}`, {}, {})).body.code).toBe('enrollment_not_found')
  const { secret } = await enrollTotp(by, id)
  const { challenge_token } = succeeded(await signInByLink(by, email))
  const verify = { challenge_token, code: codeOf(secret, 1), trust_device: true }
  const { session } = succeeded(await by.post('/v1/mfa/challenge/verify', verify))
  const waiting = succeeded(await signInByLink(by, email))
  succeeded(await by.patch('/v1/mfa/policy', { require_mfa: true }))
  const removed = await by.delete('/v1/mfa/totp', {}, { userId: id })
  expect(succeeded(removed)).toEqual({ success: true, required: true })
  expect(await enrollmentOf(id, by)).toEqual(NOTHING)
  expect(succeeded(await by.get(`/v1/mfa/trusted-devices?userId=${id}`)).devices).toEqual([])
  expect(succeeded(await by.get(`/v1/users/${id}`)).user.mfaEnrolled).toBe(false)
  const late = await by.post('/v1/mfa/challenge/verify', {
    challenge_token: waiting.challenge_token,
    code: codeOf(secret, 1),
  })
  expect([late.status, late.body.code]).toEqual([400, 'challenge_expired'])
  expect((await app.mails(email)).map((mail) => mail.kind)).toContain('mfa_removed')
  const live = await by.post('/v1/auth/token/introspect', { token: session.access_token })
  expect(live.body.active).toBe(false)
  expect((await by.delete('/v1/mfa/totp', {}, {})).status).toBe(400)
  const two = await by.delete(`/v1/mfa/totp?userId=${id}`, {}, { userId: randomUUID() })
  expect(two.status).toBe(400)
})

test('new backup codes end the old ones', async () => {
  const { id, email } = await makeProvenUser(caller)
  expect((await caller.post('/v1/mfa/totp/backup-codes', { userId: id })).body.code).toBe('enrollment_not_found')
  const { backupCodes } = await enrollTotp(caller, id)
  const fresh = succeeded(await caller.post('/v1/mfa/totp/backup-codes', { userId: id })).backupCodes
  expect(fresh).toHaveLength(10)
  const { challenge_token } = succeeded(await signInByLink(caller, email))
  const old = await caller.post('/v1/mfa/challenge/verify', { challenge_token, code: backupCodes[0] })
  expect([old.status, old.body.code]).toEqual([401, 'mfa_code_invalid'])
  succeeded(await caller.post('/v1/mfa/challenge/verify', { challenge_token, code: fresh[0] }))
})

test('factors move along with a user, and go with the row of one who was deleted', async () => {
  const { id, email } = await makeProvenUser(caller)
  const { secret } = await enrollTotp(caller, id)
  const targetSubOrgId = await tenant.organization()
  const from = succeeded(await tenant.get(`/v1/users/${id}`)).user.subOrgId
  succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId: from, targetSubOrgId }))
  const there = await tenant.withKey({ subOrgId: targetSubOrgId })
  const { challenge_token } = succeeded(await signInByLink(there, email))
  succeeded(await there.post('/v1/mfa/challenge/verify', { challenge_token, code: codeOf(secret, 1) }))
  succeeded(await there.delete(`/v1/users/${id}`))
  const { platform } = app.app
  const left = async (table: 'totp_enrollments' | 'backup_codes' | 'mfa_challenges') =>
    (await platform.db.selectFrom(table).select('user_id').where('user_id', '=', id).execute()).length
  expect([await left('totp_enrollments'), await left('backup_codes'), await left('mfa_challenges')]).toEqual([1, 10, 0])
  await sql`update users set deleted_at = deleted_at - interval '30 days' where id = ${id}`.execute(platform.db)
  await userCleanup.handle(platform, {}, 1)
  expect([await left('totp_enrollments'), await left('backup_codes')]).toEqual([0, 0])
})

test('where the service is off nobody enrolls and nobody is asked', async () => {
  const by = await organization()
  const { id, email } = await makeProvenUser(by)
  await enrollTotp(by, id)
  const { enabledAppIds } = succeeded(await by.get('/v1/organization-apps'))
  const left = enabledAppIds.filter((app: string) => app !== 'mfa')
  succeeded(await by.put('/v1/organization-apps', { enabledAppIds: left }))
  expect((await by.post('/v1/mfa/totp', { userId: id })).body.code).toBe('service_disabled')
  expect(succeeded(await signInByLink(by, email)).session).not.toBeNull()
})

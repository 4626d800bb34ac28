import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness.ts'
import { type AssertionJson, newPasskey } from '../../../../../test/people/authenticator.ts'
import {
  newHolder,
  PAGE,
  type PasskeyHolder,
  register,
  signInBy,
  signInOptions,
} from '../../../../../test/people/passkeys.ts'
import { sessionsIn } from '../../../../../test/people/people.ts'
import { mailedCode } from '../../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()
// Some tests sign in more often than a person would.
await tenant.patch('/v1/auth/settings/defaults', { sign_in_rate_limit_per_minute: 10_000 })
const VERIFY = '/v1/auth/login/passkey/verify'

const failures = async () =>
  (await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })).map((event) => event.data)

async function expectRefused(reply: { status: number; body: { code?: string } }, about: unknown) {
  expect([about, reply.status, reply.body.code]).toEqual([about, 401, 'passkey_invalid'])
}

/** The response of the holder's passkey to new options, which tests then corrupt. */
async function answerOf(holder: PasskeyHolder, email = holder.email) {
  const { options, challengeId } = await signInOptions(tenant, holder.subOrgId, email)
  return { subOrgId: holder.subOrgId, email, challengeId, credential: holder.passkey.use(options, { origin: PAGE }) }
}

describe.each(['ES256', 'EdDSA', 'RS256'] as const)('a passkey of %s', (algorithm) => {
  test('is both factors: one answer opens a session of aal2', async () => {
    const subOrgId = await tenant.organization()
    const holder = await newHolder(tenant, subOrgId, { algorithm })
    const { options } = await signInOptions(tenant, subOrgId, holder.email)
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      rpId: 'localhost',
      allowCredentials: [{ type: 'public-key', id: holder.passkey.id }],
      userVerification: 'required',
    })
    await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
    const reply = await signInBy(tenant, holder)
    expect(reply.status, reply.text).toBe(200)
    expect(decodeJwt(reply.body.session.access_token)).toMatchObject({
      amr: ['pop', 'user', 'mfa'],
      aal: 'aal2',
      directory_user_id: holder.userId,
    })
    expect(await sessionsIn(tenant, subOrgId)).toEqual([
      expect.objectContaining({ auth_method: 'passkey', aal: 'aal2' }),
    ])
    const { credentials } = (await tenant.get(`/v1/webauthn/credentials?subOrgId=${subOrgId}&userId=${holder.userId}`))
      .body
    expect(credentials[0].lastUsedAt).toEqual(expect.any(String))
  })
})

test('without an address the passkey tells who it is', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const { options } = await signInOptions(tenant, subOrgId, '')
  expect(options.allowCredentials).toEqual([])
  const reply = await signInBy(tenant, holder, { email: '' })
  expect(reply.body.session.directory_user_id).toBe(holder.userId)
  await expectRefused(await signInBy(tenant, holder, { email: '', userHandle: null }), 'no handle')
  const other = Buffer.from(randomUUID()).toString('base64url')
  await expectRefused(await signInBy(tenant, holder, { email: '', userHandle: other }), 'another handle')
  const empty = await tenant.post('/v1/auth/login/passkey/options', { subOrgId, email: '' })
  expect([empty.status, empty.body.errors[0].field]).toEqual([400, 'email'])
})

test('what is wrong with an answer is told to events alone', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId, { counter: 5 })
  const wrong: [string, object][] = [
    ['origin', { origin: 'http://127.0.0.1:3000' }],
    ['origin', { origin: 'https://localhost:3000' }],
    ['origin', { crossOrigin: true }],
    ['not_verified', { rpId: 'evil.example' }],
    ['not_verified', { type: 'webauthn.create' }],
    ['not_verified', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['not_verified', { userVerified: false }],
    ['not_verified', { userPresent: false }],
    ['counter', { counter: 5 }],
    ['counter', { counter: 4 }],
    ['counter', { counter: 0 }],
  ]
  const before = (await failures()).length
  for (const [, how] of wrong) await expectRefused(await signInBy(tenant, holder, { counter: 9, ...how }), how)
  const told = (await failures()).slice(before)
  expect(told).toEqual(wrong.map(([reason]) => ({ method: 'passkey', reason, passkey_id: holder.credentialId })))
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  expect((await signInBy(tenant, holder, { counter: 6 })).status).toBe(200)
  await expectRefused(await signInBy(tenant, holder, { counter: 6 }), 'the same counter')
})

test('a counter that does not grow means nothing for a passkey that is backed up', async () => {
  const subOrgId = await tenant.organization()
  const backup = { eligible: true, state: true }
  const holder = await newHolder(tenant, subOrgId, { counter: 5, backup })
  expect((await signInBy(tenant, holder, { counter: 5, backup })).status).toBe(200)
  expect((await signInBy(tenant, holder, { counter: 2, backup })).status).toBe(200)
  await expectRefused(
    await signInBy(tenant, holder, { counter: 2, backup: { eligible: true, state: false } }),
    'no backup',
  )
})

test('of answers with one counter at once a single one opens a session', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId, { counter: 1 })
  const replies = await Promise.all(Array.from({ length: 8 }, () => signInBy(tenant, holder, { counter: 2 })))
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(7).fill(401)])
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
})

test('a challenge takes one answer, right or wrong, from its own directory, for 300 seconds', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const right = await answerOf(holder)
  const replies = await Promise.all(Array.from({ length: 8 }, () => tenant.post(VERIFY, right)))
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(7).fill(401)])
  const spoilt = await answerOf(holder)
  await expectRefused(await tenant.post(VERIFY, { ...spoilt, email: 'somebody@example.com' }), 'another address')
  await expectRefused(await tenant.post(VERIFY, spoilt), 'spent')
  const late = await answerOf(holder)
  await app.advance(301)
  await expectRefused(await tenant.post(VERIFY, late), 'late')
  const elsewhere = await tenant.organization()
  const there = await newHolder(tenant, elsewhere)
  const { challengeId } = await signInOptions(tenant, elsewhere, there.email)
  await expectRefused(await tenant.post(VERIFY, { ...(await answerOf(holder)), challengeId }), 'of another directory')
  const abroad = await answerOf(holder)
  await expectRefused(await tenant.post(VERIFY, { ...abroad, subOrgId: elsewhere }), 'in another directory')
  expect((await tenant.post(VERIFY, abroad)).status).toBe(200)
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(2)
  expect(await sessionsIn(tenant, elsewhere)).toEqual([])
})

test('a registration challenge opens no session', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const started = await tenant.post('/v1/auth/passkey/register', {
    subOrgId,
    userId: holder.userId,
    action: 'options',
  })
  const { options, challengeId } = started.body
  const credential = holder.passkey.use({ challenge: options.challenge, rpId: options.rp.id }, { origin: PAGE })
  await expectRefused(await tenant.post(VERIFY, { subOrgId, email: holder.email, challengeId, credential }), 'kind')
})

test('the passkey of one person opens nobody else’s session', async () => {
  const subOrgId = await tenant.organization()
  const [ada, eve] = [await newHolder(tenant, subOrgId), await newHolder(tenant, subOrgId)]
  const adas = await signInOptions(tenant, subOrgId, ada.email)
  const credential = eve.passkey.use(adas.options, { origin: PAGE })
  const body = { subOrgId, challengeId: adas.challengeId, credential }
  await expectRefused(await tenant.post(VERIFY, { ...body, email: ada.email }), 'ada')
  const anybodys = await signInOptions(tenant, subOrgId, '')
  const hers = eve.passkey.use(anybodys.options, { origin: PAGE })
  const claimed = { subOrgId, email: ada.email, challengeId: anybodys.challengeId, credential: hers }
  await expectRefused(await tenant.post(VERIFY, claimed), 'eve as ada')
  // Signed with her own key under the id of Ada's passkey.
  const forged = newPasskey({ credentialId: Buffer.from(ada.passkey.id, 'base64url') })
  const fresh = await signInOptions(tenant, subOrgId, ada.email)
  const forgery = forged.use(fresh.options, { origin: PAGE, userHandle: null })
  const sent = { subOrgId, email: ada.email, challengeId: fresh.challengeId, credential: forgery }
  await expectRefused(await tenant.post(VERIFY, sent), 'forged')
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
})

test('one wrong byte anywhere in an answer is refused, and never an error of ours', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId, { algorithm: 'EdDSA' })
  for (const part of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
    const { length } = Buffer.from((await answerOf(holder)).credential.response[part], 'base64url')
    for (let at = 0; at < length; at++) {
      const body = await answerOf(holder)
      const credential = spoil(body.credential, part, at)
      await expectRefused(await tenant.post(VERIFY, { ...body, credential }), `${part} ${at}`)
    }
  }
  for (const response of [{ signature: 'AA' }, { authenticatorData: 'AA' }, { clientDataJSON: 'bnVsbA' }]) {
    const body = await answerOf(holder)
    const credential = { ...body.credential, response: { ...body.credential.response, ...response } }
    await expectRefused(await tenant.post(VERIFY, { ...body, credential }), response)
  }
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
})

test.each(['ES256', 'RS256'] as const)('nor is one in a signature of %s', async (algorithm) => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId, { algorithm })
  const first = Buffer.from((await answerOf(holder)).credential.response.signature, 'base64url')
  // The length bytes at the start of a DER signature are not signed, so several encodings of them may pass.
  for (let at = algorithm === 'ES256' ? 5 : 0; at < first.length - 8; at += 7) {
    const body = await answerOf(holder)
    const reply = await tenant.post(VERIFY, { ...body, credential: spoil(body.credential, 'signature', at) })
    expect([at, reply.status]).toEqual([at, 401])
  }
})

function spoil(credential: AssertionJson, part: 'clientDataJSON' | 'authenticatorData' | 'signature', at: number) {
  const bytes = Buffer.from(credential.response[part], 'base64url')
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return { ...credential, response: { ...credential.response, [part]: bytes.toString('base64url') } }
}

test('the door refuses the inactive, the locked, and everybody of a suspended organization', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const suspended = await answerOf(holder)
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect((await tenant.post(VERIFY, suspended)).body.code).toBe('organization_suspended')
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' })
  // Set before the challenge is issued, because a change of the password voids challenges.
  await tenant.put(`/v1/users/${holder.userId}/password`, { subOrgId, password: 'correct horse battery staple' })
  await tenant.patch('/v1/auth/settings', { subOrgId, lockout_scope: 'all' })
  const locked = await answerOf(holder)
  const guess = { subOrgId, email: holder.email, password: 'wrong' }
  for (let i = 0; i < 50; i++) await tenant.post('/v1/auth/login/password', guess)
  const early = await tenant.post(VERIFY, locked)
  expect([early.status, early.body.code]).toEqual([429, 'account_locked'])
  const options = await tenant.post('/v1/auth/login/passkey/options', { subOrgId, email: holder.email })
  expect(options.body.code).toBe('account_locked')
  expect((await signInBy(tenant, holder, { email: '' })).body.code).toBe('account_locked')
  await tenant.post(`/v1/users/${holder.userId}/unlock`, { subOrgId })
  await tenant.patch(`/v1/users/${holder.userId}`, { subOrgId, active: false })
  expect((await signInBy(tenant, holder)).body.code).toBe('user_inactive')
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
})

test('a challenge on its way does not outlive what cut its user off', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const before = await answerOf(holder)
  for (const active of [false, true]) await tenant.patch(`/v1/users/${holder.userId}`, { subOrgId, active })
  await expectRefused(await tenant.post(VERIFY, before), 'cut off')
  expect((await tenant.post(VERIFY, await answerOf(holder))).status).toBe(200)
})

test('a deleted passkey opens nothing, nor one that somebody who signed up had before the first proof of the mailbox', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  await app.app.platform.db.updateTable('users').set({ source: 'signup' }).where('id', '=', holder.userId).execute()
  const spare = newPasskey()
  await register(tenant, holder, spare)
  const late = await answerOf(holder)
  await tenant.delete(`/v1/webauthn/credentials/${holder.credentialId}?subOrgId=${subOrgId}`)
  await expectRefused(await tenant.post(VERIFY, late), 'deleted')
  const { otp_id } = (await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: holder.email })).body
  const code = await mailedCode(app, holder.email)
  await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: holder.email, otp_id, code })
  expect((await tenant.get(`/v1/users/${holder.userId}`)).body.user).toMatchObject({
    emailVerified: true,
    passkeyCount: 0,
  })
  await expectRefused(await signInBy(tenant, { ...holder, passkey: spare }), 'from before')
})

test('where verification is merely preferred, an answer without is one factor', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  await tenant.patch('/v1/auth/passkey/settings', { subOrgId, user_verification: 'preferred' })
  const reply = await signInBy(tenant, holder, { userVerified: false })
  expect(decodeJwt(reply.body.session.access_token)).toMatchObject({ amr: ['pop', 'user'], aal: 'aal1' })
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  expect((await signInBy(tenant, holder, { userVerified: false })).body).toMatchObject({
    session: null,
    mfa_required: true,
  })
  const verified = await signInBy(tenant, holder)
  expect(decodeJwt(verified.body.session.access_token)).toMatchObject({ aal: 'aal2' })
})

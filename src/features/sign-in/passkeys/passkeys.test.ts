import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { cutOffDuring } from '../../../../test/in-order.ts'
import { AAGUID, newPasskey } from '../../../../test/people/authenticator.ts'
import { newHolder, PAGE, register, registrationOptions, signInBy } from '../../../../test/people/passkeys.ts'
import { newEmail, newPendingUser, newUser } from '../../../../test/people/people.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { userCleanup } from '../../directory/users/cleanup.ts'

const app = await startApp()
const tenant = await app.tenant()

const newAda = async (subOrgId: string) => {
  const { id: userId, ...named } = await newUser(tenant, { subOrgId, displayName: 'Ada' })
  return { ...named, userId }
}

const listReply = async (who: { subOrgId: string; userId: string }) =>
  (await tenant.get(`/v1/webauthn/credentials?subOrgId=${who.subOrgId}&userId=${who.userId}`)).body

const list = async (who: { subOrgId: string; userId: string }) => (await listReply(who)).credentials

test('the options are what a browser takes, for a passkey that may be found without an address', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'Acme' })
  const user = await newAda(subOrgId)
  const { options, challengeId } = await registrationOptions(tenant, subOrgId, user.userId)
  expect(challengeId).toMatch(/^[0-9a-f-]{36}$/)
  const { name } = (await tenant.get(`/v1/organizations/${subOrgId}`)).body.subOrganization
  expect(options).toEqual({
    rp: { id: 'localhost', name: 'Acme' },
    user: { id: expect.stringMatching(/^[\w-]{22}$/), name: user.email, displayName: `Ada (${name})` },
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'none',
    extensions: { credProps: true },
  })
})

test('a passkey is registered, told to its user, listed, excluded from then on, and deleted', async () => {
  const subOrgId = await tenant.organization()
  const user = await newAda(subOrgId)
  const passkey = newPasskey()
  const backup = { eligible: true, state: true }
  const reply = await register(tenant, user, passkey, { backup })
  expect(reply.status, reply.text).toBe(200)
  const credential = {
    id: expect.any(String),
    credentialId: passkey.id,
    userId: expect.any(String),
    directoryUserId: user.userId,
    deviceName: 'Apple Passwords',
    aaguid: AAGUID,
    authenticatorName: 'Apple Passwords',
    transports: ['internal'],
    deviceType: 'multiDevice',
    backedUp: true,
    rpId: 'localhost',
    createdAt: expect.any(String),
    lastUsedAt: null,
  }
  expect(reply.body).toEqual({ success: true, credential })
  expect(await listReply(user)).toEqual({ credentials: [credential], has_more: false, next_cursor: null })
  const again = await registrationOptions(tenant, subOrgId, user.userId)
  expect(again.options.excludeCredentials).toEqual([{ type: 'public-key', id: passkey.id, transports: ['internal'] }])
  const read = await tenant.get(`/v1/users/${user.userId}`)
  expect(read.body.user).toMatchObject({ passkeyCount: 1, userId: reply.body.credential.userId })
  const gone = await tenant.delete(`/v1/webauthn/credentials/${reply.body.credential.id}?subOrgId=${subOrgId}`)
  expect(gone.body).toEqual({ success: true, last_factor: true })
  expect(await list(user)).toEqual([])
  expect((await tenant.get(`/v1/users/${user.userId}`)).body.user.passkeyCount).toBe(0)
  expect((await app.mails(user.email)).map((mail) => mail.kind)).toEqual(['passkey_registered', 'passkey_deleted'])
  const events = (await app.events({ accountId: tenant.accountId })).filter((event) =>
    event.type.startsWith('passkey.'),
  )
  expect(events.map(({ type, target_id }) => [type, target_id])).toEqual([
    ['passkey.registered', reply.body.credential.id],
    ['passkey.deleted', reply.body.credential.id],
  ])
})

test('a passkey has the name that its user gave, and is deleted by the id of its authenticator too', async () => {
  const subOrgId = await tenant.organization()
  const user = await newAda(subOrgId)
  const passkey = newPasskey()
  const reply = await register(tenant, user, passkey, { deviceName: 'Ada’s phone' })
  expect(reply.body.credential).toMatchObject({ deviceName: 'Ada’s phone', authenticatorName: 'Apple Passwords' })
  for (const control of ['\x01', '\n', '\x7F', '\x85']) {
    const refused = await register(tenant, user, newPasskey(), { deviceName: `Ada’s${control}phone` })
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ field: 'deviceName', code: 'pattern' }]])
  }
  const elsewhere = await tenant.organization()
  const path = `/v1/webauthn/credentials/${passkey.id}`
  expect((await tenant.delete(`${path}?subOrgId=${elsewhere}`)).body.code).toBe('passkey_not_found')
  expect((await tenant.delete(`${path}?subOrgId=${subOrgId}`)).status).toBe(200)
  expect((await tenant.delete(`${path}?subOrgId=${subOrgId}`)).body.code).toBe('passkey_not_found')
})

test('nothing is attached to a sign-up that waits, to the inactive, or in an organization that is suspended', async () => {
  const subOrgId = await tenant.organization()
  const waiting = await newPendingUser(app.app.platform.db, tenant, { subOrgId })
  const inactive = await newAda(subOrgId)
  await tenant.patch(`/v1/users/${inactive.userId}`, { subOrgId, active: false })
  const options = (userId: string) => tenant.post('/v1/auth/passkey/register', { subOrgId, userId, action: 'options' })
  expect((await options(waiting.id)).body.code).toBe('verification_required')
  expect((await options(inactive.userId)).body.code).toBe('user_inactive')
  expect((await options(randomUUID())).body.code).toBe('user_not_found')
  const { userId } = await newAda(subOrgId)
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect((await options(userId)).body.code).toBe('organization_suspended')
})

test('a user has at most 20 passkeys, however many are registered at once', async () => {
  const subOrgId = await tenant.organization()
  const user = await newAda(subOrgId)
  const started = await Promise.all(
    Array.from({ length: 22 }, () => registrationOptions(tenant, subOrgId, user.userId)),
  )
  const replies = await Promise.all(
    started.map(({ options, challengeId }) => {
      const credential = newPasskey().make(options, { origin: PAGE })
      return tenant.post('/v1/auth/passkey/register', {
        ...user,
        email: undefined,
        action: 'verify',
        challengeId,
        credential,
      })
    }),
  )
  const codes = replies.map((reply) => reply.body.code ?? reply.status).sort()
  expect(codes).toEqual([...Array(20).fill(200), 'passkey_limit_reached', 'passkey_limit_reached'])
  expect(await list(user)).toHaveLength(20)
  const options = await tenant.post('/v1/auth/passkey/register', { subOrgId, userId: user.userId, action: 'options' })
  expect([options.status, options.body.code]).toEqual([409, 'passkey_limit_reached'])
})

test('of many users who register one credential at once a single one gets it', async () => {
  const subOrgId = await tenant.organization()
  const passkey = newPasskey()
  const users = await Promise.all(Array.from({ length: 8 }, () => newAda(subOrgId)))
  const replies = await Promise.all(users.map((user) => register(tenant, user, passkey)))
  expect(replies.map((reply) => reply.body.code ?? reply.status).sort()).toEqual([
    200,
    ...Array(7).fill('passkey_exists'),
  ])
  const counts = await Promise.all(users.map(async (user) => (await list(user)).length))
  expect(counts.reduce((sum, count) => sum + count)).toBe(1)
})

test('what the browser answers is judged: page, challenge, ceremony, user and relying party', async () => {
  const subOrgId = await tenant.organization()
  const user = await newAda(subOrgId)
  const wrong = [
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'http://localhost.evil.example' },
    { origin: 'http://localhost:3000/' },
    { challenge: Buffer.alloc(32).toString('base64url') },
    { rpId: 'evil.example' },
    { type: 'webauthn.get' },
    { crossOrigin: true },
    { userPresent: false },
    { backup: { eligible: false, state: true } },
  ]
  for (const how of wrong) {
    const reply = await register(tenant, user, newPasskey(), how)
    expect([how, reply.status, reply.body.code]).toEqual([how, 401, 'passkey_invalid'])
  }
  expect(await list(user)).toEqual([])
  const other = await newAda(subOrgId)
  const { options, challengeId } = await registrationOptions(tenant, subOrgId, user.userId)
  const credential = newPasskey().make(options, { origin: PAGE })
  const verify = (userId: string) =>
    tenant.post('/v1/auth/passkey/register', { subOrgId, userId, action: 'verify', challengeId, credential })
  expect((await verify(other.userId)).body.code).toBe('passkey_invalid')
  // The wrong response has consumed the challenge.
  expect((await verify(user.userId)).body.code).toBe('passkey_invalid')
})

test('a challenge registers once, and for 300 seconds', async () => {
  const subOrgId = await tenant.organization()
  const user = await newAda(subOrgId)
  const answer = async () => {
    const { options, challengeId } = await registrationOptions(tenant, subOrgId, user.userId)
    const credential = newPasskey().make(options, { origin: PAGE })
    return { subOrgId, userId: user.userId, action: 'verify', challengeId, credential }
  }
  const once = await answer()
  expect((await tenant.post('/v1/auth/passkey/register', once)).status).toBe(200)
  expect((await tenant.post('/v1/auth/passkey/register', once)).body.code).toBe('passkey_invalid')
  const late = await answer()
  await app.advance(301)
  expect((await tenant.post('/v1/auth/passkey/register', late)).body.code).toBe('passkey_invalid')
  expect(await list(user)).toHaveLength(1)
})

test('the step verify needs both its fields', async () => {
  const subOrgId = await tenant.organization()
  const { userId } = await newAda(subOrgId)
  const reply = await tenant.post('/v1/auth/passkey/register', { subOrgId, userId, action: 'verify' })
  expect([reply.status, reply.body.errors[0].field]).toEqual([400, 'challengeId'])
})

test('where a recent sign-in is required, the access token of one is', async () => {
  const subOrgId = await tenant.organization()
  const ada = await signedInUser(app, tenant, subOrgId, newEmail())
  const eve = await signedInUser(app, tenant, subOrgId, newEmail())
  await tenant.patch('/v1/auth/passkey/settings', { subOrgId, require_recent_sign_in_seconds: 600 })
  const options = (access_token?: string) =>
    tenant.post('/v1/auth/passkey/register', {
      subOrgId,
      userId: ada.userId,
      action: 'options',
      ...(access_token ? { access_token } : {}),
    })
  expect((await options()).body).toMatchObject({ code: 'recent_sign_in_required', within_seconds: 600 })
  expect((await options(eve.session.access_token)).body.code).toBe('recent_sign_in_required')
  expect((await options(ada.session.refresh_token)).body.code).toBe('recent_sign_in_required')
  expect((await options(ada.session.access_token)).status).toBe(200)
  await app.advance(601)
  const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: ada.session.refresh_token })
  // A refresh is not a sign-in.
  expect((await options(refreshed.body.session.access_token)).body.code).toBe('recent_sign_in_required')
})

test('who was cut off while the browser made a passkey has none', async () => {
  const subOrgId = await tenant.organization()
  const user = await newAda(subOrgId)
  const { options, challengeId } = await registrationOptions(tenant, subOrgId, user.userId)
  const credential = newPasskey().make(options, { origin: PAGE })
  const body = { subOrgId, userId: user.userId, action: 'verify', challengeId, credential }
  const reply = await cutOffDuring(app.app.platform, user.userId, () => tenant.post('/v1/auth/passkey/register', body))
  expect([reply.status, reply.body.code]).toEqual([403, 'user_inactive'])
  expect(await list(user)).toEqual([])
})

test('passkeys go along when their user moves, but one that somebody there has, and go with the row of one who was deleted', async () => {
  const [from, to] = [await tenant.organization(), await tenant.organization()]
  const holder = await newHolder(tenant, from)
  const taken = newPasskey()
  await register(tenant, holder, taken)
  await register(tenant, await newAda(to), taken)
  const moved = await tenant.post(`/v1/users/${holder.userId}`, { subOrgId: from, targetSubOrgId: to })
  expect(moved.body.user.passkeyCount).toBe(1)
  const there = { ...holder, subOrgId: to }
  expect((await list(there)).map((passkey: { id: string }) => passkey.id)).toEqual([holder.credentialId])
  expect((await signInBy(tenant, there)).status).toBe(200)
  await tenant.delete(`/v1/users/${holder.userId}?subOrgId=${to}`)
  const { platform } = app.app
  const left = async () =>
    (await platform.db.selectFrom('passkeys').select('id').where('user_id', '=', holder.userId).execute()).length
  expect(await left()).toBe(1)
  await sql`update users set deleted_at = deleted_at - interval '30 days' where id = ${holder.userId}`.execute(
    platform.db,
  )
  await userCleanup.handle(platform, {}, 1)
  expect(await left()).toBe(0)
})

test('the last passkey of a user whom the policy asks for a second factor says so', async () => {
  const subOrgId = await tenant.organization()
  const holder = await newHolder(tenant, subOrgId)
  const second = await register(tenant, holder, newPasskey())
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true })
  const remove = async (id: string) => (await tenant.delete(`/v1/webauthn/credentials/${id}?subOrgId=${subOrgId}`)).body
  expect(await remove(holder.credentialId)).toEqual({ success: true })
  expect(await remove(second.body.credential.id)).toEqual({ success: true, last_factor: true, mfa_required: true })
})

import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, makeProvenUser, sentSmsCode, succeeded } from '../../../../test/people/factors.ts'
import { registrationOptions } from '../../../../test/people/passkeys.ts'
import type { Person } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink, signIn, type Tokens } from '../../../../test/people/sign-in.ts'

// A change of factors ends access that was granted with one factor (ASVS 7.4.3).

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const PHONE = '+14155550123'

async function newPerson(): Promise<Person> {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'sms', 'backup'] })
  await tenant.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: ['US'], resend_interval_seconds: 0 })
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  return { subOrgId, id, email }
}

const openSession = ({ subOrgId, email }: Person) => signIn(app, tenant, subOrgId, email)

const isLive = async ({ subOrgId }: Person, { refresh_token }: Tokens) =>
  (await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).status === 200

type Ends = { revokeSessions?: boolean; access_token?: string }

/** The changes of factors. Each is prepared first, so that a test sees only the effects of the change itself. */
const changes: Record<string, (person: Person) => Promise<(ends?: Ends) => Promise<unknown>>> = {
  async 'an app'({ subOrgId, id: userId }) {
    const { pendingId, secret } = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId }))
    return async (ends) =>
      succeeded(await tenant.put('/v1/mfa/totp', { subOrgId, userId, pendingId, code: codeOf(secret), ...ends }))
  },
  'a phone': beginPhone,
  async 'new backup codes'({ subOrgId, id: userId }) {
    await enrollTotp(tenant, userId, { subOrgId, revokeSessions: false })
    return async (ends) => succeeded(await tenant.post('/v1/mfa/totp/backup-codes', { subOrgId, userId, ...ends }))
  },
  async 'the removal of an app'({ subOrgId, id: userId }) {
    await enrollTotp(tenant, userId, { subOrgId, revokeSessions: false })
    return async (ends) => succeeded(await tenant.delete('/v1/mfa/totp', {}, { subOrgId, userId, ...ends }))
  },
  async 'the removal of a phone'(person) {
    const enroll = await beginPhone(person)
    await enroll({ revokeSessions: false })
    const { subOrgId, id } = person
    return async (ends) => succeeded(await tenant.delete(`/v1/mfa/sms?userId=${id}`, {}, { subOrgId, ...ends }))
  },
}

async function beginPhone({ subOrgId, id: userId }: Person) {
  succeeded(await tenant.post('/v1/mfa/sms', { subOrgId, userId, phone: PHONE }))
  const code = await sentSmsCode(app, PHONE)
  return async (ends?: Ends) => succeeded(await tenant.put('/v1/mfa/sms', { subOrgId, userId, code, ...ends }))
}

/** The expected end reasons, where they differ from "a factor was added". */
const reasons: Record<string, string> = {
  'new backup codes': 'mfa_codes_renewed',
  'the removal of an app': 'mfa_removed',
  'the removal of a phone': 'mfa_removed',
}

async function ready(name: string, person: Person) {
  const change = await changes[name]?.(person)
  if (!change) throw new Error('No change')
  return change
}

describe.each(Object.keys(changes))('%s', (name) => {
  // The sessions are opened before there is a factor, because a sign-in would otherwise require it.
  const withSessions = async () => {
    const person = await newPerson()
    const sessions = [await openSession(person), await openSession(person)] as const
    return { person, sessions, change: await ready(name, person) }
  }

  test('ends every session of the user, unless the caller spares them', async () => {
    for (const revokeSessions of [undefined, false]) {
      const { person, sessions, change } = await withSessions()
      await change(revokeSessions === undefined ? {} : { revokeSessions })
      for (const session of sessions) expect(await isLive(person, session)).toBe(revokeSessions === false)
    }
  })

  test('spares the session in which the user asks for it, by a token of their own', async () => {
    const { person, sessions, change } = await withSessions()
    const [present, other] = sessions
    await change({ access_token: present.access_token })
    expect([await isLive(person, present), await isLive(person, other)]).toEqual([true, false])
    const [last] = (await app.events({ accountId: tenant.accountId, type: 'session.revoked' })).slice(-1)
    const reason = reasons[name] ?? 'mfa_enrolled'
    expect(last?.data).toMatchObject({ directory_user_id: person.id, reason })
  })

  test('a token that is made up, or of somebody else, spares nothing', async () => {
    const stranger = await openSession(await newPerson())
    for (const access_token of ['made up', stranger.access_token]) {
      const { person, sessions, change } = await withSessions()
      await change({ access_token })
      for (const session of sessions) expect(await isLive(person, session)).toBe(false)
    }
  })

  test('ends codes, links, ceremonies and challenges under way, and leaves the proof of an address', async () => {
    const person = await newPerson()
    const { subOrgId, id, email } = person
    await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
    const change = await ready(name, person)
    succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }))
    const link = await mailedLink(app, email, 'magic_link')
    succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
    const { token_hash } = await mailedLink(app, email, 'password_reset')
    // A newer code than the one in the mail with the link.
    const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
    const code = await mailedCode(app, email)
    const { challengeId } = await registrationOptions(tenant, subOrgId, id)
    const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
    await app.app.platform.db.updateTable('users').set({ email_verified: false }).where('id', '=', id).execute()
    succeeded(await tenant.post(`/v1/users/${id}/verify/resend`, { subOrgId }))
    const verification = await mailedLink(app, email, 'email_verification')
    await change({ revokeSessions: false })
    const verify = (path: string, body: object) => tenant.post(path, { subOrgId, email, ...body })
    expect((await verify('/v1/auth/login/otp/verify', { otp_id, code })).body.code).toBe('otp_expired')
    for (const reply of [
      await verify('/v1/auth/password/reset/confirm', { token_hash, password: `${PASSWORD}!` }),
      await verify('/v1/auth/login/magic-link/verify', { token_hash: link.token_hash }),
    ])
      expect([reply.body.code, reply.body.reason]).toEqual(['token_invalid', 'withdrawn'])
    if (login.body.challenge_token) {
      const body = { subOrgId, challenge_token: login.body.challenge_token, code: '123456' }
      expect((await tenant.post('/v1/mfa/challenge/verify', body)).body.code).toBe('challenge_expired')
    }
    const ceremony = await app.app.platform.db
      .selectFrom('webauthn_ceremonies')
      .select('used_at')
      .where('id', '=', challengeId)
      .executeTakeFirstOrThrow()
    expect(ceremony.used_at).not.toBeNull()
    succeeded(await verify('/v1/auth/email/verify', { token_hash: verification.token_hash, password: PASSWORD }))
  })
})

test('a token of somebody else spares nothing, and neither ends nor revives a session of theirs', async () => {
  const person = await newPerson()
  const other = { ...person, ...(await makeProvenUser(tenant, person.subOrgId)) }
  const [own, live, dead] = [await openSession(person), await openSession(other), await openSession(other)]
  // A session that ended together with all others, but whose row does not show it yet.
  const { db } = app.app.platform
  const deadId = String(decodeJwt(dead.access_token)['sid'])
  await db.updateTable('users').set({ session_epoch: 1 }).where('id', '=', other.id).execute()
  const liveId = String(decodeJwt(live.access_token)['sid'])
  await db.updateTable('sessions').set({ user_epoch: 1 }).where('id', '=', liveId).execute()
  const change = await ready('an app', person)
  await change({ access_token: dead.access_token })
  const { rows } =
    await sql`select id, user_epoch from sessions where id in (${deadId}, ${liveId}) order by user_epoch`.execute(db)
  expect(rows).toEqual([
    { id: deadId, user_epoch: 0 },
    { id: liveId, user_epoch: 1 },
  ])
  expect([await isLive(person, own), await isLive(other, dead), await isLive(other, live)]).toEqual([
    false,
    false,
    true,
  ])
})

test('whoever enrolls to finish a sign-in keeps that session alone', async () => {
  const person = await newPerson()
  const { subOrgId, id: userId } = person
  const before = await openSession(person)
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: person.email }))
  const code = await mailedCode(app, person.email)
  const body = { subOrgId, email: person.email, otp_id, code }
  const { challenge_token } = succeeded(await tenant.post('/v1/auth/login/otp/verify', body))
  const { pendingId, secret } = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId }))
  const enrolled = await tenant.put('/v1/mfa/totp', {
    subOrgId,
    userId,
    pendingId,
    code: codeOf(secret),
    challenge_token,
  })
  const { session } = succeeded(enrolled)
  expect(await isLive(person, before)).toBe(false)
  expect(await isLive(person, session)).toBe(true)
})

test('an enrollment that a refresh demanded takes the place of that session, and ends the others', async () => {
  const person = await newPerson()
  const { subOrgId, id: userId } = person
  const [present, other] = [await openSession(person), await openSession(person)]
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  const { refresh_token } = present
  const { challenge_token } = succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))
  const { pendingId, secret } = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId }))
  const sent = { subOrgId, userId, pendingId, code: codeOf(secret), challenge_token }
  const { session } = succeeded(await tenant.put('/v1/mfa/totp', sent))
  expect(await isLive(person, session)).toBe(true)
  for (const each of [present, other]) {
    const { body } = await tenant.post('/v1/auth/token/introspect', { token: each.access_token })
    expect(body).toEqual({ active: false })
  }
})

test('a removal ends codes and links under way too', async () => {
  const person = await newPerson()
  const { subOrgId, id, email } = person
  for (const factor of ['totp', 'sms']) {
    if (factor === 'totp') await enrollTotp(tenant, id, { subOrgId })
    else await (await ready('a phone', person))()
    const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
    const code = await mailedCode(app, email)
    const path = `/v1/mfa/${factor}?subOrgId=${subOrgId}&userId=${id}`
    succeeded(await (factor === 'totp' ? tenant.delete(path, {}, {}) : tenant.delete(path)))
    const reply = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
    expect(reply.body.code).toBe('otp_expired')
  }
})

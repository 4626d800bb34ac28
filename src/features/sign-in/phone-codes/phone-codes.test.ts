import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import {
  codeOf,
  enrollTotp,
  makeProvenUser,
  sentSmsCode,
  signInByLink,
  succeeded,
} from '../../../../test/people/factors.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { mailedCode, signedInUser } from '../../../../test/people/sign-in.ts'
import { ofRequests, recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'
import { listKeptSms } from '../../../platform/sms/outbox.ts'

const app = await startApp()
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()
const HINT = '+•••••••'
let numbers = 0
/** How far the clock was moved. */
let ahead = 0

interface PhoneUser {
  subOrgId: string
  email: string
  id: string
  phone: string
  secret: string
}

async function organization(settings: object = {}): Promise<string> {
  const subOrgId = await tenant.organization()
  const sms = { sms_allowed_countries: ['US'], ...settings }
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, ...sms }))
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sms_sign_in_enabled: true }))
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'backup', 'sms'] }))
  return subOrgId
}

/** A user who has proved a mailbox and a phone, by default also with an authenticator app. */
async function phoneUser(subOrgId: string, { app: hasApp = true } = {}): Promise<PhoneUser> {
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  numbers += 1
  const phone = `+1415555${String(1000 + numbers)}`
  const named = { subOrgId, userId: id }
  succeeded(await tenant.post('/v1/mfa/sms', { ...named, phone }))
  succeeded(await tenant.put('/v1/mfa/sms', { ...named, code: await sentSmsCode(app, phone) }))
  const secret = hasApp ? (await enrollTotp(tenant, id, { subOrgId, ahead })).secret : ''
  return { subOrgId, email, id, phone, secret }
}

const send = ({ subOrgId, email }: { subOrgId: string; email: string }, channel?: string) =>
  tenant.post('/v1/auth/login/otp/send', { subOrgId, email, ...(channel ? { channel } : {}) })
const verify = ({ subOrgId, email }: Pick<PhoneUser, 'subOrgId' | 'email'>, otp_id: string, code: string) =>
  tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
const sentTexts = async () => (await listKeptSms(platform, { limit: 1000, to: null })).filter(({ decoy }) => !decoy)
const textsTo = async (phone: string) => (await sentTexts()).filter(({ to }) => to === phone)
const refused = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** The code that was last sent to the user's phone. */
async function sentCode({ phone }: PhoneUser): Promise<string> {
  const [newest] = await textsTo(phone)
  return /sign-in code: ([a-z]+ [a-z]+)\./.exec(newest?.text ?? '')?.[1] ?? ''
}

const sessionsOf = ({ id }: PhoneUser) =>
  db.selectFrom('sessions').select(['auth_method', 'amr', 'aal']).where('user_id', '=', id).execute()

async function begin(person: PhoneUser) {
  const { otp_id } = succeeded(await send(person, 'sms'))
  return { otp_id, code: await sentCode(person) }
}

describe('somebody with a phone', () => {
  test('signs in by a code that goes there and nowhere else, and by a factor besides', async () => {
    const person = await phoneUser(await organization())
    const before = (await textsTo(person.phone)).length
    const sent = succeeded(await send(person, 'sms'))
    expect(sent).toEqual({
      otp_id: expect.any(String),
      expires_at: expect.any(String),
      delivery_hint: HINT,
      delivery_method: 'sms',
    })
    const texts = await textsTo(person.phone)
    expect([texts.length - before, texts[0]?.kind]).toEqual([1, 'login_otp'])
    expect((await app.mails(person.email)).filter(({ kind }) => kind !== 'mfa_enrolled')).toEqual([])
    const events = await app.events({ accountId: tenant.accountId, type: 'auth.otp.sent' })
    expect(events.at(-1)).toMatchObject({
      target_id: person.id,
      data: { otp_id: sent.otp_id, purpose: 'login', channel: 'sms' },
    })
    expect(refused(await verify(person, sent.otp_id, 'wrong words'))).toEqual([401, 'otp_invalid'])
    const held = succeeded(await verify(person, sent.otp_id, (await sentCode(person)).toUpperCase()))
    // The phone was the first factor, so it is not offered as the second factor.
    expect(held).toMatchObject({ session: null, mfa_required: true, methods: ['totp', 'backup'] })
    const { subOrgId } = person
    const { challenge_token } = held
    const again = await tenant.post('/v1/mfa/challenge/send', { subOrgId, challenge_token, method: 'sms' })
    expect(refused(again)).toEqual([403, 'method_disabled'])
    const code = codeOf(person.secret, 1)
    const { session } = succeeded(await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code }))
    expect(session.directory_user_id).toBe(person.id)
    expect(await sessionsOf(person)).toEqual([{ auth_method: 'otp', amr: ['sms', 'otp', 'mfa'], aal: 'aal2' }])
    expect(refused(await verify(person, sent.otp_id, await sentCode(person)))).toEqual([401, 'otp_invalid'])
  })

  test('is signed in by it alone where no second factor is asked for; the phone does not step up that session', async () => {
    const subOrgId = await organization()
    const person = await phoneUser(subOrgId)
    const { enabledAppIds } = succeeded(await tenant.get(`/v1/organization-apps?subOrgId=${subOrgId}`))
    const without = enabledAppIds.filter((id: string) => id !== 'mfa')
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: without }))
    const { otp_id, code } = await begin(person)
    const { session } = succeeded(await verify(person, otp_id, code))
    expect(await sessionsOf(person)).toEqual([{ auth_method: 'otp', amr: ['sms', 'otp'], aal: 'aal1' }])
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds }))
    const { methods } = succeeded(await bearing(app, session.access_token).post('/v1/me/step-up', {}))
    expect(methods).toEqual(['totp', 'backup'])
  })

  test('loses the code with the phone, and with the proof of the mailbox', async () => {
    const subOrgId = await organization()
    const [gone, other, unproved] = [await phoneUser(subOrgId), await phoneUser(subOrgId), await phoneUser(subOrgId)]
    const sent = [await begin(gone), await begin(other), await begin(unproved)]
    succeeded(await tenant.delete(`/v1/mfa/sms?subOrgId=${subOrgId}&userId=${gone.id}`))
    // Simulates that another phone was enrolled while the code was being sent, with nothing else changed.
    await db.updateTable('mfa_phones').set({ id: crypto.randomUUID() }).where('user_id', '=', other.id).execute()
    await db.updateTable('users').set({ email_verified: false }).where('id', '=', unproved.id).execute()
    for (const [i, person] of [gone, other, unproved].entries()) {
      const { otp_id = '', code = '' } = sent[i] ?? {}
      expect(code).toMatch(/^[a-z]+ [a-z]+$/)
      expect(refused(await verify(person, otp_id, code))).toEqual([401, 'otp_invalid'])
    }
    const { email_verified } = await db
      .selectFrom('users')
      .select('email_verified')
      .where('id', '=', unproved.id)
      .executeTakeFirstOrThrow()
    expect(email_verified).toBe(false)
  })

  test('the newer code voids the older whichever way it went, and both ways share their limits', async () => {
    const person = await phoneUser(await organization())
    const mailed = succeeded(await send(person))
    const words = await mailedCode(app, person.email)
    const first = await begin(person)
    expect(refused(await verify(person, mailed.otp_id, words))).toEqual([401, 'otp_invalid'])
    // The code that was already sent stays valid.
    const repeated = succeeded(await send(person, 'sms'))
    expect(repeated.otp_id).toBe(first.otp_id)
    expect(refused(await send(person))).toEqual([429, 'rate_limited'])
    expect(refused(await send(person, 'sms'))).toEqual([429, 'rate_limited'])
    expect(succeeded(await verify(person, first.otp_id, first.code)).mfa_required).toBe(true)
  })

  test('of requests with the same code at two processes one passes', async () => {
    const person = await phoneUser(await organization())
    const second = (await startSecondApp(app)).as(tenant.key)
    const { otp_id, code } = await begin(person)
    const body = { subOrgId: person.subOrgId, email: person.email, otp_id, code }
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, i) => (i % 2 ? second : tenant).post('/v1/auth/login/otp/verify', body)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  })
})

describe('who gets none', () => {
  test('loses no code that was sent before, and tries at that tell nobody whether the newer one has left', async () => {
    const subOrgId = await organization({ resend_interval_seconds: 0 })
    const phoneless = await signedInUser(app, tenant, subOrgId, newEmail())
    const [known, strangers] = [await phoneUser(subOrgId), { subOrgId, email: newEmail() }]
    const tried = []
    for (const person of [{ ...phoneless, subOrgId }, known, strangers]) {
      const [mailed, bySms] = [succeeded(await send(person)), succeeded(await send(person, 'sms'))]
      const guess = async (otp_id: string) => refused(await verify(person, otp_id, 'wrong words'))
      const answers = []
      for (let i = 0; i < 6; i++) answers.push([await guess(mailed.otp_id), await guess(bySms.otp_id)])
      tried.push(answers)
    }
    const [invalid, spent] = [
      [401, 'otp_invalid'],
      [429, 'otp_too_many_attempts'],
    ]
    const six = [...Array(5).fill([invalid, invalid]), [spent, spent]]
    expect(tried).toEqual([six, six, six])
    await app.advance(3601)
    ahead += 3601
    const mailed = succeeded(await send({ ...phoneless, subOrgId }))
    const words = await mailedCode(app, phoneless.email)
    succeeded(await send({ ...phoneless, subOrgId }, 'sms'))
    const { session } = succeeded(await verify({ ...phoneless, subOrgId }, mailed.otp_id, words))
    expect(session.directory_user_id).toBe(phoneless.userId)
  })

  test('is answered as everybody, whatever the reason, which the events tell', async () => {
    const subOrgId = await organization()
    const [known, alone] = [await phoneUser(subOrgId), await phoneUser(subOrgId, { app: false })]
    const [unverified, inactive] = [await phoneUser(subOrgId), await phoneUser(subOrgId)]
    await db.updateTable('users').set({ email_verified: false }).where('id', '=', unverified.id).execute()
    succeeded(await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId, active: false }))
    const phoneless = await newUser(tenant, { subOrgId })
    const abroad = await phoneUser(subOrgId)
    await db.updateTable('mfa_phones').set({ phone: '+4915112345678' }).where('user_id', '=', abroad.id).execute()
    const usual = await send(known, 'sms')
    const before = (await sentTexts()).length
    const reasons: Record<string, { subOrgId: string; email: string }> = {
      no_such_user: { subOrgId, email: newEmail() },
      no_phone: phoneless,
      email_not_verified: unverified,
      user_inactive: inactive,
      no_other_factor: alone,
      sms_withheld: abroad,
    }
    for (const [reason, person] of Object.entries(reasons)) {
      const reply = await send(person, 'sms')
      expect([reply.status, Object.keys(reply.body), reply.body.delivery_hint]).toEqual([
        200,
        Object.keys(usual.body),
        HINT,
      ])
      expect([...reply.headers.keys()]).toEqual([...usual.headers.keys()])
      expect(reply.headers.get('ratelimit')).toBe(usual.headers.get('ratelimit'))
      const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
      expect(failed.at(-1)?.data).toEqual({ method: 'otp', reason })
      // A decoy is valid as long as a real code.
      const repeated = succeeded(await send(person, 'sms'))
      expect(repeated.otp_id).toBe(reply.body.otp_id)
    }
    expect(await sentTexts()).toHaveLength(before)
  })

  test('is everybody where the policy does not allow such a factor, and nobody is told', async () => {
    const subOrgId = await organization({ channel_sms: true })
    const person = await phoneUser(subOrgId)
    const before = (await textsTo(person.phone)).length
    succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'backup'] }))
    const replies = [await send(person, 'sms'), await send({ subOrgId, email: newEmail() }, 'sms')]
    for (const { status, body } of replies) expect([status, body.delivery_hint]).toEqual([200, HINT])
    expect(await textsTo(person.phone)).toHaveLength(before)
    const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
    const reasons = failed.slice(-2).map(({ data }) => data)
    expect(reasons).toMatchObject([{ reason: 'method_not_allowed' }, { reason: 'no_such_user' }])
  })

  test('costs the same statements', async () => {
    const subOrgId = await organization()
    const alone = await phoneUser(subOrgId, { app: false })
    const people = [await phoneUser(subOrgId), { subOrgId, email: newEmail() }, alone]
    const sent = []
    for (const person of [{ subOrgId, email: newEmail() }, ...people])
      sent.push(ofRequests(await recordStatements(async () => void succeeded(await send(person, 'sms')))))
    const [, ...warm] = sent
    expect(warm[0]?.length).toBeGreaterThan(8)
    expect(warm[1]).toEqual(warm[0])
    expect(warm[2]).toEqual(warm[0])
  })

  test('the limit of a number and that of a day withhold the message and refuse nobody', async () => {
    const subOrgId = await organization({ channel_sms: true, resend_interval_seconds: 0, rate_limit_per_minute: 3 })
    const person = await phoneUser(subOrgId)
    // One message was already sent there for the enrollment. The other messages of the minute come from the generator.
    for (let i = 0; i < 2; i++) succeeded(await tenant.post('/v1/otp/generate', { subOrgId, phone: person.phone }))
    const before = (await textsTo(person.phone)).length
    expect([(await send(person, 'sms')).status, (await textsTo(person.phone)).length]).toEqual([200, before])
    await app.advance(3600)
    ahead += 3600
    succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, sms_daily_limit: 1 }))
    expect([(await send(person, 'sms')).status, (await textsTo(person.phone)).length]).toEqual([200, before])
    succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, sms_daily_limit: 50 }))
    await app.advance(61)
    ahead += 61
    expect([(await send(person, 'sms')).status, (await textsTo(person.phone)).length]).toEqual([200, before + 1])
  })

  /** A user at the second step of another sign-in method, who requests a code by SMS. */
  async function challenged({ subOrgId, email }: PhoneUser) {
    const { challenge_token } = succeeded(await signInByLink(tenant, email, { subOrgId }))
    const ask = () => tenant.post('/v1/mfa/challenge/send', { subOrgId, challenge_token, method: 'sms' })
    return async () => (await ask()).status
  }

  test('strangers leave half of the day to second factors and those who enroll', async () => {
    const many = { resend_interval_seconds: 0, rate_limit_per_minute: 60, rate_limit_per_hour: 600 }
    const subOrgId = await organization({ ...many, sms_daily_limit: 6 })
    const person = await phoneUser(subOrgId)
    const before = (await textsTo(person.phone)).length
    // The third message of the day is the last that strangers can use up.
    for (let i = 0; i < 10; i++) succeeded(await send(person, 'sms'))
    expect((await textsTo(person.phone)).length - before).toBe(2)
    const ask = await challenged(person)
    expect(await ask()).toBe(200)
    await phoneUser(subOrgId)
    expect([await ask(), await ask()]).toEqual([200, 403])
  })

  test('strangers leave half of what a number may have to its owner', async () => {
    const subOrgId = await organization({ resend_interval_seconds: 0 })
    const person = await phoneUser(subOrgId)
    await app.advance(3600)
    ahead += 3600
    const before = (await textsTo(person.phone)).length
    const textsSince = async () => (await textsTo(person.phone)).length - before
    const ask = await challenged(person)
    // Strangers can use one of the three messages a minute.
    for (let i = 0; i < 3; i++) succeeded(await send(person, 'sms'))
    expect(await textsSince()).toBe(1)
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
    // Strangers can use five of the ten messages an hour. Three were already requested.
    for (let i = 0; i < 4; i++) {
      await app.advance(61)
      ahead += 61
      succeeded(await send(person, 'sms'))
    }
    expect(await textsSince()).toBe(5)
    await app.advance(31)
    ahead += 31
    expect([await ask(), await ask()]).toEqual([200, 200])
  })

  test('decoys take nothing of what messages share', async () => {
    const subOrgId = await organization({ sms_daily_limit: 4, send_limit_per_hour_organization: 4 })
    const person = await phoneUser(subOrgId)
    for (let i = 0; i < 6; i++) succeeded(await send({ subOrgId, email: newEmail() }, 'sms'))
    succeeded(await send(person, 'sms'))
    expect(await sentCode(person)).not.toBe('')
  })

  test.each([
    ['this is off, whatever else may be sent', 'auth', { sms_sign_in_enabled: false }],
    ['this was never turned on', 'auth', { sms_sign_in_enabled: null }],
    ['no country is allowed', 'otp', { sms_allowed_countries: [] }],
  ])('is told so where %s, whoever it is', async (_, family, settings) => {
    const subOrgId = await organization({ channel_sms: true })
    const person = await phoneUser(subOrgId)
    succeeded(await tenant.patch(`/v1/${family}/settings`, { subOrgId, ...settings }))
    const replies = [await send(person, 'sms'), await send({ subOrgId, email: newEmail() }, 'sms')]
    expect(replies.map(refused)).toEqual([
      [403, 'method_disabled'],
      [403, 'method_disabled'],
    ])
    expect((await send(person)).status).toBe(200)
  })
})

describe('a sign-in page', () => {
  const offered = async (subOrgId: string) => {
    const { methods } = succeeded(await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`))
    return methods.map((method: { id: string }) => method.id)
  }
  const others = ['password', 'otp', 'magic_link', 'passkey']

  test('offers it where it works, beside codes by mail or without them', async () => {
    const subOrgId = await organization()
    const { methods } = succeeded(await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`))
    expect(methods).toContainEqual({ id: 'otp_sms', label: 'SMS code', providers: null, connections: null })
    expect(await offered(subOrgId)).toEqual(['password', 'otp', 'otp_sms', 'magic_link', 'passkey'])
    succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, channel_email: false }))
    expect(await offered(subOrgId)).toEqual(['password', 'otp_sms', 'magic_link', 'passkey'])
    const person = await phoneUser(subOrgId)
    expect((await begin(person)).code).not.toBe('')
  })

  test.each([
    ['it is off, whatever else may be sent', '/v1/auth/settings', { sms_sign_in_enabled: false }],
    ['no country is allowed', '/v1/otp/settings', { sms_allowed_countries: [] }],
    ['the policy allows no codes by SMS', '/v1/mfa/policy', { allowed_methods: ['totp', 'backup'] }],
  ])('does not where %s', async (_, path, settings) => {
    const subOrgId = await organization({ channel_sms: true })
    succeeded(await tenant.patch(path, { subOrgId, ...settings }))
    expect(await offered(subOrgId)).toEqual(others)
  })

  test('does not where the service of codes is off', async () => {
    const subOrgId = await organization()
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: ['auth', 'mfa', 'password'] }))
    expect(await offered(subOrgId)).toEqual(['password'])
  })
})

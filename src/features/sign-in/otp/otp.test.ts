import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Caller, startApp } from '../../../../test/harness.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import { cleanUpOtps } from './cleanup.ts'
import { FIRST_WORDS } from './word-list.gen.ts'

const { tenant, as, advance, mails, events, app } = await startApp()
const { platform } = app

const generate = (caller: Caller, body: object = {}) =>
  caller.post('/v1/otp/generate', body).then((reply) => reply.body)
const validate = (caller: Caller, body: object) => caller.post('/v1/otp/validate', body).then((reply) => reply.body)
const INVALID = { valid: false, message: 'Invalid code' }
const wrongOf = (code: string) => `${FIRST_WORDS.find((word) => !code.startsWith(word))} ${code.split(' ')[1]}`

describe('generate', () => {
  test('answers two words, and what they belong to', async () => {
    const owner = await tenant()
    const before = platform.clock.now().getTime()
    const reply = await owner.post('/v1/otp/generate', { session_id: 'cart-7', ttl_seconds: 60 })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(Object.keys(reply.body).sort()).toEqual(['code', 'delivery', 'expires_at', 'otp_id', 'session_id'])
    expect(reply.body.delivery).toBeNull()
    expect(reply.body).toMatchObject({ code: expect.stringMatching(/^[a-z]+ [a-z]+$/), session_id: 'cart-7' })
    const life = Date.parse(reply.body.expires_at) - before
    expect(life).toBeGreaterThan(59_000)
    expect(life).toBeLessThan(75_000)
    expect((await generate(owner)).session_id).toBeNull()
    expect(await events({ accountId: owner.accountId })).toEqual([])
  })

  test('is served at each of its addresses, and needs a key but no scope', async () => {
    const owner = await tenant()
    const bare = await owner.withKey({ scopes: ['users.read'] })
    for (const prefix of ['/v1', '/api/v1'])
      for (const noun of ['', '/otp']) {
        const made = await bare.post(`${prefix}${noun}/generate`, {})
        expect(made.status).toBe(200)
        const checked = await bare.post(`${prefix}${noun}/validate`, pick(made.body))
        expect(checked.body).toEqual({ valid: true })
      }
    expect((await as(null).post('/v1/generate', {})).body.code).toBe('api_key_missing')
  })

  test('refuses what no code can have', async () => {
    const owner = await tenant()
    const refused = [-1, 0, 29, 3601, 1e9, 60.5, '60', null].map((ttl_seconds) => ({ ttl_seconds }))
    const others = [{ email: 'nobody' }, { email: 'a@example.com,b@example.com' }, { email: '' }, { phone: '12345' }]
    for (const body of [...refused, ...others, { session_id: '' }, { session_id: 7 }, { mode: 'digit' }]) {
      const reply = await owner.post('/v1/otp/generate', body)
      expect([body, reply.status, reply.body.code]).toEqual([body, 400, 'invalid_request'])
    }
  })

  test('keeps no code in clear', async () => {
    const owner = await tenant()
    const made = await generate(owner, { session_id: 'dump' })
    const row = await platform.db.selectFrom('otps').selectAll().where('id', '=', made.otp_id).executeTakeFirstOrThrow()
    expect([row.phrase_hash?.length, row.digit_hash, row.purpose, row.attempts]).toEqual([32, null, 'generator', 0])
    expect(JSON.stringify(row)).not.toContain(made.code)
  })

  test('is refused where OTP or Auth is off', async () => {
    for (const enabled of [['auth', 'mfa'], ['otp']]) {
      const owner = await tenant()
      const { environmentId, accountId } = owner
      const directory = await accountDirectory(platform, { environmentId, accountId, environmentSlug: 'production' })
      await platform.db
        .insertInto('service_configs')
        .values({ directory_id: directory.id, enabled_app_ids: enabled })
        .execute()
      const replies = [
        await owner.post('/v1/otp/generate', {}),
        await owner.post('/v1/otp/validate', { code: 'amber falcon', session_id: 'any' }),
      ]
      expect(replies.map((reply) => reply.body.code)).toEqual(['service_disabled', 'service_disabled'])
      expect((await owner.get('/v1/otp/settings')).status).toBe(200)
    }
  })
})

describe('validate', () => {
  test('passes a code once', async () => {
    const owner = await tenant()
    const made = await generate(owner)
    expect(await validate(owner, pick(made))).toEqual({ valid: true })
    expect(await validate(owner, pick(made))).toEqual({ valid: false, message: 'Code has already been used' })
    expect(await validate(owner, { ...pick(made), code: wrongOf(made.code) })).toEqual(INVALID)
  })

  test('takes the code as people write it', async () => {
    const owner = await tenant()
    for (const spell of [
      (code: string) => ` ${code.toUpperCase()} `,
      (code: string) => code.replace(' ', '-'),
      (code: string) => code.replace(' ', '_'),
      (code: string) => code.replace(' ', ' \u2013 '),
    ]) {
      const made = await generate(owner)
      const answer = await validate(owner, { otp_id: made.otp_id.toUpperCase(), code: spell(made.code) })
      expect(answer).toEqual({ valid: true })
    }
  })

  test('needs an otp_id or a session_id', async () => {
    const owner = await tenant()
    for (const body of [{ code: 'amber falcon' }, { code: 'amber falcon', otp_id: null, session_id: null }]) {
      const reply = await owner.post('/v1/otp/validate', body)
      expect([reply.status, reply.body.code]).toEqual([400, 'otp_reference_required'])
    }
    for (const body of [
      { otp_id: 'x' },
      { otp_id: 'x', code: '' },
      { otp_id: 'x', code: 123456 },
      { otp_id: 7, code: 'x' },
    ])
      expect((await owner.post('/v1/otp/validate', body)).body.code).toBe('invalid_request')
  })

  test('finds the newest code of a session, which voids the older', async () => {
    const owner = await tenant()
    const [older, newer] = [await generate(owner, { session_id: 's' }), await generate(owner, { session_id: 's' })]
    const apart = await generate(owner, { session_id: 't' })
    expect(await validate(owner, pick(older))).toEqual(INVALID)
    expect(await validate(owner, { session_id: 's', code: older.code })).toEqual(INVALID)
    expect(await validate(owner, { session_id: 't', otp_id: newer.otp_id, code: newer.code })).toEqual(INVALID)
    expect(await validate(owner, { session_id: 's', code: newer.code })).toEqual({ valid: true })
    expect(await validate(owner, { session_id: 't', otp_id: apart.otp_id, code: apart.code })).toEqual({ valid: true })
    expect(await validate(owner, { session_id: 'never', code: newer.code })).toEqual(INVALID)
  })

  test('says that a code has expired only to who has it', async () => {
    const owner = await tenant()
    const made = await generate(owner, { ttl_seconds: 30 })
    const longer = await generate(owner)
    await advance(31)
    expect(await validate(owner, { ...pick(made), code: wrongOf(made.code) })).toEqual(INVALID)
    expect(await validate(owner, pick(made))).toEqual({ valid: false, message: 'Code has expired' })
    expect(await validate(owner, pick(longer))).toEqual({ valid: true })
  })

  test('ends a code after five wrong guesses', async () => {
    const owner = await tenant()
    const made = await generate(owner)
    for (let guess = 0; guess < 5; guess++)
      expect(await validate(owner, { ...pick(made), code: wrongOf(made.code) })).toEqual(INVALID)
    const spent = { valid: false, message: 'Too many attempts' }
    expect(await validate(owner, pick(made))).toEqual(spent)
    expect(await validate(owner, { ...pick(made), code: wrongOf(made.code) })).toEqual(spent)
    expect(await attemptsOf(made.otp_id)).toBe(5)
  })

  test('ends a session after twenty wrong guesses within an hour, however many codes it has', async () => {
    const owner = await tenant()
    for (let round = 0; round < 5; round++) {
      const made = await generate(owner, { session_id: 'guessed' })
      for (let guess = 0; guess < 4; guess++)
        expect(await validate(owner, { session_id: 'guessed', code: wrongOf(made.code) })).toEqual(INVALID)
    }
    const fresh = await generate(owner, { session_id: 'guessed', ttl_seconds: 3600 })
    const spent = { valid: false, message: 'Too many attempts' }
    expect(await validate(owner, pick(fresh))).toEqual(spent)
    expect(await validate(owner, { session_id: 'guessed', code: fresh.code })).toEqual(spent)
    expect(await attemptsOf(fresh.otp_id)).toBe(0)
    expect(await validate(owner, pick(await generate(owner, { session_id: 'other' })))).toEqual({ valid: true })
    await advance(3601)
    expect(await validate(owner, pick(await generate(owner, { session_id: 'guessed' })))).toEqual({ valid: true })
  })

  test.each([
    ['a session', { session_id: 'mine' }],
    ['no session', {}],
  ])('knows no code of %s of another tenant, environment, organization or purpose', async (_of, given) => {
    const [owner, stranger] = [await tenant(), await tenant()]
    const staging = await owner.withKey({ environment: 'staging' })
    const organization = await owner.organization()
    const made = await generate(owner, given)
    for (const caller of [stranger, staging, await owner.withKey({ subOrgId: organization })]) {
      expect(await validate(caller, pick(made))).toEqual(INVALID)
      expect(await validate(caller, { session_id: 'mine', code: made.code })).toEqual(INVALID)
    }
    expect(await validate(owner, { ...pick(made), subOrgId: organization })).toEqual(INVALID)
    // A session with the same name in another place voids nothing here.
    await generate(stranger, given)
    expect(await attemptsOf(made.otp_id)).toBe(0)
    await sql`update otps set purpose = 'login' where id = ${made.otp_id}`.execute(platform.db)
    expect(await validate(owner, pick(made))).toEqual(INVALID)
    await sql`update otps set purpose = 'generator' where id = ${made.otp_id}`.execute(platform.db)
    expect(await validate(owner, pick(made))).toEqual({ valid: true })
    expect(await validate(owner, pick(made))).toEqual({ valid: false, message: 'Code has already been used' })
  })
})

describe('delivery', () => {
  test('mails the code, and tells it to nobody else', async () => {
    const owner = await tenant()
    const email = `Ada.${owner.accountId}@example.com`
    const made = await generate(owner, { email, session_id: 's' })
    const [mail, ...more] = await mails(email)
    expect([mail?.kind, mail?.text.includes(made.code), mail?.html.includes(made.code), more]).toEqual([
      'otp',
      true,
      true,
      [],
    ])
    expect(mail?.subject).not.toContain(made.code)
    const [sent, ...others] = await events({ accountId: owner.accountId })
    expect(others).toEqual([])
    const data = { otp_id: made.otp_id, session_id: 's', email, delivery_method: 'email' }
    expect([sent?.type, sent?.target_id, sent?.data]).toEqual(['auth.otp.sent', made.otp_id, data])
    expect(await validate(owner, pick(made))).toEqual({ valid: true })
  })

  test('a newer code for the same address voids the older, whatever its spelling', async () => {
    const owner = await tenant()
    const older = await generate(owner, { email: 'grace@example.com' })
    const newer = await generate(owner, { email: 'GRACE@Example.com' })
    const other = await generate(owner, { email: 'grace@example.org' })
    expect(await validate(owner, pick(older))).toEqual(INVALID)
    expect(await validate(owner, pick(newer))).toEqual({ valid: true })
    expect(await validate(owner, pick(other))).toEqual({ valid: true })
  })

  test('sends one address three codes a minute and ten an hour, and answers the others too', async () => {
    const owner = await tenant()
    const states: string[] = []
    const email = `flood.${owner.accountId}@example.com`
    const send = async (address = email) => (await generate(owner, { email: address })).delivery.status
    for (let sending = 0; sending < 4; sending++) states.push(await send())
    expect([states, await send('else@example.com')]).toEqual([['queued', 'queued', 'queued', 'withheld'], 'queued'])
    expect(await send(email.toUpperCase())).toBe('withheld')
    for (let minute = 0; minute < 4; minute++) {
      await advance(61)
      for (let sending = 0; sending < 3; sending++) states.push(await send())
    }
    const queued = states.filter((state) => state === 'queued').length
    expect(queued).toBeLessThanOrEqual(10)
    expect(await mails(email)).toHaveLength(queued)
  })
})

test('old codes are deleted by the job, and live ones are not', async () => {
  const owner = await tenant()
  const old = await generate(owner)
  await advance(47 * 3600)
  const recent = await generate(owner, { ttl_seconds: 3600 })
  await cleanUp()
  expect([await attemptsOf(old.otp_id), await attemptsOf(recent.otp_id)]).toEqual([0, 0])
  await advance(2 * 3600)
  await cleanUp()
  expect([await attemptsOf(old.otp_id), await attemptsOf(recent.otp_id)]).toEqual([null, 0])
  expect(await validate(owner, pick(old))).toEqual(INVALID)
})

/** The fields of a generated code that validation needs. */
function pick(made: { otp_id: string; code: string }) {
  return { otp_id: made.otp_id, code: made.code }
}

async function cleanUp(): Promise<void> {
  await cleanUpOtps.handle(platform, {}, 1)
}

async function attemptsOf(id: string): Promise<number | null> {
  const row = await platform.db.selectFrom('otps').select('attempts').where('id', '=', id).executeTakeFirst()
  return row?.attempts ?? null
}

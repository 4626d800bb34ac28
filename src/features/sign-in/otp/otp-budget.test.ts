import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, type Tenant } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'

// Wrong guesses are limited per hour and per day, over all codes of one session or one recipient (ASVS 6.3.1).

const app = await startApp()

/** Guesses all day, always at new codes. Returns how many guesses were checked. */
async function guessAllDay(tenant: Tenant, makeCode: () => Promise<{ otp_id: string; code: string }>): Promise<number> {
  let judged = 0
  for (let hour = 0; hour < 4; hour++) {
    for (let round = 0; round < 5; round++) {
      const { otp_id } = await makeCode()
      for (let guess = 0; guess < 5; guess++) {
        const { body } = await tenant.post('/v1/otp/validate', { otp_id, code: 'wrong one' })
        if (body.message !== 'Too many attempts') judged++
      }
      // Some codes are sent, and only a few may be sent in a minute.
      await app.advance(61)
    }
    await app.advance(3601)
  }
  return judged
}

test.each([
  ['word pairs of a session', 'phrase', 40, {}],
  ['digits of a session', 'digit', 10, {}],
  ['both of a session', 'both', 10, {}],
  ['word pairs for a recipient', 'phrase', 40, { email: newEmail() }],
  ['digits for a recipient', 'digit', 10, { email: newEmail() }],
  ['word pairs withheld from a recipient', 'phrase', 40, { phone: '+14155550123' }],
] as const)('a day of guesses at %s allows fewer than its hours would', async (_, mode, aDay, recipient) => {
  const tenant = await app.tenant()
  expect((await tenant.patch('/v1/otp/settings/defaults', { mode })).status).toBe(200)
  const where = Object.keys(recipient).length > 0 ? recipient : { session_id: 'guessed' }
  const makeCode = async () => (await tenant.post('/v1/otp/generate', where)).body
  const validate = async ({ otp_id, code }: { otp_id: string; code: string }) =>
    (await tenant.post('/v1/otp/validate', { otp_id, code })).body
  expect(await guessAllDay(tenant, makeCode)).toBe(aDay)
  // Withheld codes have no limit, but any number of them must not push the failures out of the count.
  await sql`insert into otps (directory_id, id, purpose, session_ref, identity, phrase_hash, digit_hash, max_attempts, expires_at)
    select directory_id, gen_random_uuid(), purpose, session_ref, identity, phrase_hash, digit_hash, max_attempts, expires_at
    from (select * from otps order by created_at desc limit 1) newest, generate_series(1, 1200)`.execute(
    app.app.platform.db,
  )
  // A mail does not show the code that the response has, so the test uses a fixed code.
  const right = 'email' in recipient ? 'amber falcon' : null
  const made = await makeCode()
  const tooMany = { valid: false, message: 'Too many attempts' }
  expect(await validate({ ...made, code: right ?? made.code })).toEqual(tooMany)
  await app.advance(86_400)
  const later = await makeCode()
  expect((await validate({ ...later, code: right ?? later.code })).message).not.toBe('Too many attempts')
})

test('failures at withheld codes are those of their recipient', async () => {
  const tenant = await app.tenant()
  const makeCode = async (email: string) => (await tenant.post('/v1/otp/generate', { email })).body
  const validate = async ({ otp_id }: { otp_id: string }, code: string) =>
    (await tenant.post('/v1/otp/validate', { otp_id, code })).body.message
  const turnMail = async (channel_email: boolean) =>
    expect((await tenant.patch('/v1/otp/settings/defaults', { channel_email })).status).toBe(200)
  const email = newEmail()
  await turnMail(false)
  for (let round = 0; round < 4; round++) {
    const withheld = await makeCode(email)
    expect(withheld.delivery.status).toBe('withheld')
    for (let guess = 0; guess < 5; guess++) expect(await validate(withheld, 'wrong one')).toBe('Invalid code')
  }
  await turnMail(true)
  const delivered = await makeCode(email)
  expect(delivered.delivery.status).toBe('queued')
  expect(await validate(delivered, delivered.code)).toBe('Too many attempts')
  const other = await makeCode(newEmail())
  expect(await validate(other, other.code)).toBe(undefined)
})

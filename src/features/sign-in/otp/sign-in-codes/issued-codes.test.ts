import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freshEmail } from '../../../../../test/fresh.ts'
import { startApp } from '../../../../../test/harness.ts'
import { systemOrigin } from '../../../../platform/events/events.ts'
import { newId } from '../../../../platform/ids.ts'
import { burn } from '../../../../platform/joined/proofs.ts'
import { accountDirectory, type Directory } from '../../../../platform/tenancy/directory.ts'
import { inTx, type Work } from '../../../../platform/work.ts'
import { type OtpSettings, otpSettings } from '../settings.ts'
import { codeProof } from '../store.ts'
import { findLiveOtp, issueOtp, type NewOtp, type OtpAttempt, type SignInPurpose, tryOtp } from './issued-codes.ts'

const { tenant, advance, app } = await startApp()
const { platform } = app

const workIn = (directory: Directory): Work => ({ platform, directory, origin: systemOrigin(), db: platform.db })

// Tries a code with a new address that no user has, because these tests do not need the facts about a user.
async function tryAs(work: Work, identity: Buffer, attempt: OtpAttempt) {
  const email = freshEmail()
  const { outcome, userId } = await tryOtp(work, { address: { email, norm: email }, hash: identity }, attempt)
  return { outcome, userId }
}

async function start(overrides: Partial<OtpSettings> = {}, known = true) {
  const { accountId, environmentId } = await tenant()
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const work = workIn(directory)
  const settings = { ...(await otpSettings(work)), ...overrides }
  const person = { identity: randomBytes(32), userId: known ? newId() : null }
  const issue = (purpose: SignInPurpose = 'login', other: Partial<NewOtp> = {}) =>
    inTx(work, (work) => issueOtp(work, { purpose, settings, ...person, ...other }))
  const claim = (
    otpId: string,
    code: string,
    other: { purpose?: SignInPurpose; identity?: Buffer; in?: Directory } = {},
  ) => {
    const { purpose = 'login', identity = person.identity } = other
    return tryAs(workIn(other.in ?? directory), identity, { purpose, otpId, code })
  }
  const consume = (otpId: string, purpose: SignInPurpose = 'login') =>
    burn(work, codeProof({ otp_id: otpId, otp_purpose: purpose }))
  const live = (purpose: SignInPurpose = 'login') =>
    findLiveOtp(work, { purpose, identity: person.identity, newerThanSeconds: 30 })
  return { ...person, directory, issue, claim, consume, live }
}

// For unknown addresses the same statements run with the same results, but no user is created.
describe.each([true, false])('a code for an address that somebody has: %s', (known) => {
  test('matches, is spent once, and then says so', async () => {
    const { userId, issue, claim, consume } = await start({}, known)
    const { otpId, code, digitCode, expiresAt } = await issue()
    expect([digitCode, Math.abs(expiresAt.getTime() - platform.clock.now().getTime() - 300_000) < 60_000]).toEqual([
      null,
      true,
    ])
    expect(await claim(otpId, code.toUpperCase())).toEqual({ outcome: 'match', userId })
    expect(await claim(otpId, code)).toEqual({ outcome: 'match', userId })
    expect(await consume(otpId)).toBe(true)
    expect(await consume(otpId)).toBe(false)
    expect(await claim(otpId, code)).toEqual({ outcome: 'used', userId })
    expect(await claim(otpId, 'wrong one')).toEqual({ outcome: 'wrong', userId })
  })

  test('is dead after its attempts, right or wrong', async () => {
    const { userId, issue, claim } = await start({ max_attempts: 2 }, known)
    const { otpId, code } = await issue()
    expect(await claim(otpId, 'wrong one')).toEqual({ outcome: 'wrong', userId })
    expect(await claim(otpId, 'wrong two')).toEqual({ outcome: 'wrong', userId })
    expect(await claim(otpId, code)).toEqual({ outcome: 'exhausted', userId: null })
  })

  test('tells that it has expired only to who has it', async () => {
    const { userId, issue, claim, consume } = await start({}, known)
    const { otpId, code } = await issue()
    await advance(301)
    expect(await claim(otpId, 'wrong one')).toEqual({ outcome: 'wrong', userId })
    expect(await claim(otpId, code)).toEqual({ outcome: 'expired', userId })
    expect(await consume(otpId)).toBe(false)
  })

  test('is found again while nothing has happened to it', async () => {
    const { issue, claim, live } = await start({}, known)
    expect(await live()).toBeNull()
    const { otpId, expiresAt } = await issue()
    expect([await live(), await live('signup')]).toEqual([{ otpId, expiresAt }, null])
    await claim(otpId, 'wrong one')
    expect(await live()).toBeNull()
    const again = await issue()
    expect((await live())?.otpId).toBe(again.otpId)
    await advance(31)
    expect(await live()).toBeNull()
  })
})

test('a newer code voids the older of its purpose alone', async () => {
  const { userId, issue, claim } = await start()
  const [older, signup, newer] = [await issue(), await issue('signup'), await issue()]
  expect(await claim(older.otpId, older.code)).toEqual({ outcome: 'unknown', userId: null })
  expect(await claim(newer.otpId, newer.code)).toEqual({ outcome: 'match', userId })
  expect(await claim(signup.otpId, signup.code, { purpose: 'signup' })).toEqual({ outcome: 'match', userId })
})

test('purpose, address and directory are bound', async () => {
  const { issue, claim, consume } = await start()
  const stranger = await start()
  const { otpId, code } = await issue()
  const foreign = [{ purpose: 'signup' as const }, { identity: randomBytes(32) }, { in: stranger.directory }]
  for (const other of foreign) expect(await claim(otpId, code, other)).toEqual({ outcome: 'unknown', userId: null })
  expect(await claim(newId(), code)).toEqual({ outcome: 'unknown', userId: null })
  expect(await claim('no id', code)).toEqual({ outcome: 'unknown', userId: null })
  expect([await consume(otpId, 'signup'), await stranger.consume(otpId)]).toEqual([false, false])
  expect(await consume(otpId)).toBe(true)
})

test('a code of the generator signs nobody in', async () => {
  const owner = await tenant()
  const { accountId, environmentId } = owner
  const directory = await accountDirectory(platform, { accountId, environmentId, environmentSlug: 'production' })
  const { otp_id: otpId, code } = (await owner.post('/v1/otp/generate', { email: 'victim@example.com' })).body
  const { identity } = await platform.db
    .selectFrom('otps')
    .select('identity')
    .where('id', '=', otpId)
    .executeTakeFirstOrThrow()
  for (const purpose of ['login', 'signup'] as const) {
    const tried = await tryAs(workIn(directory), identity ?? Buffer.alloc(0), { purpose, otpId, code })
    expect(tried).toEqual({ outcome: 'unknown', userId: null })
    expect(await burn(workIn(directory), codeProof({ otp_id: otpId, otp_purpose: purpose }))).toBe(false)
  }
  expect((await owner.post('/v1/otp/validate', { otp_id: otpId, code })).body).toEqual({ valid: true })
})

test('failures count over all codes of an address, and successes do not', async () => {
  const { userId, issue, claim, consume } = await start()
  for (let login = 0; login < 25; login++) {
    const { otpId, code } = await issue()
    expect((await claim(otpId, code)).outcome).toBe('match')
    await consume(otpId)
  }
  for (let round = 0; round < 4; round++) {
    const { otpId } = await issue()
    for (let guess = 0; guess < 5; guess++) expect((await claim(otpId, 'wrong one')).outcome).toBe('wrong')
  }
  const fresh = await issue()
  expect(await claim(fresh.otpId, fresh.code)).toEqual({ outcome: 'exhausted', userId: null })
  await advance(3601)
  const later = await issue()
  expect(await claim(later.otpId, later.code)).toEqual({ outcome: 'match', userId })
})

test('digits may come with the words or instead, and live ten minutes at most', async () => {
  const both = await start({ mode: 'both', ttl_seconds: 3600 })
  const pair = await both.issue()
  expect(await both.claim(pair.otpId, pair.digitCode ?? '')).toMatchObject({ outcome: 'match' })
  expect(await both.claim(pair.otpId, pair.code)).toMatchObject({ outcome: 'match' })
  await advance(601)
  expect(await both.claim(pair.otpId, pair.code)).toMatchObject({ outcome: 'expired' })
  const digits = await start({ mode: 'digit' })
  const made = await digits.issue()
  expect([made.code, made.digitCode]).toEqual([expect.stringMatching(/^[0-9]{6}$/), null])
  expect(await digits.claim(made.otpId, made.code)).toMatchObject({ outcome: 'match' })
})

// Wrong guesses are limited per hour and per day, over all codes of one address (ASVS 6.3.1).
test.each([
  ['word pairs', 'phrase', 40],
  ['digits', 'digit', 10],
  ['both', 'both', 10],
] as const)('a day of guesses at %s allows fewer than its hours would', async (_, mode, aDay) => {
  const { userId, issue, claim } = await start({ mode })
  let judged = 0
  for (let hour = 0; hour < 4; hour++) {
    for (let round = 0; round < 5; round++) {
      const { otpId } = await issue()
      for (let guess = 0; guess < 5; guess++) if ((await claim(otpId, 'wrong one')).outcome === 'wrong') judged++
    }
    await advance(3601)
  }
  expect(judged).toBe(aDay)
  const spent = await issue()
  expect(await claim(spent.otpId, spent.code)).toEqual({ outcome: 'exhausted', userId: null })
  await advance(86_400)
  const later = await issue()
  expect(await claim(later.otpId, later.code)).toEqual({ outcome: 'match', userId })
})

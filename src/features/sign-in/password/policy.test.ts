import { randomBytes, randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { ApiError } from '../../../platform/errors.ts'
import { assertPasswordAllowed, type PasswordContext, type PasswordPolicy } from './policy.ts'

const { app } = await startApp()
const policy = { password_min_length: 8, password_max_length: 128, password_breach_check: true }
const somebody = {
  email: 'Ada.Lovelace@analytical-engines.example',
  names: ['Ada', 'Lovelace', 'The Difference Company', 'diffco', 'Łódź Straße'],
}

/** The reasons against a password, or null if it is allowed. */
async function check(password: string, own: Partial<PasswordPolicy> = {}, context: PasswordContext = somebody) {
  try {
    await assertPasswordAllowed(app.platform, password, { ...policy, ...own }, context)
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { definition, details } = error
    // No reason that is shown contains the password.
    if (password.length > 3) expect(JSON.stringify(details)).not.toContain(password)
    return definition.code === 'password_breached' ? 'breached' : [definition.status, details.extra?.['reasons']]
  }
}

const weak = (...reasons: string[]) => [422, reasons]

test('length is counted in characters after NFKC, from the least to the most', async () => {
  expect(await check('kT4!xz9')).toEqual(weak('too_short'))
  expect(await check('kT4!xz9q')).toBeNull()
  expect(await check('')).toEqual(weak('too_short'))
  // Counted as characters, not as UTF-16 units or bytes.
  expect(await check('🦄🐙🌵🧲🪁🧶🛶')).toEqual(weak('too_short'))
  expect(await check('🦄🐙🌵🧲🪁🧶🛶🧭')).toBeNull()
  // Decomposed characters, as some keyboards send them: seven characters, then eight.
  expect(await check('e\u0301'.repeat(7))).toEqual(weak('too_short'))
  expect(await check('a\u0301e\u0301i\u0301o\u0301u\u0301y\u0301n\u0303z\u030c')).toBeNull()
  const long = randomBytes(64).toString('hex')
  expect(await check(long)).toBeNull()
  expect(await check(`${long}x`)).toEqual(weak('too_long'))
  expect(await check(long, { password_max_length: 64 })).toEqual(weak('too_long'))
})

test('bytes are bounded whatever the setting says, before any work', async () => {
  const wide = { password_max_length: 1024 }
  expect(await check(randomBytes(512).toString('hex'), wide)).toBeNull()
  expect(await check('🦄'.repeat(257), wide)).toEqual(weak('too_long'))
  // NFKC turns this one character into eighteen.
  expect(await check('\ufdfa'.repeat(100), wide)).toEqual(weak('too_long'))
  expect(await check('x'.repeat(1_000_000), wide)).toEqual(weak('too_long'))
})

test('spaces and signs are welcome, control characters and broken text are not', async () => {
  for (const good of [
    'correct horse battery',
    '        x!9 kq  ',
    '"\'<>&;--%00{}',
    'пароль на память',
    '密碼很長但是好記喔',
  ])
    expect([good, await check(good)]).toEqual([good, null])
  for (const bad of ['long enough\0', 'tab\there too', 'line\nbreak it', 'del\u007fdel del', 'half \ud83e pair'])
    expect(await check(bad)).toEqual(weak('invalid_character'))
  expect(await check('\0')).toEqual(weak('too_short', 'invalid_character'))
})

test.each([
  'lovelace',
  'LOVELACE',
  'Lovelace99!',
  'ada.lovelace',
  'AdaLovelace1',
  'ada lovelace',
  'ada.lovelace@analytical-engines.example',
  'analytical-engines',
  'Engines2024!',
  'diffco1234',
  'thedifferencecompany',
  'watchword',
  'Watchword1!',
  'łódź straße',
  'lovelacelovelace',
])('%s is little but a name', async (password) => {
  expect(await check(password)).toEqual(weak('context_word'))
})

test.each([
  'the difference is in the details',
  'lovelace likes long division',
  'analytical-kp3w9x',
  'my watchword is secret',
  'Cascada-31k',
  'exampleofmine',
])('%s holds a name, and enough besides', async (password) => {
  expect(await check(password)).toBeNull()
})

test('short names, and none, refuse nothing that they should not', async () => {
  const nobody = { email: '', names: ['', ' ', 'Al', 'Bo', '-', 'The One'] }
  const here = { email: 'x@y.software', names: [] }
  expect(await check('software4k', {}, here)).toBeNull()
  for (const good of ['aluminium-boat', 'thetoneofit', 'kT4!xz9q']) expect(await check(good, {}, nobody)).toBeNull()
})

test.each([
  'password',
  'PassWord',
  'password123',
  '12345678',
  'qwertyuiop',
  'iloveyou1',
  'letmein1',
  'trustno1',
  'ｐａｓｓｗｏｒｄ',
])('%s is on the list', async (password) => {
  expect(await check(password)).toBe('breached')
  expect(await check(password, { password_breach_check: false })).toBeNull()
})

test.each(['Password1987!', 'monkey2024!', 'Dragon07', 'sunshine!', 'Liverpool2025', 'password12345!'])(
  '%s is a common password with a tail, and said to be no more than that',
  async (password) => {
    expect([await check(password), 'breached']).toContainEqual(weak('common_word'))
    expect(await check(password, { password_breach_check: false })).toBeNull()
  },
)

test('a common word is no fault in something longer', async () => {
  for (const good of ['dragon-8317264', 'sunshine over liverpool', '2024 monkeys', 'passwordless is the future'])
    expect([good, await check(good)]).toEqual([good, null])
})

test('a thousand passphrases and a thousand random passwords pass', async () => {
  const words = 'amber bicycle cactus domino ember falcon granite harbor indigo jigsaw kettle lantern magnet'.split(' ')
  const phrase = () => Array.from({ length: 4 }, () => words[randomInt(words.length)]).join(' ')
  const random = () => randomBytes(8).toString('base64url')
  const refused = []
  for (let at = 0; at < 1000; at++)
    for (const password of [phrase(), random()]) if (await check(password)) refused.push(password)
  expect(refused).toEqual([])
})

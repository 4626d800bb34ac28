import fc from 'fast-check'
import { Secret } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { makeTotpSecret, matchStep, otpauthUrl, readTotpSecret, stepAt, totpCode } from './totp.ts'

const RFC_SECRET = Secret.fromUTF8('12345678901234567890').base32
const secrets = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => new Secret({ buffer: bytes.buffer }).base32)
const moments = fc.integer({ min: 0, max: 20_000_000_000 })

describe('RFC 6238, appendix B, SHA-1', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i', (seconds, code) => {
    expect(totpCode(RFC_SECRET, stepAt(seconds), 8)).toBe(code)
    expect(totpCode(RFC_SECRET, stepAt(seconds))).toBe(code.slice(2))
  })
})

test('RFC 4226, appendix D', () => {
  const codes = Array.from({ length: 10 }, (_, counter) => totpCode(RFC_SECRET, counter))
  expect(codes).toEqual([
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ])
})

test('a code passes in its step and the one on each side, and in no other', () => {
  fc.assert(
    fc.property(secrets, moments, fc.integer({ min: -5, max: 5 }), (secret, seconds, distance) => {
      const step = stepAt(seconds) + 10
      const nearby = [step - 1, step, step + 1].map((near) => totpCode(secret, near))
      const code = totpCode(secret, step + distance)
      // Different time steps occasionally have the same six digits.
      fc.pre(Math.abs(distance) <= 1 || !nearby.includes(code))
      const matched = matchStep(secret, code, step * 30, 0)
      if (Math.abs(distance) > 1) expect(matched).toBeNull()
      else expect(matched === null ? null : totpCode(secret, matched)).toBe(code)
    }),
  )
})

test('no code passes at or before the last step that passed', () => {
  fc.assert(
    fc.property(
      secrets,
      moments,
      fc.integer({ min: -1, max: 1 }),
      fc.integer({ min: 0, max: 3 }),
      (secret, seconds, at, ahead) => {
        const step = stepAt(seconds) + 10
        const matched = matchStep(secret, totpCode(secret, step + at), step * 30, step + at + ahead)
        expect(matched === null || matched > step + at + ahead).toBe(true)
      },
    ),
  )
})

test('what is no six digits matches nothing', () => {
  fc.assert(
    fc.property(secrets, fc.string(), (secret, text) => {
      fc.pre(!/^\d{6}$/.test(text))
      expect(matchStep(secret, text, 1_111_111_111, 0)).toBeNull()
    }),
  )
})

test('a secret has 160 bits, and the URL tells apps issuer, account and secret', () => {
  const secret = makeTotpSecret()
  expect(Secret.fromBase32(secret).bytes).toHaveLength(20)
  expect(makeTotpSecret()).not.toBe(secret)
  const url = new URL(otpauthUrl(secret, 'Acme: Ärzte', 'ada@example.com'))
  expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Acme  Ärzte:ada@example.com',
  ])
  expect(Object.fromEntries(url.searchParams)).toEqual({
    issuer: 'Acme  Ärzte',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})

test('a secret of another service is read in base32 and as a key URI, and makes the codes of its app', () => {
  const foreign = fc.uint8Array({ minLength: 10, maxLength: 64 }).map((bytes) => new Secret({ buffer: bytes.buffer }))
  fc.assert(
    fc.property(foreign, moments, (secret, seconds) => {
      const { base32 } = secret
      const grouped = base32.toLowerCase().replaceAll(/(.{4})/g, '$1 ')
      for (const text of [base32, grouped, `${base32}====`, otpauthUrl(base32, 'Acme', 'ada@example.com')]) {
        const read = readTotpSecret(text)
        expect(read).toBe(base32.replaceAll('=', ''))
        expect(totpCode(read ?? '', stepAt(seconds))).toBe(totpCode(base32, stepAt(seconds)))
      }
    }),
  )
})

test('whatever text is a secret makes codes', () => {
  const likely = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'ABCXYZ23467= -'), maxLength: 120 }))
  fc.assert(
    fc.property(likely, (text) => {
      const read = readTotpSecret(text)
      if (read !== null) expect(totpCode(read, 1)).toMatch(/^\d{6}$/)
    }),
  )
})

const KEY = 'JBSWY3DPEHPK3PXP'
test.each([
  ['another algorithm', `otpauth://totp/Acme:ada?secret=${KEY}&algorithm=SHA256`],
  ['eight digits', `otpauth://totp/Acme:ada?secret=${KEY}&digits=8`],
  ['a minute', `otpauth://totp/Acme:ada?secret=${KEY}&period=60`],
  ['a counter', `otpauth://hotp/Acme:ada?secret=${KEY}&counter=1`],
  ['no secret', 'otpauth://totp/Acme:ada'],
  ['another scheme', `https://totp/Acme:ada?secret=${KEY}`],
  ['digits that base32 lacks', 'JBSWY3DPEHPK3PX1'],
  ['a length that base32 lacks', `${KEY}A`],
  ['too few bits', 'JBSWY3DP'],
  ['too many bytes', KEY.repeat(7)],
  ['nothing', ''],
])('a key with %s is refused', (_, text) => {
  expect(readTotpSecret(text)).toBeNull()
})

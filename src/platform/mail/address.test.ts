import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOfDomain, maskEmail, parseEmail, parseVouchedEmail } from './address.ts'

const ATEXT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#$&'*+/=^_`{|}~-".split('')
const atom = fc.string({ unit: fc.constantFrom(...ATEXT), minLength: 1, maxLength: 15 })
const local = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('.'))
const address = fc.tuple(local, fc.domain()).map(([name, domain]) => `${name}@${domain}`)

describe('parseEmail', () => {
  test.each([
    ['ada@example.com', 'ada@example.com', 'ada@example.com'],
    ['  Ada.Lovelace+x@Example.COM ', 'Ada.Lovelace+x@Example.COM', 'ada.lovelace+x@example.com'],
    ['\u00a0ada@example.com\u3000', 'ada@example.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com', 'ada@example.com'],
    ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah', 'ada@xn--r8jz45g.xn--zckzah'],
    ['\u212Aelvin@example.com', 'Kelvin@example.com', 'kelvin@example.com'],
    [
      'ada_example.com#EXT#@tenant.example',
      'ada_example.com#EXT#@tenant.example',
      'ada_example.com#ext#@tenant.example',
    ],
    ["o'brien@mail.example.co.uk", "o'brien@mail.example.co.uk", "o'brien@mail.example.co.uk"],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('reads %j', (text, email, norm) => {
    expect(parseEmail(text)).toEqual({ email, norm })
  })

  test.each([
    // Auth.js GHSA-7rqj-j65f-68wh, GHSA-5jpx-9hw9-2fx4, GHSA-xv97-c62v-4587 and similar attacks
    '"a@evil.com"@victim.com',
    '"a@evil"@victim.com',
    '"a"@victim.com',
    'a@evil.com@victim.com',
    'a@evil.com＠victim.com',
    'a＠evil.com@victim.com',
    'a﹫evil.com@victim.com',
    'a@evil.com,b@victim.com',
    'a@evil.com，b@victim.com',
    'a@evil.com;b@victim.com',
    'a@evil.com b@victim.com',
    'a,b@victim.com',
    'a@victim.com,evil.com',
    '<a@evil.com>',
    '＜a@evil.com＞',
    '<a@evil.com>b@victim.com',
    'Ada <a@evil.com>',
    'a@victim.com<a@evil.com>',
    'a(comment)@victim.com',
    'a@victim.com(comment)',
    'a@(evil.com)victim.com',
    'group:a@evil.com;',
    '@evil.com:a@victim.com',
    // Source routes that some servers follow, and encoded words that some parsers decode
    'a%evil.com@victim.com',
    'evil.com!a@victim.com',
    '=?utf-8?q?a=40evil.com=3e=00?=@victim.com',
    // Header injection and line breaks
    'a@victim.com\r\nBcc: b@evil.com',
    'a@victim.com\n',
    '\ra@victim.com',
    'a\u0000@victim.com',
    'a@victim.com\u0000.evil.com',
    'a\t@victim.com',
    'a@victim\u2028.com',
    'a\u0085@victim.com',
    // Invisible characters
    'a\u200b@victim.com',
    'a\u00ad@victim.com',
    'a@vic\u00adtim.com',
    'a\u202e@victim.com',
    'a\ufeff@victim.com',
    'a\ud800@victim.com',
    // Wrong structure
    '',
    ' ',
    '@',
    'a',
    'a@',
    '@victim.com',
    'a b@victim.com',
    'a @victim.com',
    'a@ victim.com',
    '.a@victim.com',
    'a.@victim.com',
    'a..b@victim.com',
    'a@.victim.com',
    'a@victim.com.',
    'a@victim..com',
    'a@victim.com..',
    'a@victim。。com',
    'a@-victim.com',
    'a@victim-.com',
    'a@vic_tim.com',
    'a@localhost',
    'é@victim.com',
    'mailto:a@victim.com',
    'a\\@victim.com',
    'a[b]@victim.com',
    // Domains that are not valid
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    'a@127.0.0.1',
    'a@127.1',
    'a@0x7f.0x1',
    'a@victim.1',
    'a@１２７.0.0.1',
    'a@::1',
    'a@victim.com:25',
    'a@victim.com/evil.com',
    'a@victim.com?evil.com',
    'a@victim.com#evil.com',
    'a@victim%2ecom',
    'a@%65vil.com',
    'a@xn--.com',
    'a@xn--zzzzzzzzzz99999.com',
    'a@x.xn--0049.com',
    'a@xn--example-.com',
    'a@xn--a-ecp.com',
    'a@℀victim.com',
    // Excessive lengths
    `${'a'.repeat(65)}@victim.com`,
    `a@${'b'.repeat(64)}.com`,
    `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(3)}com`,
    `a@${'\ufdfa'.repeat(60)}.com`,
    `${' '.repeat(400)}a@victim.com`,
  ])('refuses %j', (text) => {
    expect(parseEmail(text)).toBeNull()
  })

  test('keeps every plain address as it is', () => {
    fc.assert(
      fc.property(address, (text) => {
        expect(parseEmail(text)).toEqual({ email: text, norm: text.toLowerCase() })
      }),
    )
  })

  test('gives an address one identity, whatever the spelling', () => {
    const spelled = fc.tuple(address, fc.infiniteStream(fc.nat(2)), fc.nat(3))
    fc.assert(
      fc.property(spelled, ([text, choices, spaces]) => {
        const spelling = text.replaceAll(/[!-~]/g, (character) => spell(character, choices.next().value ?? 0))
        expect(parseEmail(' '.repeat(spaces) + spelling)?.norm).toBe(text.toLowerCase())
      }),
    )
  })

  test('reads only text that is one address to everybody', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'a1.@＠,;:<>()"\\ \r\n\t%!=?[]-ßéK。﹫\u200b'),
      maxLength: 24,
    })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), hostile, fc.emailAddress()), (text) => {
        const read = parseEmail(text)
        if (read === null) return
        expect(read.email).toMatch(/^[!-~]{1,64}@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+$/)
        expect(read.email).not.toMatch(/[",;:<>()[\]\\%!]|@.*@/)
        expect(read.email.length).toBeLessThanOrEqual(254)
        expect(read.norm).toBe(read.email.toLowerCase())
        expect(parseEmail(read.email)).toEqual(read)
        expect(parseEmail(read.norm)).toEqual({ email: read.norm, norm: read.norm })
      }),
      { numRuns: 2000 },
    )
  })
})

function spell(character: string, choice: number): string {
  if (choice === 0) return character
  return choice === 1 ? character.toUpperCase() : String.fromCodePoint(character.charCodeAt(0) + 0xfee0)
}

describe('maskEmail', () => {
  test('shows the first character and the domain', () => {
    expect(maskEmail('ada@example.com')).toBe('a•••@example.com')
    expect(maskEmail('a@example.com')).toBe('a•••@example.com')
  })

  test('shows no more of a text that is no address', () => {
    expect(maskEmail('')).toBe('•••')
    expect(maskEmail('ada')).toBe('•••')
    expect(maskEmail('@example.com')).toBe('•••@example.com')
  })
})

describe('parseVouchedEmail', () => {
  test.each([
    'ada@example.com',
    'Ada@Example.COM',
    'ada@b\u00fccher.example',
    'ada@B\u00dcCHER.example',
    'ada@xn--bcher-kva.example',
  ])('takes %s, which is written as it is stored but for its case', (text) => {
    expect(parseVouchedEmail(text)).toEqual(parseEmail(text))
    expect(parseVouchedEmail(text)).not.toBeNull()
  })

  test.each([
    ['a full-width letter', '\uff41da@example.com'],
    ['the sign of Kelvin', 'mar\u212a@example.com'],
    ['another dot', 'ada@example\u3002com'],
    ['a full-width letter in the domain', 'ada@\uff45xample.com'],
    ['a long s', 'ada@\u017fales.example'],
    ['a space that is none of XML', 'ada@example.com\u00a0'],
    ['a space', ' ada@example.com'],
  ])('refuses %s, which may be of somebody else where it comes from', (_, text) => {
    expect(parseEmail(text)).not.toBeNull()
    expect(parseVouchedEmail(text)).toBeNull()
  })
})

test('a domain is the same in capitals and in its own letters', () => {
  expect(isOfDomain('ada@xn--bcher-kva.example', ['a.example', 'B\u00dccher.example'])).toBe(true)
  expect(isOfDomain('ada@sub.a.example', ['a.example'])).toBe(false)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBulkText } from './address-lines.ts'

test.each([
  ['ada@example.com', { email: 'ada@example.com' }],
  ['  ada@example.com\t', { email: 'ada@example.com' }],
  ['ada@example.com, Ada , Lovelace', { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }],
  ['ada@example.com,,Lovelace', { email: 'ada@example.com', lastName: 'Lovelace' }],
  ['ada@example.com,Ada', { email: 'ada@example.com', firstName: 'Ada' }],
  ['ada@example.com,"Ada","Lovelace"', { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }],
  ['Ada Lovelace <ada@example.com>', { email: 'ada@example.com', displayName: 'Ada Lovelace' }],
  ['"Lovelace, Ada" <ada@example.com>', { email: 'ada@example.com', displayName: 'Lovelace, Ada' }],
  ['Lovelace, Ada < ada@example.com >', { email: 'ada@example.com', displayName: 'Lovelace, Ada' }],
  ['<ada@example.com>', { email: 'ada@example.com' }],
  ['a <b> <ada@example.com>', { email: 'ada@example.com', displayName: 'a <b>' }],
  ['ada@example.com,Ada,Lovelace,Countess', { email: 'ada@example.com', unreadable: true }],
  ['nonsense', { email: 'nonsense' }],
  ['>', { email: '>' }],
])('reads %j', (line, user) => {
  expect(parseBulkText(line)).toEqual([user])
})

test('line ends of any system, blank lines, comments and a byte order mark are no people', () => {
  const text = '\uFEFF# people\r\na@example.com\r\n\r\n  \n  # b@example.com\nc@example.com\rd@example.com\n'
  expect(parseBulkText(text).map((user) => user.email)).toEqual(['a@example.com', 'c@example.com', 'd@example.com'])
  expect(parseBulkText('')).toEqual([])
})

// Text that a name in a line may contain: no line end, no separator, nothing that trimming would remove.
const word = fc.stringMatching(/^[^\p{C}\p{Z},<>"#]{1,20}$/u)
const email = fc.emailAddress().filter((address) => !/[#,"<>]/.test(address))
const person = fc.oneof(
  email.map((email) => ({ line: email, user: { email } })),
  fc.tuple(email, word, word).map(([email, firstName, lastName]) => ({
    line: `${email},${firstName},${lastName}`,
    user: { email, firstName, lastName },
  })),
  fc.tuple(email, fc.array(word, { minLength: 1, maxLength: 3 })).map(([email, words]) => ({
    line: `${words.join(' ')} <${email}>`,
    user: { email, displayName: words.join(' ') },
  })),
)
const noise = fc.constantFrom('', '   ', '# comment', '\t# x@example.com')

test('what was written is read back, in order, whatever stands between', () => {
  const lines = fc.array(fc.tuple(person, noise, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
  fc.assert(
    fc.property(lines, (written) => {
      const text = written.map(([{ line }, between, end]) => `${line}${end}${between}${end}`).join('')
      expect(parseBulkText(text)).toEqual(written.map(([{ user }]) => user))
    }),
  )
})

test('any text is read without throwing, into at most one person a line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const users = parseBulkText(text)
      expect(users.length).toBeLessThanOrEqual(text.split(/[\r\n]/).length)
      for (const user of users) expect(user.email).toBe(user.email.trim())
    }),
  )
})

test('reading stops after enough people, and comments count for nobody', () => {
  const lines = ['# a team', 'a@example.com', ' ', 'b@example.com', 'c@example.com']
  expect(parseBulkText(lines.join('\n'), 2).map((user) => user.email)).toEqual(['a@example.com', 'b@example.com'])
})

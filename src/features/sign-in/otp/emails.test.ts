import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../platform/messages/language.ts'
import { signInMail } from './emails.ts'

test('a mail with digits speaks of no words', () => {
  const to = { email: 'ada@example.com', locale: null }
  const written = (code: string) =>
    LANGUAGES.map((language) => {
      const mail = signInMail(to, 'login', { code, digitCode: null, ttlSeconds: 600 })
      const { content } = mail.write(language, mail.values?.(language, 'Acme') ?? {})
      return [...content.paragraphs, content.footer]
    })
  expect(written('378078')[0]).toEqual([
    'Enter this code where you were asked for it.',
    'The code works once, within 10 minutes. If you did not ask for it, ignore this email and do not share the code.',
  ])
  for (const [at, lines] of written('amber falcon').entries()) expect(written('378078')[at]).not.toEqual(lines)
})

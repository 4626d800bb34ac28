import { glob } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { LANGUAGES, type Language } from '../../src/platform/messages/language.ts'
import { type DefinedMessage, defineCount, definedMessages, defineText } from '../../src/platform/messages/texts.ts'

for await (const path of glob('src/{platform,features}/**/{messages,*-messages}.ts')) await import(`../../${path}`)
const messages = [...definedMessages()]

const placeholders = (text: string) => [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name).sort()
const nameOf = ({ forms }: DefinedMessage) => forms.en['other'] ?? ''
/** Those of which something is wrong, by the English text and the language. */
const wrong = (isWrong: (text: string, language: Language, message: DefinedMessage, form: string) => boolean) =>
  messages.flatMap((message) =>
    LANGUAGES.flatMap((language) =>
      Object.entries(message.forms[language])
        .filter(([form, text]) => isWrong(text, language, message, form))
        .map(([, text]) => `${language}: ${nameOf(message)}: ${text}`),
    ),
  )

test('every message is there in every language, with the same placeholders', () => {
  expect(messages.length).toBeGreaterThan(60)
  expect(messages.map(({ forms }) => Object.keys(forms).sort().join())).toEqual(
    messages.map(() => [...LANGUAGES].sort().join()),
  )
  expect(wrong((text) => text.trim() === '' || text !== text.trim() || text !== text.normalize('NFC'))).toEqual([])
  const isOther = (text: string, _: Language, message: DefinedMessage) =>
    placeholders(text).join() !== placeholders(nameOf(message)).join()
  expect(wrong(isOther)).toEqual([])
  // A brace that is none of a placeholder would be shown.
  expect(wrong((text) => /[{}]/.test(text.replaceAll(/\{\w+\}/g, '')))).toEqual([])
})

test('a message that counts has the plural forms of each language', () => {
  const counting = messages.filter(({ forms }) => Object.values(forms).some((each) => Object.keys(each).length > 1))
  expect(counting.length).toBeGreaterThan(1)
  for (const { forms } of counting)
    for (const language of LANGUAGES) {
      // `many` is of millions.
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      expect(Object.keys(forms[language]).sort()).toEqual(pluralCategories.filter((each) => each !== 'many').sort())
    }
})

/** Said in English elsewhere, too. */
const SHARED = new Set<string>()

test('nothing is left in English, and nothing is said in another script', () => {
  const isEnglish = (text: string, language: Language, message: DefinedMessage, form: string) =>
    language !== 'en' && text === message.forms.en[form] && !SHARED.has(text)
  expect(wrong(isEnglish)).toEqual([])
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u
  expect(wrong((text, language) => (language === 'ja') !== isJapanese.test(text))).toEqual([])
})

test('no language says one thing in place of two', () => {
  const double = LANGUAGES.flatMap((language) => {
    const texts = messages.map(({ forms }) => forms[language]['other'] ?? '')
    const english = messages.map(nameOf)
    return texts.filter((text, at) => texts.some((other, n) => n < at && other === text && english[n] !== english[at]))
  })
  // An unknown program, within a line and at its beginning; labels of a mail and of its page.
  expect(double.sort()).toEqual(['パスワードを設定する', 'ロックを解除する', '不明なプログラム'])
})

/** The letters of GSM 03.38, of which a text message has 160; with any other it has 70. */
const GSM = /^[@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà{}]*$/

test('text messages are of the letters that text messages have, but for Japanese', () => {
  const sms = (text: string, language: Language, { kind }: DefinedMessage) =>
    kind === 'sms' && (language === 'ja' ? text.length > 60 : !GSM.test(text) || text.length > 110)
  expect(messages.filter(({ kind }) => kind === 'sms').length).toBeGreaterThan(2)
  expect(wrong(sms)).toEqual([])
})

test('placeholders and languages are checked by types', () => {
  const same = { de: '{a} b', fr: '{a} c', es: '{a} d', 'pt-BR': '{a} e', ja: '{a}' } as const
  const before = definedMessages().length
  const say = defineText({ en: '{a}', ...same })
  expect(say('de', { a: '$& {a} <b>' })).toBe('$& {a} <b> b')
  // @ts-expect-error A placeholder is misspelt.
  defineText({ ...same, en: '{a}', de: '{b} b' })
  // @ts-expect-error A placeholder is missing.
  defineText({ ...same, en: '{a}', ja: 'a' })
  // @ts-expect-error A language has one more.
  defineText({ ...same, en: '{a}', ja: '{a} {b}' })
  const { ja: _, ...five } = same
  // @ts-expect-error A language is missing.
  defineText({ en: '{a}', ...five })
  // @ts-expect-error A value is missing.
  expect(say('de', {})).toBe('{a} b')
  // @ts-expect-error A language is missing.
  expect(() => defineCount({ en: { other: '{count}' } })).not.toThrow()
  expect(definedMessages().length).toBeGreaterThan(before)
})

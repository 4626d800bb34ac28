import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LANGUAGES, type Language } from '../../src/platform/messages/language.ts'
import { texts } from '../../src/platform/messages/texts.gen.ts'
import { count, readLocale, text } from '../../src/platform/messages/texts.ts'
import { featureOf, isForTests, readSources } from './source.ts'

const locales = LANGUAGES.map((language) => ({ language, texts: readLocale(language) }))
const english = readLocale('en')
/** The key without its plural form. */
const baseOf = (key: string) => key.replace(/_(one|other)$/, '')
const keys = [...new Set([...english.keys()].map(baseOf))]
const isCounting = (key: string) => english.has(`${key}_other`)
const englishOf = (key: string) => english.get(key) ?? english.get(`${baseOf(key)}_other`) ?? ''
const placeholders = (each: string) => [...each.matchAll(/\{(\w*)\}/g)].map(([, name]) => name).sort()

/** The texts that fail a check, with their language and key. */
const wrong = (isWrong: (text: string, language: Language, key: string) => boolean) =>
  locales.flatMap(({ language, texts }) =>
    [...texts]
      .filter(([key, each]) => isWrong(each, language, key))
      .map(([key, each]) => `${language}: ${key}: ${each}`),
  )

test('there is a locale file for each language, and no other', () => {
  expect(readdirSync(new URL('../../locales/', import.meta.url)).sort()).toEqual(
    LANGUAGES.map((language) => `${language}.json`).sort(),
  )
})

test('each language has the keys of English in the same order, and its own plural forms', () => {
  expect(keys.length).toBeGreaterThan(200)
  expect(keys.filter(isCounting).length).toBeGreaterThan(1)
  for (const { language, texts } of locales) {
    // `many` is the form of millions.
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.filter((it) => it !== 'many')
    const forms = ['zero', 'one', 'two', 'few', 'other'].filter((form) => categories.some((it) => it === form))
    const expected = keys.flatMap((key) => (isCounting(key) ? forms.map((form) => `${key}_${form}`) : [key]))
    expect([language, ...texts.keys()]).toEqual([language, ...expected])
  }
})

test('each text has the placeholders of the English one, and none is empty', () => {
  expect(wrong((each) => each.trim() === '' || each !== each.trim() || each !== each.normalize('NFC'))).toEqual([])
  expect(wrong((each, _, key) => placeholders(each).join() !== placeholders(englishOf(key)).join())).toEqual([])
  // A brace outside a placeholder would be shown.
  expect(wrong((each) => /[{}]/.test(each.replaceAll(/\{\w+\}/g, '')))).toEqual([])
  // The accessor of a text that counts fills in the number alone.
  expect(keys.filter((key) => isCounting(key) && placeholders(englishOf(key)).join() !== 'count')).toEqual([])
})

test('nothing is left in English, and nothing is said in another script', () => {
  expect(wrong((each, language, key) => language !== 'en' && each === englishOf(key))).toEqual([])
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u
  expect(wrong((each, language) => (language === 'ja') !== isJapanese.test(each))).toEqual([])
})

test('no language says one thing in place of two', () => {
  const double = locales.flatMap(({ texts }) => {
    const said = keys.map((key) => ({ text: texts.get(key) ?? texts.get(`${key}_other`), english: englishOf(key) }))
    return said.flatMap((one, at) =>
      said.some((other, n) => n < at && other.text === one.text && other.english !== one.english) ? [one.text] : [],
    )
  })
  // An unknown program, within a line and at its beginning; labels of a mail and of its page.
  expect(double.sort()).toEqual(['パスワードを設定する', 'ロックを解除する', '不明なプログラム'])
})

/** The letters of GSM 03.38, of which a text message has 160; with any other it has 70. */
const GSM = /^[@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà{}]*$/

test('text messages, which are the groups named sms, fit into one message', () => {
  const isSms = (key: string) => /\.sms\./.test(key)
  expect(keys.filter(isSms).length).toBeGreaterThan(2)
  const isUnfit = (each: string, language: Language, key: string) =>
    isSms(key) && (language === 'ja' ? each.length > 60 : !GSM.test(each) || each.length > 110)
  expect(wrong(isUnfit)).toEqual([])
})

test('keys, placeholders and languages are checked by types', () => {
  const { orOpenLink } = texts.mail.layout
  expect(orOpenLink('de', { url: '$& {url} <b>' })).toBe('Oder öffnen Sie diesen Link: $& {url} <b>')
  expect(texts.passkeys.severalRemoved('en', 1234)).toBe('1,234 passkeys were removed from your account')
  expect(texts.passkeys.severalRemoved('fr', 0)).toBe('0 clé d’accès a été retirée de votre compte')
  // @ts-expect-error A value is missing.
  expect(orOpenLink('de', {})).toBe('Oder öffnen Sie diesen Link: {url}')
  // @ts-expect-error All values are missing.
  orOpenLink('de')
  // @ts-expect-error A value has no placeholder.
  orOpenLink('de', { url: '', link: '' })
  // @ts-expect-error A text without placeholders takes no values.
  texts.mail.signIn('de', { url: '' })
  // @ts-expect-error There is no such language.
  expect(() => texts.mail.signIn('nl')).toThrow()
  // @ts-expect-error There is no such text.
  expect(texts.mail.signOut).toBe(undefined)
})

test('a text that a language lacks is noticed at the start', () => {
  expect(() => text('mail.signOut')).toThrow('locales/en.json lacks the text mail.signOut')
  expect(() => text('mail')).toThrow('lacks')
  expect(() => count('mail.signIn')).toThrow('locales/en.json lacks the text mail.signIn_other')
})

const MODULE = 'src/platform/messages/texts.gen.ts'
const sources = readSources('src').filter(
  ({ path, imports }) => !isForTests(path) && imports.some(({ target }) => target === MODULE),
)
const PLATFORM_GROUPS = ['mail', 'pages']
const camelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

test('the group of a text is the folder that uses it; texts of several nouns are in the groups of the platform', () => {
  expect(sources.length).toBeGreaterThan(15)
  const used = sources.flatMap(({ path, text }) => {
    if (!text.includes('/texts.gen.ts')) return []
    const noun = camelCase(featureOf(path) ?? '')
    const code = text.replaceAll(/^import .*$|\/\*\*[\s\S]*?\*\/|\/\/ .*$/gm, '')
    // Properties of this name are something else. The group `''` is the use of all texts as a whole.
    const uses = [...code.matchAll(/(?<!\w\.)\btexts\b(?!:)(?:\.(\w+))?/g)]
    return uses.map(([, group = '']) => ({ path, noun, group }))
  })
  expect(used.filter(({ group, noun }) => group !== noun && !PLATFORM_GROUPS.includes(group))).toEqual([])
  expect(new Set(used.map(({ group }) => group))).toEqual(new Set(keys.map((key) => key.split('.')[0])))
})

test('each text is used', () => {
  const code = sources.map(({ text }) => text).join('\n')
  const isUsed = (key: string) => new RegExp(String.raw`\btexts\.${key.replaceAll('.', '\\.')}\b`).test(code)
  // A group within that of a noun can be used as a whole.
  const isPart = (key: string) => {
    const [noun, ...inner] = key.split('.').slice(0, -1)
    const groups = inner.map((_, depth) => [noun, ...inner.slice(0, depth + 1)].join('\\.'))
    return groups.some((group) => new RegExp(String.raw`\btexts\.${group}\b(?!\.)`).test(code))
  }
  expect(keys.filter((key) => !isUsed(key) && !isPart(key))).toEqual([])
})

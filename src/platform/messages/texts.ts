import { readFileSync } from 'node:fs'
import { LANGUAGES, type Language } from './language.ts'

type Values<Name extends string> = [Name] extends [never] ? [] : [values: Record<Name, string>]

/** Returns a text in a language, with its placeholders filled in. The result is plain text, so escape it in HTML. */
export type Say<Name extends string = never> = (language: Language, ...values: Values<Name>) => string

/** Returns a text in the plural form for a number. Its only placeholder is `{count}`. */
export type SayCount = (language: Language, count: number) => string

const locales = new Map(LANGUAGES.map((language) => [language, readLocale(language)]))

/**
 * Reads the texts of `locales/<language>.json` in their order, by dotted keys such as `otp.enterCode`.
 * @throws if the file is missing or a value is neither a text nor an object
 */
export function readLocale(language: Language): Map<string, string> {
  const file = new URL(`../../../locales/${language}.json`, import.meta.url)
  return new Map(flatten(JSON.parse(readFileSync(file, 'utf8')), ''))
}

function flatten(node: unknown, key: string): [string, string][] {
  if (typeof node === 'string') return [[key, node]]
  if (typeof node !== 'object' || node === null) throw new Error(`The text ${key} is not a string`)
  return Object.entries(node).flatMap(([name, value]) => flatten(value, key === '' ? name : `${key}.${name}`))
}

/**
 * Returns the text with a key. `texts.gen.ts` calls this for every key of `locales/en.json`, with the names of its
 * placeholders except `{brand}`, which the layout fills in.
 * @throws if a language lacks the key
 */
export function text<Name extends string = never>(key: string): Say<Name> {
  assertInEveryLanguage(key)
  return (language: Language, values: Record<string, string> = {}) => fill(find(language, key), values)
}

/**
 * Returns the text with a key that depends on a number. Its forms are the keys `<key>_one` and `<key>_other`, as in
 * i18next.
 * @throws if a language lacks the form `other`
 */
export function count(key: string): SayCount {
  assertInEveryLanguage(`${key}_other`)
  return (language, number) => {
    const category = new Intl.PluralRules(language).select(number)
    const form = locales.get(language)?.get(`${key}_${category}`) ?? find(language, `${key}_other`)
    return fill(form, { count: new Intl.NumberFormat(language).format(number) })
  }
}

// Checked at the start, so that no mail fails later.
function assertInEveryLanguage(key: string): void {
  for (const language of LANGUAGES) find(language, key)
}

function find(language: Language, key: string): string {
  const found = locales.get(language)?.get(key)
  if (found === undefined) throw new Error(`locales/${language}.json lacks the text ${key}`)
  return found
}

function fill(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

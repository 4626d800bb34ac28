import { LANGUAGES, type Language } from './language.ts'

/** The names of the placeholders of a text, such as `span` of `within {span}`; `{brand}` is filled in by the layout. */
type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, 'brand'> | Placeholder<Rest>
  : never

type Spoken = Record<Language, string>

/** A text whose placeholders are not those of the English one is none that compiles. */
type Alike<S extends Spoken> = {
  [L in Language]: [Placeholder<S[L]>, Placeholder<S['en']>] extends [Placeholder<S['en']>, Placeholder<S[L]>]
    ? string
    : { placeholders: Placeholder<S['en']> }
}

type Values<Name extends string> = [Name] extends [never] ? [] : [values: Record<Name, string>]

/** What says something in every language: plain text, to be escaped where it goes into HTML. */
export type Say<Name extends string> = (language: Language, ...values: Values<Name>) => string

/** A message as it was defined, for the test that walks all of them. */
export interface DefinedMessage {
  /** For one that counts, the form of each plural category. */
  forms: Record<Language, Record<string, string>>
  kind: 'text' | 'sms'
}

const defined: DefinedMessage[] = []

/** Every message that any loaded module defines. */
export function definedMessages(): readonly DefinedMessage[] {
  return defined
}

/** Defines a message: its text in every language, with the same placeholders. */
export function defineText<const S extends Spoken>(texts: S & Alike<S>): Say<Placeholder<S['en']>> {
  return say(texts, 'text')
}

/** The same of a text message, which a test holds to the length and the letters of one. */
export function defineSmsText<const S extends Spoken>(texts: S & Alike<S>): Say<Placeholder<S['en']>> {
  return say(texts, 'sms')
}

function say(texts: Spoken, kind: DefinedMessage['kind']) {
  defined.push({ kind, forms: eachLanguage((language) => ({ other: texts[language] })) })
  return (language: Language, values: Record<string, string> = {}) => fill(texts[language], values)
}

/** The forms of a text that counts, as Intl.PluralRules tells them apart; `other` is for whatever has none of its own. */
type Counted = Record<Language, { one?: string; other: string }>

/** Defines a message that says how many, as `{count}`. */
export function defineCount(texts: Counted): (language: Language, count: number) => string {
  defined.push({ kind: 'text', forms: eachLanguage((language) => ({ ...texts[language] })) })
  return (language, count) => {
    const forms: Record<string, string> = { ...texts[language] }
    const form = forms[new Intl.PluralRules(language).select(count)] ?? texts[language].other
    return fill(form, { count: new Intl.NumberFormat(language).format(count) })
  }
}

function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

function eachLanguage<T>(of: (language: Language) => T): Record<Language, T> {
  const [en, de, fr, es, pt, ja] = LANGUAGES
  return { [en]: of(en), [de]: of(de), [fr]: of(fr), [es]: of(es), [pt]: of(pt), [ja]: of(ja) }
}

import { canonicalLocale } from './locale.ts'

/** The languages in which every message is written. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

/** The recipient of a message, with the fields that determine its language. */
export interface Reader {
  /** A bare address. */
  email: string
  /** In canonical form. Null if none is set or known. */
  locale: string | null
}

/**
 * Chooses the language of the first locale that is supported, best first, or else English. Variants of a language
 * count as that language: a reader of `pt-PT` gets Brazilian Portuguese rather than English.
 */
export function chooseLanguage(...locales: readonly (string | null)[]): Language {
  for (const locale of locales) {
    const language = locale === null ? undefined : byName.get(nameOf(locale))
    if (language !== undefined) return language
  }
  return 'en'
}

/** The locales that a browser asks for, best first (RFC 9110 §12.5.4). */
export function acceptedLocales(acceptLanguage: string): string[] {
  const asked = acceptLanguage.split(',', MAX_ACCEPTED).flatMap((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1)
    const locale = canonicalLocale(name)
    return locale !== null && weight > 0 ? [{ locale, weight }] : []
  })
  return asked.toSorted((one, other) => other.weight - one.weight).map(({ locale }) => locale)
}

const MAX_ACCEPTED = 20
const nameOf = (locale: string) => locale.split('-', 1)[0] ?? ''
const byName = new Map(LANGUAGES.map((language) => [nameOf(language), language]))

/** A duration in words, such as `10 minutes`, `24 Stunden` or `7 jours`, in the basic grammatical form. */
export function spanInWords(language: Language, seconds: number): string {
  // A unit is used from two of it: `24 hours` is clearer than `1 day`.
  const { unit, seconds: each } = UNITS.find((one) => seconds >= 2 * one.seconds) ?? MINUTE
  // Rounded down, because nothing may expire sooner than its message says, but at least one minute.
  return inWords(language, unit, Math.max(1, Math.floor(seconds / each)))
}

/** The duration exact to the second if it is shorter than two minutes. */
export function exactSpanInWords(language: Language, seconds: number): string {
  return seconds < 120
    ? inWords(language, 'second', seconds)
    : inWords(language, 'minute', Math.floor(seconds / MINUTE.seconds))
}

const MINUTE = { unit: 'minute', seconds: 60 }
const UNITS = [{ unit: 'day', seconds: 86_400 }, { unit: 'hour', seconds: 3600 }, MINUTE]

// Creating a format takes far longer than using it, and a message to a user must not take longer than a decoy for an
// unknown address.
const formats = new Map<string, Intl.NumberFormat>()

function inWords(language: Language, unit: string, count: number): string {
  const key = `${language}/${unit}`
  const format = formats.get(key) ?? new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  formats.set(key, format)
  // Normal spaces, because text messages have no character for others. Japanese uses none.
  return format.format(count).replaceAll(/\s/g, language === 'ja' ? '' : ' ')
}

/** A time, such as `24 November 2026 at 13:05 UTC`. */
export function momentInWords(language: Language, at: Date): string {
  const form = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return `${form.format(at)} UTC`
}

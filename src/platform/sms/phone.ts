// The build with the ranges of mobile phones: it refuses landlines and premium-rate numbers, which take no SMS or bill
// for it, and tells apart the countries that share a calling code. The smallest build knows neither.
import { getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/mobile'

/** A phone number that has been read. */
export interface Phone {
  /** Such as `+14155550123`. */
  e164: string
  /** ISO 3166-1 alpha-2; null: no SMS can be sent there (no mobile range, of no country, too long or too short). */
  country: string | null
}

/** Every country that has phone numbers. */
export const COUNTRIES: readonly string[] = getCountries()

/** Reads a phone number in international form, or null when it is none. */
export function parsePhone(text: string): Phone | null {
  if (text.length > 40 || !text.startsWith('+')) return null
  const number = parsePhoneNumberFromString(text)
  if (!number || number.ext !== undefined) return null
  return { e164: number.number, country: number.isValid() ? (number.country ?? null) : null }
}

/** A hint such as `+•••••23`. Made from the input alone, so that it tells nothing about who has the number. */
export function maskPhone(e164: string): string {
  return `+•••••${e164.slice(-2)}`
}

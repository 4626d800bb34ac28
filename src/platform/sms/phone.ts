// The build with mobile number ranges. It refuses landlines, which cannot receive SMS, and premium-rate numbers, whose
// owners are paid for each message received. It also distinguishes countries that share a calling code. The smallest
// build does neither.
import metadata from 'libphonenumber-js/mobile/metadata'
import { Type } from 'typebox'
import { invalidField } from '../errors.ts'
import { named } from '../schema.ts'

/** A parsed phone number. */
export interface Phone {
  /** For example `+14155550123`. */
  e164: string
  /** ISO 3166-1 alpha-2. Null if the number cannot receive SMS: no mobile range, no country, or a wrong length. */
  country: string | null
}

/** Every country that has phone numbers. */
export const COUNTRIES: readonly string[] = Object.keys(metadata.countries)

/** A country code, in bodies and replies. */
export const Country = named(
  'Country',
  Type.String({
    pattern: `^(${COUNTRIES.join('|')})$`,
    'x-form': 'a country of ISO 3166-1 such as US',
    examples: ['US'],
  }),
)

/** Parses a phone number in international form. Returns null if it is not a phone number. */
export async function parsePhone(text: string): Promise<Phone | null> {
  if (text.length > 40 || !text.startsWith('+')) return null
  // Loaded with the first number, because the start does not need it.
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/mobile')
  const number = parsePhoneNumberFromString(text)
  if (!number || number.ext !== undefined) return null
  return { e164: number.number, country: number.isValid() ? (number.country ?? null) : null }
}

/** Throws `invalid_request`. */
export async function requirePhone(text: string): Promise<Phone> {
  const phone = await parsePhone(text)
  if (phone) return phone
  throw invalidField('phone', 'phone', 'phone must be a phone number in international form, such as +14155550123')
}

/** A hint such as `+•••••23`. It is derived only from the input, so it reveals nothing about who has the number. */
export function maskPhone(e164: string): string {
  return `+•••••${e164.slice(-2)}`
}

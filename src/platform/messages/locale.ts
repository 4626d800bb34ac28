import { Type } from 'typebox'
import { named } from '../schema.ts'

// Intl sets no limit on the length of a tag. RFC 5646 §4.4.1 asks for room for 35 characters.
const MAX_LENGTH = 64

/** The name of this format in schemas. */
export const LOCALE_FORMAT = 'language-tag'

/** A locale in a request body: a language tag (BCP 47), or null. An empty string counts as null. */
export const Locale = Type.Optional(
  named(
    'Locale',
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: MAX_LENGTH,
      format: LOCALE_FORMAT,
      'x-form': 'a language tag of BCP 47 such as de-AT',
      description:
        'Language tag (BCP 47) for emails, text messages and pages. Null: the language of the organization, else of the environment, else `en`.',
      examples: ['de-AT'],
    }),
  ),
)

/** Whether a text is valid in such a field. */
export function isLocale(text: string): boolean {
  return text === '' || canonicalLocale(text) !== null
}

/** The tag in canonical form (RFC 5646 §4.5), such as `pt-BR`, or null if the text is not a tag. */
export function canonicalLocale(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null
  } catch {
    return null
  }
}

/**
 * Reads a locale from another system, which may use underscores or list several as in Accept-Language (OpenID Connect
 * Core §5.1, RFC 7643 §4.1.1).
 */
export function foreignLocale(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const [first = ''] = value.split(/[,;]/, 1)
  return canonicalLocale(first.trim().replaceAll('_', '-'))
}

import { defineErrors } from './errors.ts'

/** URL-safe: words of lower-case ASCII letters and digits, joined by single hyphens. */
export const SLUG_PATTERN = '^[a-z0-9](-?[a-z0-9])*$'
/** The pattern in words. */
export const SLUG_FORM = 'a-z, 0-9 and single hyphens between them'
export const MAX_SLUG = 63

const form = new RegExp(SLUG_PATTERN)

/** Whether the text is a slug as it stands. Nothing is normalised, so that a look-alike never becomes another slug. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG && form.test(text)
}

/** Makes a slug from a name, or returns `otherwise` if the name has no Latin letters or digits. */
export function slugOf(name: string, otherwise: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MAX_SLUG)
  return slug.replaceAll(/^-|-$/g, '') || otherwise
}

/** For the schema of a change: the text with which a slug is refused. */
export const SLUG_NEVER_CHANGES = { 'x-elsewhere': { slug: 'a slug never changes' } }

export const slugErrors = defineErrors({
  taken: [
    409,
    'slug_taken',
    'The slug is taken',
    'The slug of an organization is unique within its parent, including archived organizations. The slug of an environment is unique within its organization. Choose another slug.',
  ],
})

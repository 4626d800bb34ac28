import { checksum, randomBase62, SECRET_LENGTH } from './tokens.ts'

const CHECKSUM_LENGTH = 6
export const MAX_KEY_LENGTH = 200

// A map instead of an object, because an environment may be called `constructor`.
const SHORT_SLUGS = new Map([
  ['production', 'live'],
  ['staging', 'stg'],
])

/** Makes a new key: `ww_<environment>_<256 random bits><checksum>`. */
export function makeKey(environmentSlug: string): string {
  const short = SHORT_SLUGS.get(environmentSlug) ?? environmentSlug
  const body = `ww_${short}_${randomBase62(SECRET_LENGTH)}`
  return body + checksum(body)
}

const START_LENGTH = 12
const SHOWN_OF_SECRET = 4

/**
 * The public first characters of a key, which identify it in lists. They include at least four random characters,
 * however long the environment's name is.
 */
export function startOf(key: string): string {
  const prefix = /^ww_[a-z0-9-]+_/.exec(key)?.[0] ?? ''
  return key.slice(0, Math.max(START_LENGTH, prefix.length + SHOWN_OF_SECRET))
}

/** Whether a key that the operator chose can be sent in a header. */
export function isPresentable(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && /^[!-~]+$/.test(key)
}

/**
 * Whether a key has our format and a wrong checksum, so that no lookup is needed. Keys that the operator chose have no
 * format.
 */
export function isMistyped(presented: string): boolean {
  return /^ww_[a-z0-9-]+_[0-9A-Za-z]{49}$/.test(presented) && !hasChecksum(presented)
}

/** Whether a text has the form of keys made here, even if its checksum is wrong. */
export function looksLikeApiKey(text: string): boolean {
  return /^ww_[a-z0-9-]+_[0-9A-Za-z]*$/.test(text)
}

/** Whether a key looks like one made here but was mistyped or cut off. */
export function isDamaged(key: string): boolean {
  return looksLikeApiKey(key) && !hasChecksum(key)
}

function hasChecksum(key: string): boolean {
  return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH)
}

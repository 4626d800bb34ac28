import { findBreached } from '../../../platform/crypto/breached-passwords.ts'
import { normalizePassword } from '../../../platform/crypto/password-format.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newPasswordErrors } from './errors.ts'
import { isOverlong, MAX_PASSWORD_BYTES } from './hash.ts'

/** What a directory requires of passwords. There are no composition rules (ASVS 6.2.5). */
export interface PasswordPolicy {
  /** In Unicode code points, after normalisation (SP 800-63B §3.1.1.2). */
  password_min_length: number
  password_max_length: number
  /** Whether common and breached passwords are refused. */
  password_breach_check: boolean
}

/** Words about this user that an attacker would try first. */
export interface PasswordContext {
  email: string
  /** Names of the user and of the organization, including its slug. */
  names: string[]
}

export type WeakReason = 'too_short' | 'too_long' | 'invalid_character' | 'context_word' | 'common_word' | 'reused'

const BRAND = 'watchword'
const MIN_WORD = 3
// Shorter parts of a name are mostly words such as "the", "and", "van".
const MIN_PART = 4
// The minimum number of characters that are not part of a name. It refuses "acme2024!" and allows a phrase that
// contains a name.
const MIN_OTHER_CHARACTERS = 6

/**
 * Throws `weak_password` with every reason except `reused`, or `password_breached`. Neither error contains the
 * password.
 */
export async function assertPasswordAllowed(
  platform: Platform,
  password: string,
  policy: PasswordPolicy,
  context: PasswordContext,
): Promise<void> {
  if (isOverlong(password)) throw weakPassword(['too_long'], policy)
  const text = normalizePassword(password)
  const reasons = reasonsAgainst(text, policy, context)
  if (reasons.length > 0) throw weakPassword(reasons, policy)
  if (!policy.password_breach_check) return
  const found = await findBreached(platform, text)
  if (found === 'listed') throw newPasswordErrors.passwordBreached()
  if (found) throw weakPassword([found], policy)
}

/** The error, with advice for the user. */
export function weakPassword(reasons: WeakReason[], policy?: PasswordPolicy) {
  const advice: Record<WeakReason, string> = {
    too_short: `Use at least ${policy?.password_min_length} characters.`,
    too_long: `Use at most ${policy?.password_max_length} characters and ${MAX_PASSWORD_BYTES} bytes.`,
    invalid_character: 'Do not use control characters.',
    context_word:
      'Your password is little more than a name or your email address. Add at least a few other characters or words.',
    common_word: 'Use more than a common password with a few digits.',
    reused: 'Use a password that you have not used before.',
  }
  return newPasswordErrors.weakPassword({
    detail: reasons.map((reason) => advice[reason]).join(' '),
    extra: { reasons },
  })
}

function reasonsAgainst(text: string, policy: PasswordPolicy, context: PasswordContext): WeakReason[] {
  const length = [...text].length
  const tooLong = length > policy.password_max_length || Buffer.byteLength(text) > MAX_PASSWORD_BYTES
  const checks: [boolean, WeakReason][] = [
    [length < policy.password_min_length, 'too_short'],
    [tooLong, 'too_long'],
    // These characters cannot be typed, and all lone surrogates have the same hash.
    [/[\p{Cc}\p{Cs}]/u.test(text), 'invalid_character'],
    [!tooLong && isLittleButNames(text, context), 'context_word'],
  ]
  return checks.filter(([fails]) => fails).map(([, reason]) => reason)
}

function isLittleButNames(text: string, context: PasswordContext): boolean {
  const folded = fold(text)
  const rest = contextWords(context).reduce((left, word) => left.replaceAll(word, ''), folded)
  return rest.length < folded.length && [...rest.replace(/\s/gu, '')].length < MIN_OTHER_CHARACTERS
}

/** Sorted by length, longest first, so that a whole name is removed before its parts. */
function contextWords(context: PasswordContext): string[] {
  const address = fold(context.email)
  const [local = '', domain = ''] = address.split('@')
  const names = [BRAND, local, ...context.names.map(fold)]
  const joined = names.map((name) => name.replace(/[^\p{L}\p{N}]/gu, ''))
  // The top-level domain is not a name.
  const labels = domain.split('.').slice(0, -1)
  const parts = [...labels, ...[...names, ...labels].flatMap((name) => name.split(/[^\p{L}\p{N}]+/u))]
  const ofLength = (words: string[], least: number) => words.filter((word) => [...word].length >= least)
  const words = new Set([...ofLength([address, ...names, ...joined], MIN_WORD), ...ofLength(parts, MIN_PART)])
  return [...words].sort((a, b) => b.length - a.length)
}

function fold(text: string): string {
  return normalizePassword(text).trim().toLowerCase()
}

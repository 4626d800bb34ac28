import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { OtpPurpose } from './store.ts'
import { makeDigits, makeWordPair, normalizeCode, type OtpMode } from './word-pair.ts'

const codes = hashPurpose('otp')

/** A new code as people see it, and the hashes to store. */
export interface FreshCode {
  /** Two words; in mode `digit` six digits. */
  code: string
  /** In mode `both`, six digits that are accepted as well. */
  digitCode: string | null
  phraseHash: Buffer | null
  digitHash: Buffer | null
}

/** A code as it appears in a message. */
export interface ShownCode extends Pick<FreshCode, 'code' | 'digitCode'> {
  ttlSeconds: number
}

/** Makes the code for one `otp_id`. */
export function makeCode(platform: Platform, purpose: OtpPurpose, otpId: string, mode: OtpMode): FreshCode {
  const phrase = mode === 'digit' ? null : makeWordPair()
  const digits = mode === 'phrase' ? null : makeDigits()
  // A new code is already in normal form.
  const hash = (code: string | null) => (code === null ? null : hashNormal(platform, purpose, otpId, code))
  return {
    code: phrase ?? digits ?? '',
    digitCode: phrase === null ? null : digits,
    phraseHash: hash(phrase),
    digitHash: hash(digits),
  }
}

/**
 * The hash of a code that is stored. A plain hash would be useless, because all four million phrases can be tried in
 * an instant, so the hash uses a key that is not in the database. It also includes purpose and `otp_id`, so that
 * someone with write access cannot copy a hash to another row.
 */
export function hashCode(platform: Platform, purpose: OtpPurpose, otpId: string, code: string): Buffer {
  return hashNormal(platform, purpose, otpId, normalizeCode(code))
}

function hashNormal(platform: Platform, purpose: OtpPurpose, otpId: string, code: string): Buffer {
  return keyedHash(platform.keyring.hashKey(codes), purpose, otpId, code)
}

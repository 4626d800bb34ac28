import { keyedHash } from '../../platform/crypto/tokens.ts'
import type { Platform } from '../../platform/platform.ts'
import type { OtpPurpose } from './store.ts'
import { makeDigits, makeWordPair, normalizeCode, type OtpMode } from './word-pair.ts'

/** A fresh code as people see it, and the hashes that are kept of it. */
export interface FreshCode {
  /** Two words; in mode `digit` six digits. */
  code: string
  /** In mode `both`: six digits that pass as well. */
  digitCode: string | null
  phraseHash: Buffer | null
  digitHash: Buffer | null
}

/** Makes the code of one otp_id. */
export function makeCode(platform: Platform, purpose: OtpPurpose, otpId: string, mode: OtpMode): FreshCode {
  const phrase = mode === 'digit' ? null : makeWordPair()
  const digits = mode === 'phrase' ? null : makeDigits()
  // A fresh code is in its normal form already.
  const hash = (code: string | null) => (code === null ? null : hashNormal(platform, purpose, otpId, code))
  return {
    code: phrase ?? digits ?? '',
    digitCode: phrase === null ? null : digits,
    phraseHash: hash(phrase),
    digitHash: hash(digits),
  }
}

/**
 * What is kept of a code. Four million phrases are tried against a plain hash in an instant, hence a key from outside
 * the database; purpose and otp_id bind the hash to its row, so that a writer of the database cannot copy one.
 */
export function hashCode(platform: Platform, purpose: OtpPurpose, otpId: string, code: string): Buffer {
  return hashNormal(platform, purpose, otpId, normalizeCode(code))
}

function hashNormal(platform: Platform, purpose: OtpPurpose, otpId: string, code: string): Buffer {
  return keyedHash(platform.keyring.hashKey('otp'), purpose, otpId, code)
}

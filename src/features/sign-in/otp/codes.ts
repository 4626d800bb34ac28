import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { OtpPurpose } from './store.ts'
import { makeDigits, makeWordPair, normalizeCode, type OtpMode } from './word-pair.ts'

const codes = hashPurpose('otp')

/** A fresh code as people see it, and the hashes that are stored. */
export interface FreshCode {
  /** Two words; in mode `digit` six digits. */
  code: string
  /** In mode `both`: six digits that also pass. */
  digitCode: string | null
  phraseHash: Buffer | null
  digitHash: Buffer | null
}

/** A code as a message shows it. */
export interface ShownCode extends Pick<FreshCode, 'code' | 'digitCode'> {
  ttlSeconds: number
}

/** Makes the code for one otp_id. */
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
 * What is stored of a code. Four million phrases can be tried against a plain hash in an instant, hence a key that is
 * not in the database; purpose and otp_id bind the hash to its row, so that someone with write access cannot copy one.
 */
export function hashCode(platform: Platform, purpose: OtpPurpose, otpId: string, code: string): Buffer {
  return hashNormal(platform, purpose, otpId, normalizeCode(code))
}

function hashNormal(platform: Platform, purpose: OtpPurpose, otpId: string, code: string): Buffer {
  return keyedHash(platform.keyring.hashKey(codes), purpose, otpId, code)
}

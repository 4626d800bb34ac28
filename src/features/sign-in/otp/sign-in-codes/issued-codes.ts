import type { Identity } from '../../../../platform/crypto/identity.ts'
import { isId, newId } from '../../../../platform/ids.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { readFacts, type SignInFacts } from '../../../access/login/login.ts'
import { hashCode, makeCode, type ShownCode } from '../codes.ts'
import type { OtpSettings } from '../settings.ts'
import { findLiveOtpRow, findLiveSignupRow, insertOtpRow, triedCode, type Verdict } from '../store.ts'

/** Purposes of codes that sign in or up. The generator's codes (`/v1/otp/generate`) do neither. */
export type SignInPurpose = 'login' | 'signup'

/**
 * Other purposes of codes: a step-up, a proof of a new address, and the discovery of the organizations of a mailbox
 * and the sign-in to one of them.
 */
export type OwnPurpose = 'step_up' | 'email_change' | 'discovery' | 'discovered'

// A code sent out of band is valid for ten minutes at most (ASVS 6.5.5), regardless of the generator's settings.
const MAX_SIGN_IN_TTL_SECONDS = 600

export interface NewOtp {
  purpose: SignInPurpose | OwnPurpose
  /**
   * Null if no user has the address. Then the code is a decoy, which is handled like any other code and signs no one
   * in.
   */
  userId: string | null
  /** True if no user has the address and redeeming the code creates one. */
  signsUp?: boolean
  /** The language of the user that the code signs up. */
  locale?: string | null
  /** Keyed hash of the normalised address. */
  identity: Buffer
  settings: OtpSettings
  /** The phone that gets the code. If absent, the code is mailed. */
  phoneId?: string
  /** True if the code is never sent. */
  withheld?: boolean
}

export interface IssuedOtp extends ShownCode {
  otpId: string
  expiresAt: Date
}

/**
 * Creates a sign-in code without sending it. Voids older codes of the same address and purpose, unless the new code is
 * withheld.
 */
export async function issueOtp(work: TxWork, otp: NewOtp): Promise<IssuedOtp> {
  const { purpose, userId, signsUp = false, locale = null, identity, settings, phoneId = null, withheld = false } = otp
  const otpId = newId()
  const { code, digitCode, phraseHash, digitHash } = makeCode(work.platform, purpose, otpId, settings.mode)
  const row = {
    id: otpId,
    purpose,
    user_id: userId,
    signs_up: signsUp,
    locale,
    identity,
    phone_id: phoneId,
    withheld,
    phrase_hash: phraseHash,
    digit_hash: digitHash,
    max_attempts: settings.max_attempts,
  }
  const ttlSeconds = Math.min(settings.ttl_seconds, MAX_SIGN_IN_TTL_SECONDS)
  const expiresAt = await insertOtpRow(work.db, work.directory, row, ttlSeconds)
  return { otpId, code, digitCode, expiresAt, ttlSeconds }
}

/** Finds a code that was sent recently in the same way and has not been tried, so that no second message is needed. */
export async function findLiveOtp(
  work: Work,
  which: { purpose: SignInPurpose | OwnPurpose; identity: Buffer; newerThanSeconds: number; bySms?: boolean },
): Promise<{ otpId: string; expiresAt: Date } | null> {
  const row = await findLiveOtpRow(work.db, work.directory, which, which.newerThanSeconds)
  return row ? { otpId: row.id, expiresAt: row.expires_at } : null
}

/** Finds the sign-up that a code can still complete. Returns null once the code was redeemed or has expired. */
export async function findWaitingSignup(work: Work, otpId: string): Promise<{ locale: string | null } | null> {
  return (await findLiveSignupRow(work.db, work.directory, otpId)) ?? null
}

/** An attempt at a sign-in code. */
export interface OtpAttempt {
  purpose: SignInPurpose | OwnPurpose
  otpId: string
  code: string
}

export interface TriedOtp {
  /**
   * `match`: right, but not consumed yet (`codeProof` consumes it). `expired` and `used`: only for the right code.
   * `exhausted`: no attempts left for this code or its address. `unknown`: no such code, or it is void.
   */
  outcome: Verdict
  /** The owner of the code. Null if there is none, if the code is void, and if no attempt was counted. */
  userId: string | null
  /** Whether redeeming the code creates a user with the address. False for a decoy. */
  signsUp: boolean
  /** The language that the person chose at the sign-up. */
  locale: string | null
  /** Whether the code went to its owner's phone, so that it proves no mailbox. */
  bySms: boolean
  /** The facts about the user of the address. */
  facts: SignInFacts | null
}

/**
 * Counts an attempt at a sign-in code, then checks the code. Commits on its own, so a request that fails later does
 * not get the attempt back. Over all codes of an address, 20 attempts an hour and 40 a day may fail (ASVS 6.3.1).
 */
export async function tryOtp(work: Work, who: Identity, attempt: OtpAttempt): Promise<TriedOtp> {
  const { purpose, code } = attempt
  const asked = attempt.otpId.toLowerCase()
  // Text that is not an id names no code, but must take as long.
  const otpId = isId(asked) ? asked : newId()
  const hash = hashCode(work.platform, purpose, otpId, code)
  const asTried = { otp_id: otpId, otp_purpose: purpose, otp_hash: hash }
  const reading = triedCode(asTried, { key: who.hash.toString('base64') })
  const { person, read } = await readFacts({ ...work, db: work.platform.db }, who, reading)
  // The code was removed while the statement waited for it.
  const outcome = read.verdict === 'left_out' ? 'unknown' : read.verdict
  const { code_user_id: userId, code_signs_up: signsUp, code_locale: locale, code_by_sms: bySms } = read
  return { outcome, userId, signsUp: signsUp ?? false, locale, bySms: bySms ?? false, facts: person }
}

import type { Identity } from '../../../../platform/crypto/identity.ts'
import { isId, newId } from '../../../../platform/ids.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { readFacts, type SignInFacts } from '../../../access/login/login.ts'
import { hashCode, makeCode, type ShownCode } from '../codes.ts'
import type { OtpSettings } from '../settings.ts'
import { findLiveOtpRow, findLiveSignupRow, insertOtpRow, triedCode, type Verdict } from '../store.ts'

/** What a code signs in or up with. The generator's codes (`/v1/otp/generate`) do neither. */
export type SignInPurpose = 'login' | 'signup'

/**
 * Other purposes of a code: a user steps up or proves a new address; or a person lists the organizations of a mailbox,
 * and enters one.
 */
export type OwnPurpose = 'step_up' | 'email_change' | 'discovery' | 'discovered'

// A code sent out of band lives ten minutes at most (ASVS 6.5.5), whatever the settings of the generator.
const MAX_SIGN_IN_TTL_SECONDS = 600

export interface NewOtp {
  purpose: SignInPurpose | OwnPurpose
  /** Null when no user has the address: a decoy, which takes the same path and signs no one in. */
  userId: string | null
  /** No user has the address, and redeeming the code creates one. */
  signsUp?: boolean
  /** The language of the user that the code signs up. */
  locale?: string | null
  /** Keyed hash of the normalised address. */
  identity: Buffer
  settings: OtpSettings
  /** The phone that it is sent to; absent: it is mailed. */
  phoneId?: string
  /** The code is never sent. */
  withheld?: boolean
}

export interface IssuedOtp extends ShownCode {
  otpId: string
  expiresAt: Date
}

/** Creates a sign-in code, which voids older ones for its address and purpose, unless it is withheld. Sends nothing. */
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

/** A code that was sent the same way a moment ago and has not been tried, so that no second message is needed. */
export async function findLiveOtp(
  work: Work,
  which: { purpose: SignInPurpose | OwnPurpose; identity: Buffer; newerThanSeconds: number; bySms?: boolean },
): Promise<{ otpId: string; expiresAt: Date } | null> {
  const row = await findLiveOtpRow(work.db, work.directory, which, which.newerThanSeconds)
  return row ? { otpId: row.id, expiresAt: row.expires_at } : null
}

/** The sign-up that a code can still complete. Returns null once the code is redeemed or expired. */
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
   * `match`: right, but not consumed yet (`codeProof` does that). `expired` and `used`: only for the right code.
   * `spent`: the attempts at this code, or at its address, are used up. `unknown`: no such code, or it is void.
   */
  outcome: Verdict
  /** The owner of the code; null without one, where it is void, and where no attempt was counted. */
  userId: string | null
  /** Redeeming the code creates a user with the address. False for a decoy. */
  signsUp: boolean
  /** What they said of their language. */
  locale: string | null
  /** It went to a phone of its owner, and proves no mailbox. */
  bySms: boolean
  /** The facts about the user of the address. */
  facts: SignInFacts | null
}

/**
 * Counts an attempt at a sign-in code, then judges it. Committed on its own, so a request that fails later does not
 * return the attempt. Over all codes of an address 20 attempts an hour and 40 a day may fail (ASVS 6.3.1).
 */
export async function tryOtp(work: Work, who: Identity, attempt: OtpAttempt): Promise<TriedOtp> {
  const { purpose, code } = attempt
  const asked = attempt.otpId.toLowerCase()
  // What is no id names no code, at the same cost.
  const otpId = isId(asked) ? asked : newId()
  const hash = hashCode(work.platform, purpose, otpId, code)
  const asTried = { otp_id: otpId, otp_purpose: purpose, otp_hash: hash }
  const reading = triedCode(asTried, { key: who.hash.toString('base64') })
  const { person, read } = await readFacts({ ...work, db: work.platform.db }, who, reading)
  // Removed while it was waited for.
  const outcome = read.verdict === 'left_out' ? 'unknown' : read.verdict
  const { code_user_id: userId, code_signs_up: signsUp, code_locale: locale, code_by_sms: bySms } = read
  return { outcome, userId, signsUp: signsUp ?? false, locale, bySms: bySms ?? false, facts: person }
}

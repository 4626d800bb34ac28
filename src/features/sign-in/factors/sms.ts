import { randomInt } from 'node:crypto'
import { keyedHash, sameHash } from '../../../platform/crypto/tokens.ts'
import { record } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import type { Platform } from '../../../platform/platform.ts'
import { claimSms } from '../../../platform/sms/limits.ts'
import { queueSms } from '../../../platform/sms/outbox.ts'
import { maskPhone, requirePhone } from '../../../platform/sms/phone.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { loginErrors } from '../../access/login/login.ts'
import { aboutUser, assertMethodAllowed, lacksFactor, mfaHashes } from '../../access/mfa/mfa.ts'
import { voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import { getUser, getUserForUpdate } from '../../directory/users/users.ts'
import { otpSettings, toSmsLimits } from '../otp/otp.ts'
import { enrolledMail, factorSms, removedMail } from './emails.ts'
import { getFactorUser } from './enrollment.ts'
import { enrollmentCodeInvalid, factorErrors } from './errors.ts'
import { factorEvents } from './events.ts'
import { claimPendingPhone, confirmPhone, insertPendingPhone } from './phone-store.ts'
import { removePhone } from './removal.ts'
import { endSessions, reasons, type SessionsToEnd } from './sessions-end.ts'
import { findFactors, updateMfaEnrolled } from './store.ts'

const PENDING_SECONDS = 600

/** Makes a code of six digits, and the hash that is stored. */
export function makeSmsCode(platform: Platform, id: string): { code: string; hash: Buffer } {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  return { code, hash: hashSmsCode(platform, id, code) }
}

export function hashSmsCode(platform: Platform, id: string, code: string): Buffer {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'sms', id, code)
}

/**
 * Checks that a code may be sent to a phone now, and counts the message against every limit. Throws `invalid_request`
 * for an invalid number, `method_disabled` if this deployment cannot send text messages, and `rate_limited`.
 */
export async function claimFactorSms(work: Work, text: string): Promise<string> {
  const phone = await requirePhone(text)
  const settings = await otpSettings(work)
  if (!(await claimSms(work, toSmsLimits(settings), phone)))
    throw loginErrors.methodDisabled({
      detail:
        'No message can be sent to this number. Either no SMS provider is configured, the number is not a mobile number, its country is not allowed, or the daily limit is reached.',
    })
  return phone.e164
}

/**
 * Sends a code to a phone that is being enrolled as a second factor. Throws `user_not_found`, `verification_required`,
 * `already_enrolled`, and what `admitFactorPhone` throws.
 */
export async function beginPhone(work: Work, userId: string, text: string) {
  const { platform, directory, db } = work
  const user = await getFactorUser(work, userId)
  await assertMethodAllowed(work, 'sms')
  const factors = await findFactors(db, directory, user.id)
  if (factors.phone_confirmed_at) throw factorErrors.alreadyEnrolled()
  const phone = await claimFactorSms(work, text)
  const id = newId()
  const { code, hash } = makeSmsCode(platform, id)
  const expiresAt = await inTx(work, async (work) => {
    const row = { userId: user.id, id, phone, codeHash: hash, ttlSeconds: PENDING_SECONDS }
    const made = await insertPendingPhone(work.db, directory, row)
    if (!made) throw factorErrors.alreadyEnrolled()
    await queueSms(work, factorSms({ phone, locale: user.locale }, code, PENDING_SECONDS), PENDING_SECONDS)
    return made
  })
  return { deliveryHint: maskPhone(phone), expiresAt }
}

/**
 * Confirms the phone with the code that was sent, after counting the attempt, and ends pending sign-ins. Throws
 * `user_not_found`, `verification_required`, `method_disabled`, `enrollment_not_found`, `mfa_code_invalid`.
 */
export async function confirmPhoneOf(work: Work, userId: string, code: string, ends: SessionsToEnd): Promise<void> {
  const { platform } = work
  const user = await getFactorUser(work, userId)
  await assertMethodAllowed(work, 'sms')
  const pending = await claimPendingPhone(platform.db, work.directory, user.id)
  if (!pending) throw factorErrors.enrollmentNotFound()
  if (!sameHash(pending.code_hash, hashSmsCode(platform, pending.id, code.replaceAll(/\s/g, ''))))
    throw enrollmentCodeInvalid()
  await inTx(work, async (work) => {
    const { directory, db } = work
    const current = await getUserForUpdate(work, user.id)
    if (!(await confirmPhone(db, directory, user.id, pending.id))) throw factorErrors.enrollmentNotFound()
    await updateMfaEnrolled(db, directory, user.id)
    await queueMail(work, enrolledMail(current, 'phone'), NOTICE_USEFUL_SECONDS)
    await record(work, factorEvents.enrolled(aboutUser(user.id, { method: 'sms' })))
    await endSessions(work, user.id, ends, reasons.mfa_enrolled)
    await voidPendingSignIns(work, current, reasons.mfa_enrolled)
  })
}

/**
 * Removes the phone, with trusted devices and pending sign-ins. Throws `user_not_found`, `enrollment_not_found`.
 * @returns whether the policy still requires a factor of the user.
 */
export async function removePhoneOf(work: Work, userId: string, ends: SessionsToEnd): Promise<boolean> {
  return inTx(work, async (work) => {
    const user = await getUserForUpdate(work, userId)
    if (!(await removePhone(work, user))) throw factorErrors.enrollmentNotFound()
    await queueMail(work, removedMail(user, 'phone', 'act'), NOTICE_USEFUL_SECONDS)
    await record(work, factorEvents.removed(aboutUser(user.id, { method: 'sms' })))
    await endSessions(work, user.id, ends, reasons.mfa_removed)
    return lacksFactor(work, await getUser(work, user.id))
  })
}

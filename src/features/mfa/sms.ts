import { randomInt } from 'node:crypto'
import { keyedHash, sameHash } from '../../platform/crypto/tokens.ts'
import { record } from '../../platform/events.ts'
import { newId } from '../../platform/ids.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import type { Platform } from '../../platform/platform.ts'
import { queueSms } from '../../platform/sms/outbox.ts'
import { maskPhone } from '../../platform/sms/phone.ts'
import { inTx, type Work } from '../../platform/work.ts'
import {
  claimPendingPhone,
  confirmPhone,
  findFactors,
  insertPendingPhone,
  lockOwner,
  noteEnrolled,
  removePhone,
} from '../factors/factors.ts'
import { admitPhone, otpSettings, requirePhone } from '../otp/otp.ts'
import { getUser } from '../users/users.ts'
import { enrolledMail, removedMail } from './emails.ts'
import { assertMethodAllowed, getFactorUser, mfaEvent } from './enrollment.ts'
import { enrollmentCodeInvalid, mfaErrors } from './errors.ts'
import { lacksFactor, policyOf } from './policy.ts'

const PENDING_SECONDS = 600

/** Six digits, and what is stored of them. */
export function makeSmsCode(platform: Platform, id: string): { code: string; hash: Buffer } {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  return { code, hash: hashSmsCode(platform, id, code) }
}

export function hashSmsCode(platform: Platform, id: string, code: string): Buffer {
  return keyedHash(platform.keyring.hashKey('mfa'), 'sms', id, code)
}

export function smsText(code: string, ttlSeconds: number): string {
  return `${code} is your code. It works for ${Math.round(ttlSeconds / 60)} minutes. Tell it to nobody.`
}

/**
 * Whether a code may be sent to a phone now, counted against every limit. Throws `invalid_request` for what is no phone,
 * `method_disabled` where no message can go there, `rate_limited`.
 */
export async function admitFactorPhone(work: Work, text: string): Promise<string> {
  const phone = requirePhone(text)
  const settings = await otpSettings(work)
  if (!(await admitPhone(work, settings, phone)))
    throw mfaErrors.methodDisabled({
      detail:
        'No message can be sent there: no provider, no mobile number, a country that is not allowed, or a day’s limit.',
    })
  return phone.e164
}

/**
 * Sends a code to a phone that is to be the second factor. Throws `user_not_found`, `verification_required`,
 * `already_enrolled`, and what admitFactorPhone throws.
 */
export async function beginPhone(work: Work, userId: string, text: string) {
  const { platform, directory, db } = work
  const user = await getFactorUser(work, userId)
  await assertMethodAllowed(work, 'sms')
  const factors = await findFactors(db, directory, user.id)
  if (factors.phone_confirmed_at) throw mfaErrors.alreadyEnrolled()
  const phone = await admitFactorPhone(work, text)
  const id = newId()
  const { code, hash } = makeSmsCode(platform, id)
  const expiresAt = await inTx(work, async (work) => {
    const row = { userId: user.id, id, phone, codeHash: hash, ttlSeconds: PENDING_SECONDS }
    const made = await insertPendingPhone(work.db, directory, row)
    if (!made) throw mfaErrors.alreadyEnrolled()
    const sms = { kind: 'mfa_code', to: phone, text: smsText(code, PENDING_SECONDS) }
    await queueSms(work, sms, PENDING_SECONDS)
    return made
  })
  return { deliveryHint: maskPhone(phone), expiresAt }
}

/**
 * Confirms the phone by the code that was sent; the try is counted before. Throws `user_not_found`,
 * `verification_required`, `method_disabled`, `enrollment_not_found`, `mfa_code_invalid`.
 */
export async function confirmPhoneOf(work: Work, userId: string, code: string): Promise<void> {
  const { platform } = work
  const user = await getFactorUser(work, userId)
  await assertMethodAllowed(work, 'sms')
  const pending = await claimPendingPhone(platform.db, work.directory, user.id)
  if (!pending) throw mfaErrors.enrollmentNotFound()
  if (!sameHash(pending.code_hash, hashSmsCode(platform, pending.id, code.replaceAll(/\s/g, ''))))
    throw enrollmentCodeInvalid()
  await inTx(work, async (work) => {
    const { directory, db } = work
    await lockOwner(db, directory, user.id)
    const current = await getUser(work, user.id)
    if (!(await confirmPhone(db, directory, user.id, pending.id))) throw mfaErrors.enrollmentNotFound()
    await noteEnrolled(db, directory, user.id)
    await queueMail(work, enrolledMail(current.email, 'phone'), NOTICE_USEFUL_SECONDS)
    await record(work, mfaEvent('mfa.enrolled', user.id, { method: 'sms' }))
  })
}

/**
 * Takes the phone away, with trusted devices and challenges. Returns whether the policy still requires a factor of the
 * user. Throws `user_not_found`, `enrollment_not_found`.
 */
export async function removePhoneOf(work: Work, userId: string): Promise<boolean> {
  return inTx(work, async (work) => {
    const user = await getUser(work, userId)
    if (!(await removePhone(work, user.id))) throw mfaErrors.enrollmentNotFound()
    await queueMail(work, removedMail(user.email, 'phone'), NOTICE_USEFUL_SECONDS)
    await record(work, mfaEvent('mfa.removed', user.id, { method: 'sms' }))
    return lacksFactor(await policyOf(work), await getUser(work, user.id))
  })
}

import { record } from '../../../platform/events/events.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { brandOf } from '../../../platform/mail/brand.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { aboutUser, assertMethodAllowed, lacksFactor } from '../../access/mfa/mfa.ts'
import { voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import { getUser, getUserForUpdate, type HeldUser, type UserRow, userErrors } from '../../directory/users/users.ts'
import type { TotpRow } from '../challenges/challenges.ts'
import { hashBackupCodes, makeBackupCodes } from './backup-codes.ts'
import { enrolledMail, removedMail } from './emails.ts'
import { enrollmentCodeInvalid, factorErrors } from './errors.ts'
import { factorEvents } from './events.ts'
import { removeTotp } from './removal.ts'
import { endSessions, reasons, type SessionsToEnd } from './sessions-end.ts'
import {
  claimPendingTotp,
  confirmTotp,
  findFactors,
  insertPendingTotp,
  replaceBackupCodes,
  updateMfaEnrolled,
} from './store.ts'
import { makeTotpSecret, matchStep, otpauthUrl } from './totp.ts'
import { openTotpSecret, sealTotpSecret } from './totp-secret.ts'

const PENDING_SECONDS = 600

/**
 * Returns the user who enrolls a factor. Throws `user_not_found`, `verification_required` for a pending
 * sign-up.
 */
export async function getFactorUser(work: Work, userId: string): Promise<UserRow> {
  const user = await getUser(work, userId)
  if (user.pending_until)
    throw userErrors.verificationRequired({
      detail: 'The user must prove the mailbox before a second factor can be enrolled.',
    })
  return user
}

/** Reads the user's factors and the number of remaining backup codes. */
export function readEnrollment({ db, directory }: Work, userId: string) {
  return findFactors(db, directory, userId)
}

export interface PendingTotp {
  pendingId: string
  secret: string
  otpauthUrl: string
  /** A PNG of the QR code as a data URL. */
  qrDataUrl: string
  expiresAt: Date
}

/**
 * Starts enrolling an authenticator app, replacing a pending enrollment. The secret is shown only once.
 * Throws `user_not_found`, `verification_required`, `method_disabled`, `already_enrolled`.
 */
export async function beginTotp(work: Work, userId: string): Promise<PendingTotp> {
  const { directory, db } = work
  const user = await getFactorUser(work, userId)
  await assertMethodAllowed(work, 'totp')
  const pendingId = newId()
  const secret = makeTotpSecret()
  const expiresAt = await insertPendingTotp(db, directory, {
    userId: user.id,
    id: pendingId,
    secretSealed: await sealTotpSecret(work, pendingId, secret),
    ttlSeconds: PENDING_SECONDS,
  })
  if (!expiresAt) throw factorErrors.alreadyEnrolled()
  const { name } = await brandOf(work)
  const url = otpauthUrl(secret, name, user.email)
  // Loaded at the first enrollment, because the library needs much memory.
  const { toDataURL } = await import('qrcode')
  return { pendingId, secret, otpauthUrl: url, qrDataUrl: await toDataURL(url), expiresAt }
}

/** Returns the time step of the code, or null if the code is wrong. */
export async function matchCode(work: Work, totp: TotpRow, code: string): Promise<number | null> {
  const secret = await openTotpSecret(work, totp)
  return matchStep(secret, code, totp.now_seconds, totp.last_step)
}

/** The first code of a pending enrollment. */
export interface FirstCode {
  userId: string
  pendingId: string
  code: string
}

/** An enrollment whose code was right, ready to be stored. */
type ProvenTotp = Awaited<ReturnType<typeof proveTotp>>

/**
 * Checks the first code of a pending enrollment, after counting the attempt. Writes nothing else, because hashing the
 * backup codes takes time and must not hold a transaction open. Throws `user_not_found`, `verification_required`,
 * `method_disabled`, `already_enrolled`, `enrollment_not_found`, `mfa_code_invalid`, `unavailable`.
 */
export async function proveTotp(work: Work, sent: FirstCode) {
  const { platform, directory, db } = work
  const user = await getFactorUser(work, sent.userId)
  await assertMethodAllowed(work, 'totp')
  const pendingId = sent.pendingId.toLowerCase()
  const pending = isId(pendingId) ? await claimPendingTotp(platform.db, directory, user.id, pendingId) : null
  if (!pending) {
    const { totp_confirmed_at } = await findFactors(db, directory, user.id)
    throw totp_confirmed_at ? factorErrors.alreadyEnrolled() : factorErrors.enrollmentNotFound()
  }
  const step = await matchCode(work, pending, sent.code)
  if (step === null) throw enrollmentCodeInvalid({ detail: 'The code differs from the code that the app shows now.' })
  const backupCodes = makeBackupCodes()
  return { user, pendingId, step, backupCodes, hashed: await hashBackupCodes(work, user.id, backupCodes) }
}

/**
 * Confirms the enrollment. Throws `enrollment_not_found` if another request confirmed it first, and `user_not_found`.
 * The caller must end the user's pending sign-ins, which began with one factor.
 */
export async function saveTotp(work: TxWork, proven: ProvenTotp): Promise<HeldUser> {
  const { directory, db } = work
  const { user, pendingId, step, hashed } = proven
  // Read again, because the user may have changed while the codes were hashed.
  const current = await getUserForUpdate(work, user.id)
  if (!(await confirmTotp(db, directory, { userId: user.id, id: pendingId, step })))
    throw factorErrors.enrollmentNotFound()
  await replaceBackupCodes(db, directory, user.id, hashed)
  await updateMfaEnrolled(db, directory, user.id)
  await queueMail(work, enrolledMail(current, 'app'), NOTICE_USEFUL_SECONDS)
  await record(work, factorEvents.enrolled(aboutUser(user.id, { method: 'totp' })))
  return current
}

/**
 * Removes the app, with the backup codes, trusted devices and pending sign-ins. Throws `user_not_found`,
 * `enrollment_not_found`. Returns whether the policy still requires a factor of the user.
 */
export async function removeTotpOf(work: Work, userId: string, ends: SessionsToEnd): Promise<boolean> {
  return inTx(work, async (work) => {
    const user = await getUserForUpdate(work, userId)
    if (!(await removeTotp(work, user))) throw factorErrors.enrollmentNotFound()
    await queueMail(work, removedMail(user, 'app', 'act'), NOTICE_USEFUL_SECONDS)
    await record(work, factorEvents.removed(aboutUser(user.id, { method: 'totp' })))
    await endSessions(work, user.id, ends, reasons.mfa_removed)
    return lacksFactor(work, await getUser(work, user.id))
  })
}

/** Makes and hashes ten fresh backup codes. Throws `user_not_found`, `enrollment_not_found`, `unavailable`. */
export async function prepareBackupCodes(work: Work, userId: string) {
  const user = await getFactorUser(work, userId)
  const codes = makeBackupCodes()
  await assertEnrolled(work, user.id)
  return { userId: user.id, codes, hashed: await hashBackupCodes(work, user.id, codes) }
}

/** Replaces all backup codes, and ends pending sign-ins. Throws `user_not_found`, `enrollment_not_found`. */
export async function renewBackupCodes(
  work: Work,
  { userId, codes, hashed }: Awaited<ReturnType<typeof prepareBackupCodes>>,
  ends: SessionsToEnd,
): Promise<string[]> {
  await inTx(work, async (work) => {
    const held = await getUserForUpdate(work, userId)
    await assertEnrolled(work, userId)
    await replaceBackupCodes(work.db, work.directory, userId, hashed)
    await record(work, factorEvents.backupCodesRegenerated(aboutUser(userId, { codes: codes.length })))
    await endSessions(work, userId, ends, reasons.mfa_codes_renewed)
    await voidPendingSignIns(work, held, reasons.mfa_codes_renewed)
  })
  return codes
}

async function assertEnrolled({ directory, db }: Work, userId: string): Promise<void> {
  const { totp_confirmed_at } = await findFactors(db, directory, userId)
  if (!totp_confirmed_at) throw factorErrors.enrollmentNotFound()
}

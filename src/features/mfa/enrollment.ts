import { toDataURL } from 'qrcode'
import type { Tx } from '../../platform/db/pool.ts'
import { record } from '../../platform/events.ts'
import { isId, newId } from '../../platform/ids.ts'
import { brandOf } from '../../platform/mail/brand.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import {
  claimPendingTotp,
  confirmTotp,
  findFactors,
  hashBackupCodes,
  insertPendingTotp,
  lockOwner,
  makeBackupCodes,
  makeTotpSecret,
  matchStep,
  noteEnrolled,
  otpauthUrl,
  removeTotp,
  replaceBackupCodes,
  type TotpRow,
} from '../factors/factors.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { findUserById, getUser, type UserRow, userErrors } from '../users/users.ts'
import type { MfaContext } from './demand.ts'
import { enrolledMail, removedMail } from './emails.ts'
import { enrollmentCodeInvalid, mfaErrors } from './errors.ts'
import { lacksFactor, policyOf } from './policy.ts'
import type { MfaMethod } from './schema.ts'

const PENDING_SECONDS = 600

/** The user a factor is for. Throws `user_not_found`, `verification_required` for a sign-up without its proof. */
export async function getFactorUser({ platform, directory }: MfaContext, userId: string): Promise<UserRow> {
  const user = await getUser(platform.db, directory, userId)
  if (user.pending_until) throw mfaErrors.verificationRequired()
  return user
}

/** Throws `method_disabled` where the policy does not allow a method. */
export async function assertMethodAllowed({ platform, directory }: MfaContext, method: MfaMethod): Promise<void> {
  const { allowed_methods } = await policyOf(platform, directory)
  if (!allowed_methods.includes(method))
    throw mfaErrors.methodDisabled({ detail: `allowed_methods of the MFA policy has no ${method}.` })
}

/** What the user has, and what is left of the backup codes. Throws `user_not_found`. */
export async function readEnrollment({ platform, directory }: MfaContext, userId: string) {
  const user = await getUser(platform.db, directory, userId)
  return findFactors(platform.db, directory, user.id)
}

export interface PendingTotp {
  pendingId: string
  secret: string
  otpauthUrl: string
  /** A PNG of it as a data URL. */
  qrDataUrl: string
  expiresAt: Date
}

/**
 * Begins to enroll an authenticator app, in place of one that was begun. The secret is shown this once.
 * Throws `user_not_found`, `verification_required`, `method_disabled`, `already_enrolled`.
 */
export async function beginTotp(context: MfaContext, userId: string): Promise<PendingTotp> {
  const { platform, directory } = context
  const user = await getFactorUser(context, userId)
  await assertMethodAllowed(context, 'totp')
  const pendingId = newId()
  const secret = makeTotpSecret()
  const expiresAt = await insertPendingTotp(platform.db, directory, {
    userId: user.id,
    id: pendingId,
    secretSealed: await platform.keyring.seal(secretPlace(context, pendingId), secret),
    ttlSeconds: PENDING_SECONDS,
  })
  if (!expiresAt) throw mfaErrors.alreadyEnrolled()
  const { name } = await brandOf(platform, directory)
  const url = otpauthUrl(secret, name, user.email)
  return { pendingId, secret, otpauthUrl: url, qrDataUrl: await toDataURL(url), expiresAt }
}

/** The same row in whichever directory the user is: factors move with them. */
function secretPlace({ directory }: MfaContext, id: string) {
  return { table: 'totp_enrollments', column: 'secret_sealed', row: id, accountId: directory.accountId }
}

/** The step whose code this is, or null. */
export async function matchCode(context: MfaContext, totp: TotpRow, code: string): Promise<number | null> {
  const secret = await context.platform.keyring.open(secretPlace(context, totp.id), totp.secret_sealed)
  return matchStep(secret, code, totp.now_seconds, totp.last_step)
}

/** An enrollment whose code was right, ready to be written. */
export interface ProvenTotp {
  user: UserRow
  pendingId: string
  step: number
  backupCodes: string[]
  hashed: Awaited<ReturnType<typeof hashBackupCodes>>
}

/**
 * Judges the first code of a pending enrollment; the try is counted before. Writes nothing else, for hashing the backup
 * codes takes a while. Throws `user_not_found`, `verification_required`, `method_disabled`, `already_enrolled`,
 * `enrollment_not_found`, `mfa_code_invalid`, `unavailable`.
 */
export async function proveTotp(
  context: MfaContext,
  sent: { userId: string; pendingId: string; code: string },
): Promise<ProvenTotp> {
  const { platform, directory } = context
  const user = await getFactorUser(context, sent.userId)
  await assertMethodAllowed(context, 'totp')
  const pendingId = sent.pendingId.toLowerCase()
  const pending = isId(pendingId) ? await claimPendingTotp(platform.db, directory, user.id, pendingId) : null
  if (!pending) {
    const { totp_confirmed_at } = await findFactors(platform.db, directory, user.id)
    throw totp_confirmed_at ? mfaErrors.alreadyEnrolled() : mfaErrors.enrollmentNotFound()
  }
  const step = await matchCode(context, pending, sent.code)
  if (step === null) throw enrollmentCodeInvalid({ detail: 'The code is not the one that the app shows now.' })
  const backupCodes = makeBackupCodes()
  return { user, pendingId, step, backupCodes, hashed: await hashBackupCodes(platform, user.id, backupCodes) }
}

/** Confirms the enrollment. Throws `enrollment_not_found` when another request did, `user_not_found`. */
export async function saveTotp(tx: Tx, context: MfaContext, proven: ProvenTotp): Promise<void> {
  const { platform, directory, origin } = context
  const { user, pendingId, step, hashed } = proven
  await lockOwner(tx, directory, user.id)
  // Read again: the hashes took a while.
  const current = await findUserById(tx, directory, user.id)
  if (!current) throw userErrors.notFound()
  if (!(await confirmTotp(tx, directory, { userId: user.id, id: pendingId, step })))
    throw mfaErrors.enrollmentNotFound()
  await replaceBackupCodes(tx, directory, user.id, hashed)
  await noteEnrolled(tx, directory, user.id)
  await queueMail(tx, platform, directory, enrolledMail(current.email, 'app'), NOTICE_USEFUL_SECONDS)
  await record(tx, directory, origin, mfaEvent('mfa.enrolled', user.id, { method: 'totp' }))
}

export function mfaEvent(type: string, userId: string, data: Record<string, unknown>) {
  return { type, target: { type: 'user', id: userId }, data: { directory_user_id: userId, ...data } }
}

/**
 * Takes the app away, with the backup codes, trusted devices and challenges. Returns whether the policy still requires
 * a factor of the user. Throws `user_not_found`, `enrollment_not_found`.
 */
export async function removeTotpOf(context: MfaContext, userId: string, revokeSessions: boolean): Promise<boolean> {
  const { platform, directory, origin } = context
  return platform.tx(async (tx) => {
    const user = await getUser(tx, directory, userId)
    if (!(await removeTotp(tx, directory, user.id))) throw mfaErrors.enrollmentNotFound()
    await queueMail(tx, platform, directory, removedMail(user.email, 'app'), NOTICE_USEFUL_SECONDS)
    await record(tx, directory, origin, mfaEvent('mfa.removed', user.id, { method: 'totp' }))
    if (revokeSessions) await revokeUserSessions(tx, directory, origin, user.id, 'mfa_removed')
    return lacksFactor(await policyOf(platform, directory), await getUser(tx, directory, user.id))
  })
}

/**
 * Ten fresh backup codes in place of all that there were. Throws `user_not_found`, `enrollment_not_found`,
 * `unavailable`.
 */
export async function renewBackupCodes(context: MfaContext, userId: string): Promise<string[]> {
  const { platform, directory, origin } = context
  const user = await getFactorUser(context, userId)
  const codes = makeBackupCodes()
  const assertEnrolled = async (db: Tx | typeof platform.db) => {
    const { totp_confirmed_at } = await findFactors(db, directory, user.id)
    if (!totp_confirmed_at) throw mfaErrors.enrollmentNotFound()
  }
  await assertEnrolled(platform.db)
  const hashed = await hashBackupCodes(platform, user.id, codes)
  await platform.tx(async (tx) => {
    await lockOwner(tx, directory, user.id)
    await assertEnrolled(tx)
    await replaceBackupCodes(tx, directory, user.id, hashed)
    await record(tx, directory, origin, mfaEvent('mfa.backup_codes.regenerated', user.id, { codes: codes.length }))
  })
  return codes
}

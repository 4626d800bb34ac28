import type { TxWork } from '../../platform/work.ts'
import { voidChallenges } from '../challenges/challenges.ts'
import { forgetDevices } from '../mfa/mfa.ts'
import { deletePhone } from './phone-store.ts'
import { deleteBackupCodes, deletePending, deleteTotp, updateMfaEnrolled } from './store.ts'

/**
 * Removes the authenticator app with its backup codes and the trusted devices. The caller holds the user's row. Returns
 * false when there was none.
 */
export async function removeTotp(work: TxWork, userId: string): Promise<boolean> {
  const { directory, db } = work
  const wasEnrolled = await deleteTotp(db, directory, userId)
  await deleteBackupCodes(db, directory, userId)
  await finishFactorRemoval(work, userId)
  return wasEnrolled
}

/** Removes the phone and the trusted devices, of a user whose row the caller holds. Returns false when there was none. */
export async function removePhone(work: TxWork, userId: string): Promise<boolean> {
  const { directory, db } = work
  const wasEnrolled = await deletePhone(db, directory, userId)
  await finishFactorRemoval(work, userId)
  return wasEnrolled
}

async function finishFactorRemoval(work: TxWork, userId: string): Promise<void> {
  const { directory, db } = work
  await forgetDevices(db, directory, userId)
  await deletePending(db, directory, userId)
  await voidChallenges(db, directory, userId)
  await updateMfaEnrolled(db, directory, userId)
}

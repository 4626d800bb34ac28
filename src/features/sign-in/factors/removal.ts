import type { TxWork } from '../../../platform/work.ts'
import { forgetDevices } from '../../access/mfa/mfa.ts'
import { voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import type { HeldUser } from '../../directory/users/users.ts'
import { deletePhone } from './phone-store.ts'
import { reasons } from './sessions-end.ts'
import { deleteBackupCodes, deleteTotp, updateMfaEnrolled } from './store.ts'

/**
 * Removes the authenticator app with its backup codes and the trusted devices, and ends pending sign-ins. Returns
 * false if there was no app.
 */
export async function removeTotp(work: TxWork, user: HeldUser): Promise<boolean> {
  const { directory, db } = work
  const wasEnrolled = await deleteTotp(db, directory, user.id)
  await deleteBackupCodes(db, directory, user.id)
  await finishFactorRemoval(work, user)
  return wasEnrolled
}

/** Removes the phone and the trusted devices, and ends pending sign-ins. Returns false if there was no phone. */
export async function removePhone(work: TxWork, user: HeldUser): Promise<boolean> {
  const { directory, db } = work
  const wasEnrolled = await deletePhone(db, directory, user.id)
  await finishFactorRemoval(work, user)
  return wasEnrolled
}

async function finishFactorRemoval(work: TxWork, user: HeldUser): Promise<void> {
  const { directory, db } = work
  await forgetDevices(db, directory, user.id)
  await updateMfaEnrolled(db, directory, user.id)
  await voidPendingSignIns(work, user, reasons.mfa_removed)
}

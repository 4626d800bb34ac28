import type { TxWork } from '../../platform/work.ts'
import { voidChallenges } from './challenges.ts'
import { forgetDevices } from './devices.ts'
import { deleteBackupCodes, deletePhone, deleteTotp, updateMfaEnrolled } from './store.ts'

export { hashBackupCodes, makeBackupCodes, readBackupCode, verifyBackupCode } from './backup-codes.ts'
export {
  type ChallengeRow,
  challengeProof,
  claimChallengeTry,
  findChallenge,
  type MadeChallenge,
  newChallenge,
  setChallengeSms,
} from './challenges.ts'
export {
  type DeviceRow,
  forgetDevice,
  isDeviceTrusted,
  listDevices,
  trustDevice,
  useDevice,
} from './devices.ts'
export { factorHashes } from './hash-purpose.ts'
export {
  claimPendingPhone,
  claimPendingTotp,
  confirmPhone,
  confirmTotp,
  consumeBackupCode,
  consumeTotpStep,
  findBackupCode,
  findFactors,
  insertPendingPhone,
  insertPendingTotp,
  replaceBackupCodes,
  type TotpRow,
  updateMfaEnrolled,
} from './store.ts'
export { makeTotpSecret, matchStep, otpauthUrl } from './totp.ts'

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
  await forgetDevices(work, userId)
  await voidChallenges(work, userId)
  await updateMfaEnrolled(work.db, work.directory, userId)
}

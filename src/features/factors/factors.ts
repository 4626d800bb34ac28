import { identities } from '../../platform/crypto/identity.ts'
import { keyedHash } from '../../platform/crypto/tokens.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import type { TxWork } from '../../platform/work.ts'
import { voidChallenges } from './challenges.ts'
import { forgetDevices } from './devices.ts'
import {
  deleteBackupCodes,
  deletePhone,
  deleteTotp,
  lockFactorOwner,
  moveFactorRows,
  moveGrace,
  updateMfaEnrolled,
} from './store.ts'

export { hashBackupCodes, makeBackupCodes, readBackupCode, verifyBackupCode } from './backup-codes.ts'
export {
  type ChallengeRow,
  claimChallengeTry,
  consumeChallenge,
  findChallenge,
  setChallengeSms,
  startChallenge,
  voidChallenges,
} from './challenges.ts'
export {
  type DeviceRow,
  forgetDevice,
  forgetDevices,
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
  lockFactorOwner,
  removeGrace,
  replaceBackupCodes,
  type TotpRow,
  updateMfaEnrolled,
} from './store.ts'
export { makeTotpSecret, matchStep, otpauthUrl } from './totp.ts'

/** Removes the authenticator app with its backup codes and the trusted devices. Returns false when there was none. */
export async function removeTotp(work: TxWork, userId: string): Promise<boolean> {
  const { directory, db } = work
  await lockFactorOwner(db, directory, userId)
  const wasEnrolled = await deleteTotp(db, directory, userId)
  await deleteBackupCodes(db, directory, userId)
  await finishFactorRemoval(work, userId)
  return wasEnrolled
}

/** Removes the phone and the trusted devices. Returns false when there was none. */
export async function removePhone(work: TxWork, userId: string): Promise<boolean> {
  const { directory, db } = work
  await lockFactorOwner(db, directory, userId)
  const wasEnrolled = await deletePhone(db, directory, userId)
  await finishFactorRemoval(work, userId)
  return wasEnrolled
}

/** Removes every factor of a user, including pending ones. */
export async function removeFactors(work: TxWork, userId: string): Promise<void> {
  await removeTotp(work, userId)
  await removePhone(work, userId)
}

async function finishFactorRemoval(work: TxWork, userId: string): Promise<void> {
  await forgetDevices(work, userId)
  await voidChallenges(work, userId)
  await updateMfaEnrolled(work.db, work.directory, userId)
}

/**
 * Takes the factors along when a user moves to another directory, and the time to enroll one; devices and challenges
 * stay behind and end.
 */
export async function moveFactors(work: TxWork, to: Directory, userId: string): Promise<void> {
  const move = { from: work.directory, to, userId }
  await moveFactorRows(work.db, move)
  await moveGrace(work.db, move)
  await forgetDevices(work, userId)
  await voidChallenges(work, userId)
}

/**
 * The identity under which a user's wrong codes are counted. Not the address: a right password resets the failures of
 * the address, so someone who knows the password could guess codes forever.
 */
export function factorIdentity(platform: Platform, userId: string): Buffer {
  return keyedHash(platform.keyring.hashKey(identities), 'second-factor', userId)
}

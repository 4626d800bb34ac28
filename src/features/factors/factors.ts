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
  lockOwner,
  moveFactorRows,
  moveGrace,
  noteEnrolled,
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
export {
  burnTotpStep,
  claimPendingPhone,
  claimPendingTotp,
  confirmPhone,
  confirmTotp,
  findBackupCode,
  findFactors,
  insertPendingPhone,
  insertPendingTotp,
  lockOwner,
  noteEnrolled,
  removeGrace,
  replaceBackupCodes,
  spendBackupCode,
  type TotpRow,
} from './store.ts'
export { makeTotpSecret, matchStep, otpauthUrl } from './totp.ts'

/** Takes the authenticator app away, and with it the backup codes and trusted devices. False: there was none. */
export async function removeTotp(work: TxWork, userId: string): Promise<boolean> {
  const { directory, db } = work
  await lockOwner(db, directory, userId)
  const wasEnrolled = await deleteTotp(db, directory, userId)
  await deleteBackupCodes(db, directory, userId)
  await endWhatStoodForFactors(work, userId)
  return wasEnrolled
}

/** Takes the phone away, and with it the trusted devices. False: there was none. */
export async function removePhone(work: TxWork, userId: string): Promise<boolean> {
  const { directory, db } = work
  await lockOwner(db, directory, userId)
  const wasEnrolled = await deletePhone(db, directory, userId)
  await endWhatStoodForFactors(work, userId)
  return wasEnrolled
}

/** Takes every factor of a user away, and what was begun with it. */
export async function removeFactors(work: TxWork, userId: string): Promise<void> {
  await removeTotp(work, userId)
  await removePhone(work, userId)
}

async function endWhatStoodForFactors(work: TxWork, userId: string): Promise<void> {
  await forgetDevices(work, userId)
  await voidChallenges(work, userId)
  await noteEnrolled(work.db, work.directory, userId)
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
 * What wrong codes of a user are counted under. Not the address: a right password forgets the failures of that one, and
 * whoever has the password could go on guessing codes for ever.
 */
export function factorIdentity(platform: Platform, userId: string): Buffer {
  return keyedHash(platform.keyring.hashKey('identity'), 'second-factor', userId)
}

export { maySkipByDevice, methodsOf } from './demand.ts'
export { backupCodeUsedMail, challengesLockedMail } from './emails.ts'
export {
  beginTotp,
  matchCode,
  proveTotp,
  readEnrollment,
  removeTotpOf,
  renewBackupCodes,
  saveTotp,
} from './enrollment.ts'
export { enrollmentCodeInvalid, mfaErrors } from './errors.ts'
export { aboutDevice, aboutUser, mfaEvents } from './events.ts'
export { mfaGate } from './gate.ts'
export { policyOf, requiresOf } from './policy.ts'
export { FactorRemoval, FactorUserId, type MfaMethod } from './schema.ts'
export { admitFactorPhone, hashSmsCode, makeSmsCode, smsText } from './sms.ts'

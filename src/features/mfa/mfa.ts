export { type Demand, demandAtRefresh, demandFactor, maySkipByDevice, methodsOf } from './demand.ts'
export { backupCodeUsedMail, challengesLockedMail } from './emails.ts'
export {
  beginTotp,
  matchCode,
  mfaEvent,
  proveTotp,
  readEnrollment,
  removeTotpOf,
  renewBackupCodes,
  saveTotp,
} from './enrollment.ts'
export { enrollmentCodeInvalid, mfaErrors } from './errors.ts'
export { policyOf, requiresOf } from './policy.ts'
export { FactorUserId, type MfaMethod } from './schema.ts'
export { admitFactorPhone, hashSmsCode, makeSmsCode, smsText } from './sms.ts'

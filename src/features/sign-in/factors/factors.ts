export { confirmTotpOf, proveApp } from './confirmation.ts'
export { beginTotp, prepareBackupCodes, readEnrollment, removeTotpOf, renewBackupCodes } from './enrollment.ts'
export { enrollmentCodeInvalid, factorErrors } from './errors.ts'
export { factorEvents } from './events.ts'
export {
  BackupCodesReply,
  EnrollmentReply,
  FactorPhone,
  PendingPhone,
  PendingTotp,
  showPending,
  TotpCode,
  toEnrollment,
} from './schema.ts'
export { backupCodeFactor, smsFactor, totpFactor } from './second-factors.ts'
export { beginPhone, confirmPhoneOf, removePhoneOf } from './sms.ts'

export {
  type Attempt,
  accountLocked,
  claimAttempt,
  clearFailures,
  countEverywhere,
  failuresCleared,
  findLock,
  type LockoutPolicy,
  unlock,
} from './attempts.ts'
export { lockoutSettings } from './settings.ts'
export { unlockPurpose } from './unlock.ts'

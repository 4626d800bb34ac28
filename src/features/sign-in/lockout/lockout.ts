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
export { unlockByLinkEvents } from './events.ts'
export { lockGate } from './gate.ts'
export { lockoutSettings } from './settings.ts'
export { unlockByLink, unlockPurpose } from './unlock.ts'

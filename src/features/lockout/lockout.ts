export {
  type Attempt,
  accountLocked,
  claimAttempt,
  clearFailures,
  failuresCleared,
  findLock,
  unlock,
} from './attempts.ts'
export { unlockByLinkEvents } from './events.ts'
export { lockGate } from './gate.ts'
export { unlockByLink } from './unlock.ts'

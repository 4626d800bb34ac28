import type { Gate } from '../login/login.ts'
import { accountLocked, networksOf } from './attempts.ts'
import { lockedSeconds } from './store.ts'

/** After too many wrong passwords the address waits. Throws `account_locked`. */
export const lockGate: Gate = {
  lockedSeconds: ({ platform, directory, origin }, identity) =>
    lockedSeconds(directory, identity, networksOf(platform, origin.endUser.ip)),
  refuseAddress(_work, state) {
    if (state.locked_seconds !== null) throw accountLocked(state.locked_seconds)
  },
}

import type { Gate } from '../login/login.ts'
import { accountLocked, networksOf } from './attempts.ts'
import { lockedSecondsText } from './store.ts'

/** After too many wrong passwords the address waits. Throws `account_locked`. */
export const lockGate: Gate = {
  lock: {
    columns: { lock_networks: 'text[]' },
    values: ({ platform, origin }) => ({ lock_networks: networksOf(platform, origin.endUser.ip) }),
    seconds: (directory) =>
      lockedSecondsText({ directory, identity: 'asked.identity', networks: 'asked.lock_networks' }),
    secondsOfUser: `(case when users.locked_until > clock_now()
      then ceil(extract(epoch from users.locked_until - clock_now()))::int end)`,
  },
  refuseAddress(_work, state) {
    if (state.locked_seconds !== null) throw accountLocked(state.locked_seconds)
  },
}

import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Gate } from '../../access/login/login.ts'
import { accountLocked, networksOf } from './attempts.ts'
import { lockoutSettings } from './settings.ts'
import { lockedSecondsText } from './store.ts'

/**
 * Refuses every sign-in method while the address is locked, if `lockout_scope` is `all`. Otherwise only the methods
 * that can be guessed refuse, by themselves. Throws `account_locked`.
 */
export const lockGate: Gate = {
  lock: {
    columns: { lock_networks: 'text[]' },
    values: ({ platform, origin }) => ({ lock_networks: networksOf(platform, origin.endUser.ip) }),
    seconds: (directory) =>
      lockedSecondsText({ directory, identity: sqlText`asked.identity`, networks: sqlText`asked.lock_networks` }),
    secondsOfUser: sqlText`(case when users.locked_until > clock_now()
      then ceil(extract(epoch from users.locked_until - clock_now()))::int end)`,
  },
  async refuseAddress(work, state) {
    if (state.locked_seconds === null) return
    const { lockout_scope: scope } = await lockoutSettings.effective(work)
    if (scope === 'all') throw accountLocked(state.locked_seconds)
  },
}

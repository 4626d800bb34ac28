import { defineCondition, type UsedCondition } from '../../../platform/joined/proofs.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import { type RateState, rateLimited } from '../../../platform/limits/rate-limit.ts'
import type { Work } from '../../../platform/work.ts'
import { doorSettings } from './settings.ts'
import { findSignIns } from './store.ts'

const WINDOW_SECONDS = 60
// Subtracting two times is immutable. Subtracting an interval from a time is not, and Citus refuses that in a `case`
// of an update.
const windowOver = (at: SqlText) =>
  sqlText`(users.sign_ins_since is null or ${at} - users.sign_ins_since >= interval '${WINDOW_SECONDS} seconds')`

/**
 * Holds if the user may sign in once more within this minute. A correct proof beyond the limit is not used up. Wrong
 * proofs are counted elsewhere, so a stranger cannot use up a user's sign-ins.
 */
const signInsLeft = defineCondition({
  name: 'sign-ins-left',
  columns: { sign_in_limit: 'int' },
  holds: () => sqlText`(${windowOver(sqlText`clock_now()`)} or users.sign_ins < asked.sign_in_limit)`,
})

/** The columns that count a sign-in in an update of the user's row. `at` is the time of the sign-in. */
export const countedSignIn = (at: SqlText) => sqlText`
      sign_ins = case when ${windowOver(at)} then 1 else users.sign_ins + 1 end,
      sign_ins_since = case when ${windowOver(at)} then ${at} else users.sign_ins_since end`

/** The condition on the user's row for a sign-in that counts, that is, a sign-in with a first factor. */
export async function signInAllowance(work: Work): Promise<UsedCondition> {
  return signInsLeft({ sign_in_limit: (await doorSettings.effective(work)).sign_in_rate_limit_per_minute })
}

/** Whether a statement with these conditions counts a sign-in. */
export const countsSignIn = (conditions: { name: string }[]) => conditions.some(({ name }) => name === 'sign-ins-left')

/**
 * Called when the statement has created no session: throws `rate_limited` if the reason is that the user signs in too
 * often.
 */
export async function assertSignInsLeft(work: Work, userId: string): Promise<void> {
  const { sign_in_rate_limit_per_minute: limit } = await doorSettings.effective(work)
  const counted = await findSignIns(work.db, work.directory, { userId, windowSeconds: WINDOW_SECONDS })
  if (!counted || counted.sign_ins < limit) return
  const state: RateState = { limit, remaining: 0, resetSeconds: counted.reset, windowSeconds: WINDOW_SECONDS }
  throw rateLimited(state, 'sign_in.minute')
}

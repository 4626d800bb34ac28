import { type SqlText, sqlText } from '../joined/sql-text.ts'
/**
 * The cause of a lock: an administrator (locks every sign-in method) or wrong passwords. Null if the user is not
 * locked.
 */
export type UserLock = 'administrator' | 'failed_attempts' | null

/** SQL: whether an administrator's lock on a user is in effect. `users` and `at` name the row and the time. */
export function isAccessLockedText(users: SqlText, at: SqlText): SqlText {
  return sqlText`(${users}.access_locked_at is not null
    and (${users}.access_locked_until is null or ${users}.access_locked_until > ${at}))`
}

/** SQL: the `UserLock` of a user. An administrator's lock takes precedence. */
export function lockText(users: SqlText, at: SqlText): SqlText {
  return sqlText`case when ${isAccessLockedText(users, at)} then 'administrator'
    when ${users}.locked_until > ${at} then 'failed_attempts' end`
}

import { defineCondition, defineOutcome, type UsedCondition } from '../../../platform/joined/proofs.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'

/** The only statement that creates sessions. `select` must name a value for each column. */
// Foreign table sessions: sign-in is the one issuer of sessions.
const insertText = (select: SqlText) => sqlText`
    insert into sessions as session (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal, ip_address,
      user_agent, refresh_hash, trusted_device_id, authenticated_at, created_at, last_active_at, idle_expires_at,
      expires_at, user_epoch, organization_epoch, connection_id)
    ${select}
    returning session.id, session.auth_account_id, session.created_at, session.expires_at`

// Null if there is no such end, which `least` ignores.
const END = sqlText`ready.session_ends_at::timestamptz`

const endsLater = defineCondition({
  name: 'session-ends-later',
  columns: { session_over_at: 'text' },
  holds: () => sqlText`asked.session_over_at::timestamptz > clock_now()`,
})

/** The condition that the end which an identity provider sets for the session is in the future. */
export function sessionEndsLater(endsAt: Date | null): UsedCondition[] {
  return endsAt ? [endsLater({ session_over_at: endsAt.toISOString() })] : []
}

/** Creates the session that a proof pays for, and records that the user has signed in. */
export const sessionOutcome = defineOutcome<{ auth_account_id: string; created_at: Date; expires_at: Date }>()({
  name: 'session',
  columns: {
    auth_method: 'text',
    amr: 'text[]',
    aal: 'text',
    refresh_hash: 'bytea',
    trusted_device_id: 'uuid',
    idle_seconds: 'int',
    max_seconds: 'int',
    organization_epoch: 'int',
    session_ends_at: 'text',
    connection_id: 'uuid',
  },
  signsIn: true,
  write: (directory) =>
    insertText(sqlText`
    select ${directory}, ready.made_id, ready.environment_id, ready.user_id, signed_in.auth_account_id,
      ready.auth_method, ready.amr, ready.aal, ready.ip_address, ready.user_agent, ready.refresh_hash,
      ready.trusted_device_id, ready.at, ready.at, ready.at,
      least(ready.at + make_interval(secs => least(ready.idle_seconds, ready.max_seconds)), ${END}),
      least(ready.at + make_interval(secs => ready.max_seconds), ${END}), signed_in.session_epoch, ready.organization_epoch,
      ready.connection_id
    from ready join signed_in on signed_in.directory_id = ready.directory_id and signed_in.user_id = ready.user_id`),
  answers: () => sqlText`made.auth_account_id, made.created_at, made.expires_at`,
})

/** Creates an impersonation session, which does not count as a sign-in of the user. */
export const impersonationOutcome = defineOutcome<{ auth_account_id: string; created_at: Date; expires_at: Date }>()({
  name: 'acting-session',
  columns: { auth_method: 'text', refresh_hash: 'bytea', max_seconds: 'int', organization_epoch: 'int' },
  signsIn: false,
  write: (directory) =>
    insertText(sqlText`
    select ${directory}, ready.made_id, ready.environment_id, ready.user_id, users.auth_account_id,
      ready.auth_method, '{}', 'aal1', ready.ip_address, ready.user_agent, ready.refresh_hash, null, ready.at, ready.at,
      ready.at, ready.at + make_interval(secs => ready.max_seconds), ready.at + make_interval(secs => ready.max_seconds),
      users.session_epoch, ready.organization_epoch, null
    from ready join users on users.directory_id = ${directory} and users.id = ready.user_id`),
  answers: () => sqlText`made.auth_account_id, made.created_at, made.expires_at`,
})

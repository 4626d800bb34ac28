import { type RawBuilder, sql } from 'kysely'
import type { DB } from '../platform/db/schema.gen.ts'

/** For these devices, only the trust is removed. */
export const TRUSTED_DEVICES = 'trusted devices'

type Column<T extends keyof DB> = keyof DB[T] & string

/** How to refuse those secrets of a table that the lost transactions may have used, withdrawn or replaced. */
export interface Refusal {
  table: keyof DB
  /** The kind of rows, for the output of `recover`. */
  holds: string
  key: readonly string[]
  /** The rows with a still valid secret. False for rows that were refused. */
  where: RawBuilder<unknown>
  /** The new values of refused rows. If null, the rows are deleted. */
  set: RawBuilder<unknown> | null
}

function refuse<T extends keyof DB>(
  table: T,
  holds: string,
  how: { key?: Column<T>[]; where: RawBuilder<unknown>; set?: RawBuilder<unknown> },
): Refusal {
  return { table, holds, key: how.key ?? ['directory_id', 'id'], where: how.where, set: how.set ?? null }
}

// A statement that consumes a secret compares the secret's expiry with the start time of its transaction. So the
// expiry is set to the creation time, and secrets that have just expired are included, because they may still be in
// use.
const isValid = sql`expires_at > created_at and expires_at > clock_now() - interval '1 minute'`
const endsAtOnce = sql`expires_at = created_at`

const STEP_SECONDS = 30

/**
 * The secrets that a restored database accepts again. The order matters: consuming a secret of one table creates
 * secrets of later tables. The statement that refuses a secret waits for the statement that consumes it, so no new
 * secrets result from old ones afterwards.
 */
export function refusalsOf(recoveredAt: Date): readonly Refusal[] {
  // The code of the next time step is also accepted (RFC 6238 §5.2), and may have been used.
  const step = Math.floor(recoveredAt.getTime() / 1000 / STEP_SECONDS) + 1
  const key = ['directory_id' as const, 'user_id' as const]
  return [
    refuse('links', 'links', { where: sql`used_at is null and closed_at is null and ${isValid}`, set: endsAtOnce }),
    refuse('otps', 'codes', { where: sql`used_at is null and ${isValid}`, set: endsAtOnce }),
    refuse('webauthn_ceremonies', 'passkey ceremonies', { where: sql`true` }),
    refuse('federated_sign_ins', 'sign-ins and logouts at identity providers', { where: sql`true` }),
    refuse('mfa_phones', 'unconfirmed phones', { key, where: sql`confirmed_at is null` }),
    refuse('totp_enrollments', 'unconfirmed authenticator apps', { key, where: sql`confirmed_at is null` }),
    refuse('totp_enrollments', 'current codes of authenticator apps', {
      key,
      where: sql`confirmed_at is not null and last_step < ${step}`,
      set: sql`last_step = ${step}`,
    }),
    refuse('exchange_codes', 'exchange codes', { where: sql`true` }),
    refuse('mfa_challenges', 'challenges of second factors', { where: sql`true` }),
    refuse('trusted_devices', TRUSTED_DEVICES, { where: sql`true` }),
  ]
}

import { type RawBuilder, sql } from 'kysely'
import type { DB } from '../platform/db/schema.gen.ts'

/** Of these the service only forgets that they were trusted. */
export const TRUSTED_DEVICES = 'trusted devices'

type Column<T extends keyof DB> = keyof DB[T] & string

/** How the secrets of a table are refused that the lost transactions may have used, withdrawn or replaced. */
export interface Refusal {
  table: keyof DB
  /** What the rows hold, for the output of `recover`. */
  holds: string
  key: readonly string[]
  /** The rows that still hold a valid secret. False for a row that was refused. */
  where: RawBuilder<unknown>
  /** What refused rows become. Null: they are deleted. */
  set: RawBuilder<unknown> | null
}

function refuse<T extends keyof DB>(
  table: T,
  holds: string,
  how: { key?: Column<T>[]; where: RawBuilder<unknown>; set?: RawBuilder<unknown> },
): Refusal {
  return { table, holds, key: how.key ?? ['directory_id', 'id'], where: how.where, set: how.set ?? null }
}

// A statement that consumes a secret compares its end with the time at which its transaction began. So the end becomes the
// beginning, and what ended just now may be in use still.
const isValid = sql`expires_at > created_at and expires_at > clock_now() - interval '1 minute'`
const endsAtOnce = sql`expires_at = created_at`

const STEP_SECONDS = 30

/**
 * What a restored database accepts again. In this order: consuming a secret of one table creates those of the tables after
 * it. The statement that refuses a secret waits for the one that consumes it, so afterwards nothing new comes of old ones.
 */
export function refusalsOf(recoveredAt: Date): readonly Refusal[] {
  // A code of the next time step is accepted too (RFC 6238 §5.2), and may have been used.
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

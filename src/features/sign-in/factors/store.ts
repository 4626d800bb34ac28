import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { TotpRow } from '../challenges/challenges.ts'
import type { HashedBackupCode } from './backup-codes.ts'

const PENDING_TRIES = 5

/** The factors of a user. */
export interface FactorRow {
  totp_confirmed_at: Date | null
  totp_pending: boolean
  backup_codes: number
  phone: string | null
  phone_confirmed_at: Date | null
}

/** Reads the factors of a user. Fields of missing factors are null. */
export async function findFactors(db: Db, directory: Directory, userId: string): Promise<FactorRow> {
  const { rows } = await sql<FactorRow>`
    select t.confirmed_at as totp_confirmed_at, coalesce(t.expires_at > clock_now(), false) as totp_pending,
      (select count(*)::int from backup_codes where directory_id = ${directory.id} and user_id = ${userId})
        as backup_codes,
      case when p.confirmed_at is not null then p.phone end as phone, p.confirmed_at as phone_confirmed_at
    from (select) as one
    left join totp_enrollments t on t.directory_id = ${directory.id} and t.user_id = ${userId}
    left join mfa_phones p on p.directory_id = ${directory.id} and p.user_id = ${userId}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A statement without a row')
  return row
}

/** Sets `users.mfa_enrolled` to whether the user has a confirmed factor. */
export async function updateMfaEnrolled(tx: Tx, directory: Directory, userId: string): Promise<void> {
  // Foreign table users: `mfa_enrolled` says whether the user has a second factor.
  await sql`
    update users set mfa_enrolled =
      exists (select from totp_enrollments
        where directory_id = ${directory.id} and user_id = ${userId} and confirmed_at is not null)
      or exists (select from mfa_phones
        where directory_id = ${directory.id} and user_id = ${userId} and confirmed_at is not null)
    where directory_id = ${directory.id} and id = ${userId}`.execute(tx)
}

export interface NewTotp {
  userId: string
  id: string
  secretSealed: string
  ttlSeconds: number
}

/**
 * Starts an enrollment, replacing a pending one. Returns when it expires, or null when the user is already enrolled.
 */
export async function insertPendingTotp(db: Db, directory: Directory, totp: NewTotp): Promise<Date | null> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into totp_enrollments as t (directory_id, user_id, id, secret_sealed, expires_at)
    values (${directory.id}, ${totp.userId}, ${totp.id}, ${totp.secretSealed},
      clock_now() + make_interval(secs => ${totp.ttlSeconds}::int))
    on conflict (directory_id, user_id) do update set id = excluded.id, secret_sealed = excluded.secret_sealed,
      expires_at = excluded.expires_at, created_at = excluded.created_at, attempts = 0, last_step = 0
    where t.confirmed_at is null
    returning expires_at`.execute(db)
  return rows[0]?.expires_at ?? null
}

/** Stores the confirmed apps of users who have just been inserted. */
export async function insertConfirmedTotps(
  tx: Tx,
  directory: Directory,
  totps: Omit<NewTotp, 'ttlSeconds'>[],
): Promise<void> {
  const userIds = totps.map(({ userId }) => userId)
  await sql`
    insert into totp_enrollments (directory_id, user_id, id, secret_sealed, confirmed_at)
    select ${directory.id}::uuid, user_id, id, secret_sealed, clock_now()
    from unnest(${userIds}::uuid[], ${totps.map(({ id }) => id)}::uuid[],
      ${totps.map(({ secretSealed }) => secretSealed)}::text[]) as given (user_id, id, secret_sealed)`.execute(tx)
  // Foreign table users: `mfa_enrolled` says whether the user has a second factor.
  await sql`
    update users set mfa_enrolled = true
    where directory_id = ${directory.id} and id = any(${userIds}::uuid[])`.execute(tx)
}

/**
 * Counts an attempt at a pending enrollment before the code is checked. Returns null if there is no pending enrollment
 * or no attempt left.
 */
export async function claimPendingTotp(
  db: Db,
  directory: Directory,
  userId: string,
  id: string,
): Promise<TotpRow | null> {
  const { rows } = await sql<TotpRow>`
    with claimed as (
      update totp_enrollments set attempts = attempts + 1
      where directory_id = ${directory.id} and user_id = ${userId} and id = ${id} and confirmed_at is null
        and expires_at > clock_now() and attempts < ${PENDING_TRIES}
      returning id, secret_sealed, last_step)
    select claimed.*, extract(epoch from clock_now())::float8 as now_seconds from claimed`.execute(db)
  return rows[0] ?? null
}

/** Confirms a pending enrollment with the code of a time step. Returns false if the enrollment no longer exists. */
export async function confirmTotp(
  tx: Tx,
  directory: Directory,
  which: { userId: string; id: string; step: number },
): Promise<boolean> {
  const { rows } = await sql`
    update totp_enrollments set confirmed_at = clock_now(), expires_at = null, last_step = ${which.step}
    where directory_id = ${directory.id} and user_id = ${which.userId} and id = ${which.id}
      and confirmed_at is null and expires_at > clock_now()
    returning id`.execute(tx)
  return rows.length > 0
}

/** A code of a time step works once, and no longer after a code of a later step was used. */
export const totpProof = defineProof({
  name: 'totp',
  columns: { totp_id: 'uuid', totp_step: 'int' },
  locks: true,
  find: (directory) => sqlText`
    select user_id from totp_enrollments where directory_id = ${directory} and user_id = asked.user_id
      and id = asked.totp_id and confirmed_at is not null and last_step < asked.totp_step`,
  write: (directory) => sqlText`
    update totp_enrollments set last_step = ready.totp_step from ready
    where totp_enrollments.directory_id = ${directory} and totp_enrollments.user_id = ready.user_id`,
})

/** Deletes the app, pending or confirmed. Returns whether it was confirmed. */
export async function deleteTotp(tx: Tx, directory: Directory, userId: string): Promise<boolean> {
  const { rows } = await sql<{ confirmed_at: Date | null }>`
    delete from totp_enrollments where directory_id = ${directory.id} and user_id = ${userId}
    returning confirmed_at`.execute(tx)
  return rows.some((row) => row.confirmed_at !== null)
}

/** Replaces all backup codes of a user. */
export async function replaceBackupCodes(
  tx: Tx,
  directory: Directory,
  userId: string,
  codes: HashedBackupCode[],
): Promise<void> {
  await deleteBackupCodes(tx, directory, userId)
  await tx
    .insertInto('backup_codes')
    .values(codes.map(({ slot, hash }) => ({ directory_id: directory.id, user_id: userId, slot, hash })))
    .execute()
}

export async function deleteBackupCodes(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await tx.deleteFrom('backup_codes').where('directory_id', '=', directory.id).where('user_id', '=', userId).execute()
}

/** Returns the hash of the unused code in a slot, or null. */
export async function findBackupCode(
  db: Db,
  directory: Directory,
  userId: string,
  slot: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('backup_codes')
    .select('hash')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('slot', '=', slot)
    .executeTakeFirst()
  return row?.hash ?? null
}

/** Consumes a code. Returns the number of remaining codes, or null if the code was already used or replaced. */
export async function consumeBackupCode(
  tx: Tx,
  directory: Directory,
  userId: string,
  code: HashedBackupCode,
): Promise<number | null> {
  const { rows } = await sql<{ left: number }>`
    with consumed as (
      delete from backup_codes
      where directory_id = ${directory.id} and user_id = ${userId} and slot = ${code.slot} and hash = ${code.hash}
      returning slot)
    select (select count(*)::int from backup_codes
      where directory_id = ${directory.id} and user_id = ${userId}) - 1 as left
    from consumed`.execute(tx)
  return rows[0]?.left ?? null
}

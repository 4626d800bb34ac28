import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

const PENDING_TRIES = 5

export interface NewPhone {
  userId: string
  id: string
  phone: string
  codeHash: Buffer
  ttlSeconds: number
}

/**
 * Starts enrolling a phone, replacing a pending one. Returns when it expires, or null when the user already has one.
 */
export async function insertPendingPhone(tx: Tx, directory: Directory, phone: NewPhone): Promise<Date | null> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into mfa_phones as p (directory_id, user_id, id, phone, code_hash, expires_at)
    values (${directory.id}, ${phone.userId}, ${phone.id}, ${phone.phone}, ${phone.codeHash}::bytea,
      clock_now() + make_interval(secs => ${phone.ttlSeconds}::int))
    on conflict (directory_id, user_id) do update set id = excluded.id, phone = excluded.phone,
      code_hash = excluded.code_hash, expires_at = excluded.expires_at, created_at = excluded.created_at, attempts = 0
    where p.confirmed_at is null
    returning expires_at`.execute(tx)
  return rows[0]?.expires_at ?? null
}

/**
 * Counts an attempt at a pending phone before the code is checked. Returns null if there is no pending phone or no
 * attempt left.
 */
export async function claimPendingPhone(
  db: Db,
  directory: Directory,
  userId: string,
): Promise<{ id: string; code_hash: Buffer | null } | null> {
  const { rows } = await sql<{ id: string; code_hash: Buffer | null }>`
    update mfa_phones set attempts = attempts + 1
    where directory_id = ${directory.id} and user_id = ${userId} and confirmed_at is null
      and expires_at > clock_now() and attempts < ${PENDING_TRIES}
    returning id, code_hash`.execute(db)
  return rows[0] ?? null
}

/** @returns false when the pending phone no longer exists. */
export async function confirmPhone(tx: Tx, directory: Directory, userId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    update mfa_phones set confirmed_at = clock_now(), expires_at = null, code_hash = null
    where directory_id = ${directory.id} and user_id = ${userId} and id = ${id} and confirmed_at is null
      and expires_at > clock_now()
    returning id`.execute(tx)
  return rows.length > 0
}

/** Deletes the phone, pending or confirmed. Returns whether it was confirmed. */
export async function deletePhone(tx: Tx, directory: Directory, userId: string): Promise<boolean> {
  const { rows } = await sql<{ confirmed_at: Date | null }>`
    delete from mfa_phones where directory_id = ${directory.id} and user_id = ${userId}
    returning confirmed_at`.execute(tx)
  return rows.some((row) => row.confirmed_at !== null)
}

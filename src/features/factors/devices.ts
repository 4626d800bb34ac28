import { type Selectable, sql } from 'kysely'
import { keyedHash, randomBase62, SECRET_LENGTH } from '../../platform/crypto/tokens.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { TrustedDevices } from '../../platform/db/schema.gen.ts'
import { newId } from '../../platform/ids.ts'
import type { Platform } from '../../platform/platform.ts'
import type { TxWork, Work } from '../../platform/work.ts'

export type DeviceRow = Selectable<TrustedDevices>

const PREFIX = 'td_'
const SECONDS_A_DAY = 86_400

function hashToken(platform: Platform, userId: string, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey('mfa'), 'trusted-device', userId, token)
}

/** Makes a device trusted for so many days. The token is shown this once. */
export async function trustDevice(
  work: TxWork,
  device: { userId: string; userAgent: string | null; days: number },
): Promise<{ token: string; expiresAt: Date }> {
  const { platform, directory, db } = work
  const token = PREFIX + randomBase62()
  const hash = hashToken(platform, device.userId, token)
  const { rows } = await sql<{ expires_at: Date }>`
    insert into trusted_devices (directory_id, id, user_id, token_hash, user_agent, expires_at)
    values (${directory.id}, ${newId()}, ${device.userId}, ${hash}::bytea, ${device.userAgent},
      clock_now() + make_interval(secs => ${device.days * SECONDS_A_DAY}::int))
    returning expires_at`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A device was not stored')
  return { token, expiresAt: row.expires_at }
}

/** The id of the user's live device with this token, whose use is noted; null: there is none. */
export async function useDevice(
  { platform, directory, db }: Work,
  { userId, token, days }: { userId: string; token: string; days: number },
): Promise<string | null> {
  if (!token.startsWith(PREFIX) || token.length !== PREFIX.length + SECRET_LENGTH) return null
  const row = await db
    .updateTable('trusted_devices')
    .set({ last_used_at: sql<Date>`clock_now()` })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('token_hash', '=', hashToken(platform, userId, token))
    .where(isTrusted(days))
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Whether a device still stands for the second factor of a session. */
export async function isDeviceTrusted({ directory, db }: Work, id: string, days: number): Promise<boolean> {
  const row = await db
    .selectFrom('trusted_devices')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where(isTrusted(days))
    .executeTakeFirst()
  return row !== undefined
}

/** A shorter setting holds for devices that were trusted before it. */
function isTrusted(days: number) {
  return sql<boolean>`expires_at > clock_now()
    and created_at > clock_now() - make_interval(secs => ${days * SECONDS_A_DAY}::int)`
}

/** The live devices of a user, the newest first. */
export async function listDevices({ directory, db }: Work, userId: string, days: number): Promise<DeviceRow[]> {
  return db
    .selectFrom('trusted_devices')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where(isTrusted(days))
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute()
}

/** Forgets one device. False: there is none. */
export async function forgetDevice({ directory, db }: Work, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('trusted_devices')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Forgets every device of a user. */
export async function forgetDevices({ directory, db }: TxWork, userId: string): Promise<void> {
  await db
    .deleteFrom('trusted_devices')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .execute()
}

/** Deletes devices whose time is over. Returns how many. */
export async function deleteExpiredDevices(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from trusted_devices where (directory_id, id) in (
      select directory_id, id from trusted_devices where expires_at <= clock_now()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

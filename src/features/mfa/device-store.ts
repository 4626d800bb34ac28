import { type Selectable, sql } from 'kysely'
import { keyedHash, randomBase62, SECRET_LENGTH } from '../../platform/crypto/tokens.ts'
import { now } from '../../platform/db/now.ts'
import type { TrustedDevices } from '../../platform/db/schema.gen.ts'
import { newId } from '../../platform/ids.ts'
import type { Platform } from '../../platform/platform.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { mfaHashes } from './hash-purpose.ts'

export type DeviceRow = Selectable<TrustedDevices>

const PREFIX = 'td_'
const SECONDS_A_DAY = 86_400

function hashToken(platform: Platform, userId: string, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'trusted-device', userId, token)
}

/** Trusts a device for `days`. The token is shown only once. */
export async function trustDevice(
  work: TxWork,
  device: { userId: string; userAgent: string | null; days: number },
): Promise<{ token: string; row: DeviceRow }> {
  const { platform, directory, db } = work
  const token = PREFIX + randomBase62()
  const hash = hashToken(platform, device.userId, token)
  const { rows } = await sql<DeviceRow>`
    insert into trusted_devices (directory_id, id, user_id, token_hash, user_agent, expires_at)
    values (${directory.id}, ${newId()}, ${device.userId}, ${hash}::bytea, ${device.userAgent},
      clock_now() + make_interval(secs => ${device.days * SECONDS_A_DAY}::int))
    returning *`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A device was not stored')
  return { token, row }
}

/** Finds the user's live device by its token and records the use. Returns null when there is none. */
export async function useDevice(
  { platform, directory, db }: Work,
  { userId, token, days }: { userId: string; token: string; days: number },
): Promise<DeviceRow | null> {
  if (!token.startsWith(PREFIX) || token.length !== PREFIX.length + SECRET_LENGTH) return null
  const row = await db
    .updateTable('trusted_devices')
    .set({ last_used_at: now })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('token_hash', '=', hashToken(platform, userId, token))
    .where(isTrusted(days))
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** Whether a device may still replace the second factor of a session. */
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

/** A setting that was shortened also applies to devices that were trusted before. */
function isTrusted(days: number) {
  return sql<boolean>`expires_at > clock_now()
    and created_at > clock_now() - make_interval(secs => ${days * SECONDS_A_DAY}::int)`
}

/** The live devices of a user, newest first. */
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

/** Removes one device. Returns the device, or undefined when there is none. */
export async function forgetDevice({ directory, db }: TxWork, id: string): Promise<DeviceRow | undefined> {
  return db
    .deleteFrom('trusted_devices')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Removes every device of a user. */
export async function forgetDevices({ directory, db }: TxWork, userId: string): Promise<void> {
  await db
    .deleteFrom('trusted_devices')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .execute()
}

import { type Selectable, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { TrustedDevices } from '../../../platform/db/schema.gen.ts'
import { newId } from '../../../platform/ids.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

export type DeviceRow = Selectable<TrustedDevices>

const SECONDS_A_DAY = 86_400

/** Stores a device that is trusted for `days`. */
export async function insertDevice(
  tx: Tx,
  directory: Directory,
  device: { userId: string; tokenHash: Buffer; userAgent: string | null; days: number },
): Promise<DeviceRow> {
  const { rows } = await sql<DeviceRow>`
    insert into trusted_devices (directory_id, id, user_id, token_hash, user_agent, expires_at)
    values (${directory.id}, ${newId()}, ${device.userId}, ${device.tokenHash}::bytea, ${device.userAgent},
      clock_now() + make_interval(secs => ${device.days * SECONDS_A_DAY}::int))
    returning *`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('A device was not stored')
  return row
}

/** Finds the user's live device by its token and records its use. Returns null if there is none. */
export async function useDevice(
  db: Db,
  directory: Directory,
  { userId, tokenHash, days }: { userId: string; tokenHash: Buffer; days: number },
): Promise<DeviceRow | null> {
  const row = await db
    .updateTable('trusted_devices')
    .set({ last_used_at: now })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('token_hash', '=', tokenHash)
    .where(isTrusted(days))
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** Whether a device may still replace the second factor of a session. */
export async function isDeviceTrusted(db: Db, directory: Directory, id: string, days: number): Promise<boolean> {
  const row = await db
    .selectFrom('trusted_devices')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where(isTrusted(days))
    .executeTakeFirst()
  return row !== undefined
}

/** A device counts as trusted by the current setting, also if the setting was shortened afterwards. */
function isTrusted(days: number) {
  return sql<boolean>`expires_at > clock_now()
    and created_at > clock_now() - make_interval(secs => ${days * SECONDS_A_DAY}::int)`
}

/** The live devices of a user, newest first. */
export async function listDevices(db: Db, directory: Directory, userId: string, days: number): Promise<DeviceRow[]> {
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

/** Removes a device; with `ownerId`, only a device of this user. Returns the device, or undefined if there is none. */
export async function forgetDevice(
  tx: Tx,
  directory: Directory,
  id: string,
  ownerId: string | null,
): Promise<DeviceRow | undefined> {
  return tx
    .deleteFrom('trusted_devices')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .$if(ownerId !== null, (query) => query.where('user_id', '=', ownerId ?? ''))
    .returningAll()
    .executeTakeFirst()
}

/** Removes every device of a user. */
export async function forgetDevices(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await tx
    .deleteFrom('trusted_devices')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .execute()
}

import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Passkeys } from '../../../platform/db/schema.gen.ts'
import { newId } from '../../../platform/ids.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { isLiveSession } from '../../access/sessions/sessions.ts'

export type PasskeyRow = Selectable<Passkeys>

export interface NewPasskey {
  userId: string
  /** base64url, as browsers write it */
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[]
  deviceType: 'singleDevice' | 'multiDevice'
  backedUp: boolean
  aaguid: string
  deviceName: string | null
  rpId: string
  userHandle: Buffer
}

/** The passkeys of a user, oldest first. */
export async function listPasskeys(db: Db, directory: Directory, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/**
 * Stores a passkey of a user whose row the caller has locked.
 * @returns undefined if a user of the directory already has this credential.
 */
export async function insertPasskey(
  tx: Tx,
  directory: Directory,
  passkey: NewPasskey,
): Promise<PasskeyRow | undefined> {
  const row = await tx
    .insertInto('passkeys')
    .values({
      directory_id: directory.id,
      id: newId(),
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      device_type: passkey.deviceType,
      backed_up: passkey.backedUp,
      aaguid: passkey.aaguid,
      device_name: passkey.deviceName,
      rp_id: passkey.rpId,
      user_handle: passkey.userHandle,
    })
    .onConflict((conflict) => conflict.columns(['directory_id', 'credential_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) await recount(tx, directory, passkey.userId)
  return row
}

/** Updates the user's passkey count, so that lists of users need no second table. */
async function recount(tx: Tx, directory: Directory, userId: string): Promise<number> {
  // Foreign table users: `passkey_count` says how many passkeys the user has.
  const row = await tx
    .updateTable('users')
    .set((eb) => ({
      passkey_count: eb
        .selectFrom('passkeys')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('directory_id', '=', directory.id)
        .where('user_id', '=', userId),
    }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .returning('passkey_count')
    .executeTakeFirst()
  return row?.passkey_count ?? 0
}

/** Finds a passkey by this service's id or the authenticator's id. */
export async function findPasskey(
  db: Db,
  directory: Directory,
  which: { id: string } | { credentialId: string },
): Promise<PasskeyRow | undefined> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where((eb) => ('id' in which ? eb('id', '=', which.id) : eb('credential_id', '=', which.credentialId)))
    .executeTakeFirst()
}

export async function setDeviceName(
  tx: Tx,
  directory: Directory,
  id: string,
  name: string | null,
): Promise<PasskeyRow> {
  return tx
    .updateTable('passkeys')
    .set({ device_name: name })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Deletes a passkey of a user whose row the caller has locked.
 * @returns the number of remaining passkeys, or undefined if another request deleted this one first.
 */
export async function deletePasskey(tx: Tx, directory: Directory, passkey: PasskeyRow): Promise<number | undefined> {
  const { id, user_id: userId } = passkey
  const deleted = await tx
    .deleteFrom('passkeys')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return deleted ? recount(tx, directory, userId) : undefined
}

/**
 * The proof that the passkey still exists and its counter has grown. If two responses have the same counter, only one
 * passes. WebAuthn L3 §7.2 step 22 leaves open what to do if the counter does not grow. It is ignored for passkeys
 * that are backed up, because these are on many devices. A backup eligible passkey cannot become ineligible again. If
 * two responses show that a passkey became eligible, only one event is recorded.
 */
export const passkeyProof = defineProof({
  name: 'passkey',
  columns: { passkey_id: 'uuid', passkey_counter: 'bigint', passkey_device_type: 'text', passkey_backed_up: 'boolean' },
  locks: true,
  find: (directory) => sqlText`
    select id, device_type as passkey_was from passkeys where directory_id = ${directory} and id = asked.passkey_id and user_id = asked.user_id
      and ((asked.passkey_backed_up and device_type = 'multiDevice') or counter < asked.passkey_counter or (counter = 0 and asked.passkey_counter = 0))
      and (device_type = 'singleDevice' or asked.passkey_device_type = 'multiDevice')`,
  write: (directory) => sqlText`
    update passkeys set counter = ready.passkey_counter, device_type = ready.passkey_device_type,
      backed_up = ready.passkey_backed_up, last_used_at = ready.at
    from ready where passkeys.directory_id = ${directory} and passkeys.id = ready.passkey_id`,
  shows: ['passkey_was'],
  overtaken: sqlText`event.type = 'passkey.updated' and ready.passkey_was = ready.passkey_device_type`,
})

/** Whether this is a live session of the user with a recent enough sign-in. */
export async function isRecentSession(
  db: Db,
  directory: Directory,
  session: { id: string; userId: string; withinSeconds: number; factors: boolean },
): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', session.id)
    .where('user_id', '=', session.userId)
    .where(isLiveSession(directory))
    // A user with a second factor must have used it. A passkey counts as both factors.
    .$if(session.factors, (query) => query.where('aal', '=', 'aal2'))
    .where(sql<boolean>`authenticated_at > clock_now() - make_interval(secs => ${session.withinSeconds}::int)`)
    .executeTakeFirst()
  return found !== undefined
}

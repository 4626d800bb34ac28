import { type Selectable, type SqlBool, sql } from 'kysely'
import { now } from '../../platform/db/now.ts'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { Passkeys } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { newId } from '../../platform/ids.ts'

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
  /** The user's epoch when the registration was read. */
  epoch: number
}

/** What an authenticator reported when it signed. */
export interface PasskeyUse {
  counter: number
  backedUp: boolean
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

/** The passkeys of the user of an address at a relying party; empty if no user has the address. */
export async function listPasskeysOfAddress(
  db: Db,
  directory: Directory,
  emailNorm: string,
  rpId: string,
): Promise<PasskeyRow[]> {
  return db
    .selectFrom('users')
    .innerJoin('passkeys', (join) =>
      join.onRef('passkeys.directory_id', '=', 'users.directory_id').onRef('passkeys.user_id', '=', 'users.id'),
    )
    .selectAll('passkeys')
    .where('users.directory_id', '=', directory.id)
    .where('users.email_norm', '=', emailNorm)
    .where('users.deleted_at', 'is', null)
    .where('passkeys.rp_id', '=', rpId)
    .orderBy('passkeys.created_at')
    .orderBy('passkeys.id')
    .execute()
}

export type OwnedPasskey = PasskeyRow & { email: string; email_norm: string }

/** The passkey of a credential id, and the address of its owner. */
export async function findPasskeyByCredential(
  db: Db,
  directory: Directory,
  credentialId: string,
): Promise<OwnedPasskey | undefined> {
  return db
    .selectFrom('passkeys')
    .innerJoin('users', (join) =>
      join.onRef('users.directory_id', '=', 'passkeys.directory_id').onRef('users.id', '=', 'passkeys.user_id'),
    )
    .selectAll('passkeys')
    .select(['users.email', 'users.email_norm'])
    .where('passkeys.directory_id', '=', directory.id)
    .where('passkeys.credential_id', '=', credentialId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The stored passkey, or why there is none. */
export type Insertion = PasskeyRow | 'gone' | 'full' | 'taken'

/**
 * Stores a passkey. `gone`: the user is not active, is a pending sign-up, or was cut off; `full`: the user already has
 * `limit` passkeys; `taken`: a user of the directory already has this credential.
 */
export async function insertPasskey(
  tx: Tx,
  directory: Directory,
  passkey: NewPasskey,
  limit: number,
): Promise<Insertion> {
  const { userId } = passkey
  const owner = await lockPasskeyOwner(tx, directory, userId)
  // A cut-off since the registration began has raised the epoch.
  if (!owner?.attachable || owner.epoch !== passkey.epoch) return 'gone'
  if (owner.passkey_count >= limit) return 'full'
  const row = await tx
    .insertInto('passkeys')
    .values({
      directory_id: directory.id,
      id: newId(),
      user_id: userId,
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
  if (!row) return 'taken'
  await recount(tx, directory, userId)
  return row
}

/** Lock order: the user's row before the passkeys, as in a sign-in, to avoid deadlocks. */
async function lockPasskeyOwner(tx: Tx, directory: Directory, userId: string) {
  return tx
    .selectFrom('users')
    .select(['passkey_count', 'epoch'])
    .select(sql<boolean>`active and pending_until is null`.as('attachable'))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Updates the denormalised count on the user, so that lists need no second table. */
async function recount(tx: Tx, directory: Directory, userId: string): Promise<number> {
  const row = await tx
    .updateTable('users')
    .set((eb) => ({
      passkey_count: eb
        .selectFrom('passkeys')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('passkeys.directory_id', '=', 'users.directory_id')
        .whereRef('passkeys.user_id', '=', 'users.id'),
    }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .returning('passkey_count')
    .executeTakeFirst()
  return row?.passkey_count ?? 0
}

/** A passkey by either id: ours or the authenticator's. */
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

/** @returns how many the user has left, or undefined when another request deleted it first. */
export async function deletePasskey(tx: Tx, directory: Directory, passkey: PasskeyRow): Promise<number | undefined> {
  const { id, user_id: userId } = passkey
  await lockPasskeyOwner(tx, directory, userId)
  const deleted = await tx
    .deleteFrom('passkeys')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return deleted ? recount(tx, directory, userId) : undefined
}

/** Removes every passkey of a user. */
export async function removePasskeys(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await lockPasskeyOwner(tx, directory, userId)
  await tx.deleteFrom('passkeys').where('directory_id', '=', directory.id).where('user_id', '=', userId).execute()
  await recount(tx, directory, userId)
}

/**
 * Moves the passkeys along when a user moves to another directory, except credentials that already exist there. They
 * keep working if both directories have the same relying party. Returns how many were moved.
 */
export async function movePasskeys(
  tx: Tx,
  { from, to, userId }: { from: Directory; to: Directory; userId: string },
): Promise<number> {
  const moved = await tx
    .updateTable('passkeys')
    .set({ directory_id: to.id })
    .where('directory_id', '=', from.id)
    .where('user_id', '=', userId)
    .where(
      sql<SqlBool>`not exists (select from passkeys other
        where other.directory_id = ${to.id} and other.credential_id = passkeys.credential_id)`,
    )
    .returning('id')
    .execute()
  await tx.deleteFrom('passkeys').where('directory_id', '=', from.id).where('user_id', '=', userId).execute()
  return moved.length
}

/**
 * A query that returns one row if the passkey still exists and its counter has grown, to embed in the statement that
 * creates the session: of two responses with the same counter only one passes. WebAuthn L3 §7.2 step 22 leaves it to us
 * how to treat a counter that does not grow: for a passkey that is backed up, and so on many devices, we ignore it.
 */
export function usePasskey(db: Db, directory: Directory, passkey: PasskeyRow, use: PasskeyUse) {
  return db
    .updateTable('passkeys')
    .from((eb) =>
      eb
        .selectFrom('users')
        .select('users.id')
        .where('users.directory_id', '=', directory.id)
        .where('users.id', '=', passkey.user_id)
        .forUpdate()
        .as('owner'),
    )
    .set({ counter: use.counter, backed_up: use.backedUp, last_used_at: now })
    .where('passkeys.directory_id', '=', directory.id)
    .where('passkeys.id', '=', passkey.id)
    .whereRef('passkeys.user_id', '=', 'owner.id')
    .where(counterHolds(use))
    .returning('passkeys.id')
}

function counterHolds({ counter, backedUp }: PasskeyUse) {
  return sql<SqlBool>`(${backedUp}::boolean or passkeys.counter < ${counter}::bigint
    or (passkeys.counter = 0 and ${counter}::bigint = 0))`
}

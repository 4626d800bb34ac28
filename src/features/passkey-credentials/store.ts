import { type Selectable, type SqlBool, sql } from 'kysely'
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
  /** Of the user, when the registration began to be looked at. */
  epoch: number
}

/** What an authenticator said of itself when it signed. */
export interface PasskeyUse {
  counter: number
  backedUp: boolean
}

const now = sql<Date>`clock_now()`

/** Of a user, oldest first. */
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

/** Those that whoever has an address may sign in with at a relying party: none for an address that nobody has. */
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

/** The passkey of a credential id, and the address of whose it is. */
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
 * Stores a passkey of a user who is active and no sign-up that waits. `full`: the user has `limit` of them; `taken`:
 * somebody here has this credential.
 */
export async function insertPasskey(
  tx: Tx,
  directory: Directory,
  passkey: NewPasskey,
  limit: number,
): Promise<Insertion> {
  const { userId } = passkey
  const owner = await lockOwner(tx, directory, userId)
  // Cut off since the registration began: what began before does not pass.
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

/** Whoever touches both locks the user first and the passkeys then, as a sign-in does: nobody waits crosswise. */
async function lockOwner(tx: Tx, directory: Directory, userId: string) {
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

/** The count that the user's record shows, so that lists look at no second table. */
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

/** The passkey of one of its two ids: ours or the authenticator's. */
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

/** Answers how many the user has left. Undefined: somebody else took it away before. */
export async function deletePasskey(tx: Tx, directory: Directory, passkey: PasskeyRow): Promise<number | undefined> {
  const { id, user_id: userId } = passkey
  await lockOwner(tx, directory, userId)
  const deleted = await tx
    .deleteFrom('passkeys')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return deleted ? recount(tx, directory, userId) : undefined
}

/** Takes every passkey of a user away. */
export async function removePasskeys(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await lockOwner(tx, directory, userId)
  await tx.deleteFrom('passkeys').where('directory_id', '=', directory.id).where('user_id', '=', userId).execute()
  await recount(tx, directory, userId)
}

/**
 * Takes the passkeys along when a user moves to another directory, but one that somebody there has. They keep working
 * where both directories have the same relying party. Answers how many came along.
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
 * A query of one row if the passkey is still there and its counter has grown, for the statement that makes the
 * session: of two answers with one counter a single one passes. WebAuthn L3 §7.2 step 22 leaves to us what a counter
 * means that does not grow: for a passkey that is backed up, and so on many devices, nothing.
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

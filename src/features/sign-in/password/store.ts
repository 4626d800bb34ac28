import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type HashedPassword, type PasswordFormat, passwordFormats } from '../../../platform/crypto/password-format.ts'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { newId } from '../../../platform/ids.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { defineReading } from '../../../platform/joined/readings.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { SELF_SERVICE } from '../../directory/users/strangers/strangers.ts'
import type { UserRow } from '../../directory/users/users.ts'

/** A user's password as it is stored. */
export interface StoredPassword extends HashedPassword {
  must_change: boolean
  /** Changes with every new password, but not when a hash is upgraded. */
  revision: string
}

/** A password to store. The hash was computed before the transaction began. */
export interface NewPassword {
  userId: string
  hashed: HashedPassword
  /** How many passwords may not be reused, including the current one (`password_history`). */
  historyKept: number
  /** Whether the password must be changed before it can be used. */
  mustChange: boolean
}

export interface ImportedPassword extends HashedPassword {
  userId: string
}

/** Finds the password of a user, or null. */
export async function findPassword(db: Db, directory: Directory, userId: string): Promise<StoredPassword | null> {
  const row = await db
    .selectFrom('password_credentials')
    .select(['hash', 'format', 'must_change', 'revision'])
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ? { ...row, format: formatOf(row.format) } : null
}

type ReadPassword = { [K in keyof StoredPassword]: string | null } & { must_change: boolean | null }

/**
 * Reads the password of a user in the statement that reads the facts about their address. All columns are null without
 * a password.
 */
export const readPassword = defineReading<ReadPassword>()({
  columns: {},
  joins: ({ directory }) => sqlText`
    left join lateral (
      select hash, format, must_change, revision from password_credentials
      where directory_id = ${directory('asked')} and user_id = users.id limit 1) password on true`,
  selects: () => sqlText`password.hash, password.format, password.must_change, password.revision`,
})

export function toStoredPassword({ hash, format, must_change, revision }: ReadPassword): StoredPassword | null {
  if (hash === null || format === null || revision === null) return null
  return { hash, format: formatOf(format), must_change: must_change === true, revision }
}

export async function hasPassword(db: Db, directory: Directory, userId: string): Promise<boolean> {
  return (await findPassword(db, directory, userId)) !== null
}

// The mark depends on password, address and directory, so that it does not apply after one of them changes.
const markOf = (emailNorm: RawBuilder<unknown>) => sql`sha256(convert_to(
  concat_ws(' ', password_credentials.revision, password_credentials.directory_id, ${emailNorm}), 'UTF8'))`

/** SQL condition: neither an administrator nor a backend has set this password for the user's current address. */
export const isNotSetByManager = (emailNorm: RawBuilder<unknown>) =>
  sql<SqlBool>`password_credentials.manager_mark is distinct from ${markOf(emailNorm)}`

/**
 * Whether the first proof of the mailbox keeps a password that an administrator set. It does not for users who created
 * their account themselves, because the administrator may have taken a stranger for the owner of the address.
 */
export function mayKeepPassword({ source }: Pick<UserRow, 'source'>): boolean {
  return !SELF_SERVICE.includes(source)
}

/** Marks the password of a user as set by an administrator or a backend, for the current address. */
export async function markSetByManager(tx: Tx, directory: Directory, user: { id: string; email_norm: string }) {
  await tx
    .updateTable('password_credentials')
    .set({ manager_mark: markOf(sql`${user.email_norm}::text`) as RawBuilder<Buffer> })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', user.id)
    .execute()
}

/** Removes the password of a user whose row the caller has locked. */
export async function deletePassword(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await tx
    .deleteFrom('password_credentials')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .execute()
}

/** Whether the user has chosen a password. */
export async function hasChosenPassword(
  db: Db,
  directory: Directory,
  user: { id: string; email_norm: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('password_credentials')
    .select('user_id')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', user.id)
    .where(isNotSetByManager(sql`${user.email_norm}::text`))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the first proof of the mailbox removes a password of the user. */
export function losesPassword(
  db: Db,
  directory: Directory,
  user: Pick<UserRow, 'id' | 'email_norm' | 'source'>,
): Promise<boolean> {
  return mayKeepPassword(user) ? hasChosenPassword(db, directory, user) : hasPassword(db, directory, user.id)
}

/** Sets the password of a user whose row the caller has locked, and replaces any previous password. */
export async function storePassword(tx: Tx, directory: Directory, password: NewPassword): Promise<void> {
  const { userId, historyKept, mustChange } = password
  const { hash, format } = password.hashed
  const older = Math.max(0, historyKept - 1)
  if (older > 0) await rememberPassword(tx, directory, userId)
  const values = { hash, format, must_change: mustChange }
  await tx
    .insertInto('password_credentials')
    .values({
      ...values,
      directory_id: directory.id,
      user_id: userId,
      revision: sql<string>`gen_random_uuid()`,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['directory_id', 'user_id']).doUpdateSet((eb) => ({
        ...values,
        revision: eb.ref('excluded.revision'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .execute()
  await forgetOlder(tx, directory, userId, older)
}

/** Uses `for update`, so that the later of two concurrent changes remembers the earlier password. */
async function rememberPassword(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await sql`
    with present as (
      select directory_id, user_id, hash, format from password_credentials
      where directory_id = ${directory.id} and user_id = ${userId} for update)
    insert into password_history (directory_id, user_id, id, hash, format)
    select directory_id, user_id, ${newId()}::uuid, hash, format from present`.execute(tx)
}

async function forgetOlder(tx: Tx, directory: Directory, userId: string, kept: number): Promise<void> {
  await sql`
    delete from password_history
    where directory_id = ${directory.id} and user_id = ${userId} and id not in (
      select id from password_history where directory_id = ${directory.id} and user_id = ${userId}
      order by id desc limit ${kept})`.execute(tx)
}

/**
 * Stores imported hashes of users who have no password yet, in one statement. They were chosen in another system, and
 * if the address was not proved there, perhaps by another person.
 */
export async function storeImportedHash(tx: Tx, directory: Directory, rows: ImportedPassword[]): Promise<void> {
  await sql`
    insert into password_credentials (directory_id, user_id, hash, format)
    select ${directory.id}::uuid, user_id, hash, format
    from unnest(${rows.map((row) => row.userId)}::uuid[], ${rows.map((row) => row.hash)}::text[],
      ${rows.map((row) => row.format)}::text[]) as given (user_id, hash, format)`.execute(tx)
}

/**
 * Replaces the hash by another hash of the same password, if the stored hash is still the old one. Returns whether it
 * did.
 */
export async function upgradeHash(
  db: Db,
  directory: Directory,
  { userId, oldHash, fresh }: { userId: string; oldHash: string; fresh: HashedPassword },
): Promise<boolean> {
  const { hash, format } = fresh
  const upgraded = await db
    .updateTable('password_credentials')
    .set({ hash, format })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('hash', '=', oldHash)
    .returning('user_id')
    .executeTakeFirst()
  return upgraded !== undefined
}

/** The proof that the checked password is still stored. A password that was changed concurrently opens no session. */
export const passwordProof = defineProof({
  name: 'password',
  columns: { password_revision: 'uuid' },
  locks: true,
  find: (directory) => sqlText`
    select user_id from password_credentials
    where directory_id = ${directory} and user_id = asked.user_id and revision = asked.password_revision`,
})

/** Returns the current password and the newest previous ones, `count` in all. */
export async function findRecentPasswords(
  db: Db,
  directory: Directory,
  userId: string,
  count: number,
): Promise<HashedPassword[]> {
  const present = await findPassword(db, directory, userId)
  const rows = await db
    .selectFrom('password_history')
    .select(['hash', 'format'])
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(Math.max(0, count - 1))
    .execute()
  const older = rows.map(({ hash, format }) => ({ hash, format: formatOf(format) }))
  return present ? [present, ...older] : older
}

function formatOf(text: string): PasswordFormat {
  const format = passwordFormats.find((known) => known === text)
  if (!format) throw new Error('A stored password has an unknown format')
  return format
}

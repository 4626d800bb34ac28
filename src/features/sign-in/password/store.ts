import { sql } from 'kysely'
import { type HashedPassword, type PasswordFormat, passwordFormats } from '../../../platform/crypto/password-format.ts'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { newId } from '../../../platform/ids.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { defineReading } from '../../../platform/joined/readings.ts'
import { joinText, nameText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { SELF_SERVICE } from '../../directory/users/strangers/strangers.ts'

/** A user's password as it is stored. */
export interface StoredPassword extends HashedPassword {
  must_change: boolean
  /** New with every password; an upgraded hash keeps it. */
  revision: string
}

/** A password to store. The hash was computed before the transaction began. */
export interface NewPassword {
  userId: string
  hashed: HashedPassword
  /** How many passwords may not be reused, including the current one (`password_history`). */
  historyKept: number
  /** Whether it allows nothing but choosing another one. */
  mustChange: boolean
  /** Set by an administrator or a backend, not by who signs in. */
  byManager: boolean
}

export interface ImportedPassword extends HashedPassword {
  userId: string
}

/** The password of a user, or null. */
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

/** The password of a user, where the facts about their address are read; nulls where there is none. */
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

const sources = SELF_SERVICE.map((source) => sqlText`'${nameText(source)}'`)

/** SQL: whether the first proof of the mailbox removes a password, as `removeAtProof` does. */
export const goesAtProof = sqlText`(users.proved_before or users.source in (${joinText(sources, ', ')})
  or not password_credentials.by_manager)`

/** Whether the user has a password that the first proof of the mailbox removes. */
export async function hasUnprovenPassword(db: Db, directory: Directory, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from password_credentials join users on users.directory_id = password_credentials.directory_id
      and users.id = password_credentials.user_id
    where users.directory_id = ${directory.id} and users.id = ${userId} and not users.email_verified
      and ${sql.raw(goesAtProof)}`.execute(db)
  return rows.length > 0
}

/** Whether the user has chosen a password. */
export async function hasChosenPassword(db: Db, directory: Directory, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('password_credentials')
    .select('user_id')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('by_manager', '=', false)
    .executeTakeFirst()
  return row !== undefined
}

/** Sets the password of a user, whose row the caller holds, replacing any previous one. */
export async function storePassword(tx: Tx, directory: Directory, password: NewPassword): Promise<void> {
  const { userId, historyKept, mustChange, byManager } = password
  const { hash, format } = password.hashed
  const older = Math.max(0, historyKept - 1)
  if (older > 0) await rememberPassword(tx, directory, userId)
  const values = { hash, format, must_change: mustChange, by_manager: byManager }
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

/** `for update`, so that of two concurrent changes the later one remembers the password of the earlier. */
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
 * Stores imported hashes of users who have no password yet, with one statement. They were chosen in another system: of an
 * address that was not proved there, by anyone.
 */
export async function storeImportedHash(tx: Tx, directory: Directory, rows: ImportedPassword[]): Promise<void> {
  await sql`
    insert into password_credentials (directory_id, user_id, hash, format)
    select ${directory.id}::uuid, user_id, hash, format
    from unnest(${rows.map((row) => row.userId)}::uuid[], ${rows.map((row) => row.hash)}::text[],
      ${rows.map((row) => row.format)}::text[]) as given (user_id, hash, format)`.execute(tx)
}

/**
 * Replaces the hash by another one of the same password: a compare-and-set on the old hash. Returns whether it did.
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

/** The password that was verified is still the stored one: one that is changed concurrently opens no session. */
export const passwordProof = defineProof({
  name: 'password',
  columns: { password_revision: 'uuid' },
  locks: true,
  find: (directory) => sqlText`
    select user_id from password_credentials
    where directory_id = ${directory} and user_id = asked.user_id and revision = asked.password_revision`,
})

/** The current password and the newest previous ones, `count` in all. */
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

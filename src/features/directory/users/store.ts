import {
  type ExpressionBuilder,
  type InsertObject,
  isExpression,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, Users } from '../../../platform/db/schema.gen.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { lockText, type UserLock } from '../../../platform/tenancy/user-lock.ts'

/** `locked` is the cause of the lock that is in force. */
export type UserRow = Selectable<Users> & { locked: UserLock }
/** A user whose row is locked until the transaction ends. */
export type HeldUser = UserRow & { held: true }
export type ListedUserRow = UserRow & { organization_id: string | null }
export type UserChanges = UpdateObject<DB, 'users'>
export type NewUserRow = Omit<InsertObject<DB, 'users'>, 'directory_id' | 'environment_id'>

const lockNow = sql<UserLock>`${sql.raw(lockText(sqlText`users`, sqlText`clock_now()`))}`.as('locked')
// For the `returning` clause of a statement that sets `updated_at` to the current time: a distributed database does
// not allow `clock_now()` there.
const lockThen = sql<UserLock>`${sql.raw(lockText(sqlText`users`, sqlText`users.updated_at`))}`.as('locked')
export const isRestorable = sql<SqlBool>`users.deleted_at > clock_now() - interval '30 days'`
/** False for a sign-up that was not completed in time. */
export const unexpired = sql<SqlBool>`(users.pending_until is null or users.pending_until > clock_now())`
const isLive = sql<SqlBool>`users.deleted_at is null and ${unexpired}`
/** What lists show of a user in addition to the row. Only evaluated for the rows of the page. */
export const listedColumns = sql`${lockNow.expression} as locked, (
  select organization_id from directories where directories.id = users.directory_id) as organization_id`

export async function findUserRowByEmail(
  db: Db,
  directory: Directory,
  emailNorm: string,
): Promise<UserRow | undefined> {
  return selectLive(db, directory).where('email_norm', '=', emailNorm).executeTakeFirst()
}

/** Finds a user by the id of the directory user or of the auth account. */
export async function findUserRowById(db: Db, directory: Directory, id: string): Promise<UserRow | undefined> {
  return selectLive(db, directory)
    .where((eb) => hasId(eb, id))
    .executeTakeFirst()
}

/** Finds a user by either id and locks the row until the transaction ends, for a read-modify-write. */
export async function lockUserRow(tx: Tx, directory: Directory, id: string): Promise<HeldUser | undefined> {
  const row = await selectLive(tx, directory)
    .where((eb) => hasId(eb, id))
    .forUpdate()
    .executeTakeFirst()
  return row && { ...row, held: true }
}

/** Finds a user by either id, in all directories that the caller reaches. */
export async function findUserRowInReach(db: Db, reach: Reach, id: string): Promise<ListedUserRow | undefined> {
  return selectUserInReach(db, reach, id).executeTakeFirst()
}

export function selectUserInReach(db: Db, reach: Reach, id: string) {
  return within(
    reach,
    selectListed(db)
      .where(isLive)
      .where((eb) => hasId(eb, id)),
  )
}

/**
 * Finds a deleted user who can be restored, by the directory user's id: no index has the auth account's id of deleted
 * users.
 */
export async function findDeletedInReach(db: Db, reach: Reach, id: string): Promise<ListedUserRow | undefined> {
  return within(reach, selectListed(db).where(isRestorable).where('users.id', '=', id)).executeTakeFirst()
}

function within(reach: Reach, query: ReturnType<typeof selectListed>) {
  return query.where((eb) =>
    reach.directory
      ? eb('users.directory_id', '=', reach.directory.id)
      : // One lookup by primary key for each directory: both ids are indexed only within their directory.
        eb(
          'users.directory_id',
          'in',
          eb
            .selectFrom('directories')
            .select('id')
            .where('environment_id', '=', reach.environmentId)
            .where('kind', '!=', 'console'),
        ),
  )
}

/**
 * The columns that are overwritten when a user replaces a pending sign-up. The lock is not among them, since it
 * belongs to the address.
 */
const REPLACED = [
  ...['email', 'email_verified', 'display_name', 'first_name', 'last_name', 'phone', 'job_title', 'department'],
  ...['locale', 'external_id', 'external_id_repeated', 'metadata', 'source', 'pending_until', 'active'],
  ...['scim_managed', 'invited_at', 'proved_before'],
  ...['role', 'own_role', 'sso_role', 'scim_role', 'role_since', 'role_ids', 'created_at', 'updated_at'],
]

/**
 * Inserts users whose addresses are free. Another sign-up cannot take the address of a pending sign-up until it
 * expires (`replaces: 'expired'`). An administrator can (`'pending'`), since a stranger must not keep them from
 * adding a user. A replaced row becomes the new user, with none of the old data. Returns the inserted users, in no
 * particular order.
 */
export async function insertUserRows(
  tx: Tx,
  directory: Directory,
  rows: NewUserRow[],
  replaces: 'pending' | 'expired',
): Promise<UserRow[]> {
  const scope = { directory_id: directory.id, environment_id: directory.environmentId }
  return tx
    .insertInto('users')
    .values(rows.map((row) => ({ ...row, ...scope })))
    .onConflict((conflict) =>
      conflict
        .columns(['directory_id', 'email_norm'])
        .where('deleted_at', 'is', null)
        .doUpdateSet((eb) => ({
          ...Object.fromEntries(REPLACED.map((column) => [column, sql.ref(`excluded.${column}`)])),
          auth_account_id: eb.fn.coalesce('users.auth_account_id', 'excluded.auth_account_id'),
          version: sql`users.version + 1`,
          // A sign-in that began as the replaced sign-up must fail.
          epoch: sql`users.epoch + 1`,
        }))
        .where(
          replaces === 'expired'
            ? sql<SqlBool>`users.pending_until <= excluded.created_at`
            : sql<SqlBool>`users.pending_until is not null`,
        ),
    )
    .returningAll()
    .returning(lockThen)
    .execute()
}

/** The addresses (`EmailAddress.norm`) that an insert would find taken. */
export async function findTakenEmails(db: Db, directory: Directory, norms: string[]): Promise<string[]> {
  const rows = await selectLive(db, directory)
    .clearSelect()
    .select('email_norm')
    .where(sql<SqlBool>`email_norm = any(${norms}::text[])`)
    .where('pending_until', 'is', null)
    .execute()
  return rows.map((row) => row.email_norm)
}

/** The users who have one of these external ids. */
export async function findExternalIds(db: Db, directory: Directory, externalIds: string[]) {
  return db
    .selectFrom('users')
    .select(['external_id', 'email_norm'])
    .where('directory_id', '=', directory.id)
    .where(sql<SqlBool>`external_id = any(${externalIds}::text[])`)
    .where('deleted_at', 'is', null)
    .where('external_id_repeated', '=', false)
    .execute()
}

/** Frees an address that only a pending sign-up reserves, and returns the sign-up. */
export async function dropPending(tx: Tx, directory: Directory, emailNorm: string): Promise<UserRow | undefined> {
  return tx
    .deleteFrom('users')
    .where('directory_id', '=', directory.id)
    .where('email_norm', '=', emailNorm)
    .where('deleted_at', 'is', null)
    .where('pending_until', 'is not', null)
    .returningAll()
    .returning(lockThen)
    .executeTakeFirst()
}

/** The columns that change together with any column that the API shows. */
export const asNewVersion: UserChanges = { version: sql`version + 1`, updated_at: now }

export async function updateUserRow(tx: Tx, directory: Directory, id: string, changes: UserChanges): Promise<UserRow> {
  return tx
    .updateTable('users')
    .set({ ...changes, ...asNewVersion })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .returning(lockThen)
    .executeTakeFirstOrThrow()
}

/** Live users with these ids, locked until the transaction ends. The rows are always locked in the same order. */
export async function lockUserRows(
  tx: Tx,
  directory: Directory,
  ids: string[],
  { waits = true } = {},
): Promise<HeldUser[]> {
  // Skips locked rows: the statement names its directory, so a distributed database accepts the lock.
  const { rows } = await sql<UserRow>`
    select users.*, ${lockNow.expression} as locked from users
    where directory_id = ${directory.id} and id = any(${ids}::uuid[]) and ${isLive}
    order by id ${waits ? sql`for update` : sql`for update skip locked`}`.execute(tx)
  return rows.map((row) => ({ ...row, held: true as const }))
}

/** The ids among these that belong to live users. */
export async function findLiveIds(db: Db, directory: Directory, ids: string[]): Promise<string[]> {
  const rows = await selectLive(db, directory)
    .clearSelect()
    .select('id')
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  return rows.map(({ id }) => id)
}

/** A deleted user who can be restored, by either id, locked until the transaction ends. */
export async function lockDeletedRow(tx: Tx, directory: Directory, id: string) {
  return tx
    .selectFrom('users')
    .select(['id', 'email_norm', 'email_verified', 'proved_before', 'scim_managed'])
    .where('directory_id', '=', directory.id)
    .where(isRestorable)
    .where((eb) => hasId(eb, id))
    .forUpdate()
    .executeTakeFirst()
}

/** Restores a deleted user whose row is locked. The restored user is no longer managed by provisioning. */
export async function restoreRow(tx: Tx, directory: Directory, id: string, changes: UserChanges): Promise<HeldUser> {
  const restored = { ...changes, deleted_at: null, scim_managed: false }
  return { ...(await updateUserRow(tx, directory, id, restored)), held: true }
}

/** The auth account of a user, set to `newId` if there was none. Returns undefined when the user was deleted. */
export async function setAuthAccount(
  tx: Tx,
  directory: Directory,
  id: string,
  newId: string,
): Promise<string | undefined> {
  const row = await updateOf(tx, directory, id)
    .set((eb) => ({ auth_account_id: eb.fn.coalesce('auth_account_id', sql<string>`${newId}::uuid`) }))
    .where('deleted_at', 'is', null)
    .returning('auth_account_id')
    .executeTakeFirst()
  return row?.auth_account_id ?? undefined
}

/**
 * Copies the end of the address's lock, or null, to the user's row, which lists show. Returns undefined if nothing
 * changed.
 */
export async function setLockedUntil(
  tx: Tx,
  directory: Directory,
  id: string,
  until: Date | null,
): Promise<UserRow | undefined> {
  const changed = updateOf(tx, directory, id)
    .set({ locked_until: until })
    .where('deleted_at', 'is', null)
    .$if(until === null, (query) => query.where('locked_until', '>', now))
    .returningAll()
  const { rows } = await sql<UserRow>`
    with changed as (${changed})
    select changed.*, ${sql.raw(lockText(sqlText`changed`, sqlText`clock_now()`))} as locked from changed`.execute(tx)
  return rows[0]
}

/** The columns that end every lock of a user. */
export const NO_LOCK = {
  locked_until: null,
  access_locked_at: null,
  access_locked_until: null,
  access_lock_reason: null,
} satisfies UserChanges

/** The columns of a user without an open invitation. */
export const NOT_INVITED = { invited_at: null } satisfies UserChanges

/** Changes columns of a user that the API does not show. */
export async function updateHidden(tx: Tx, directory: Directory, user: HeldUser, changes: UserChanges): Promise<void> {
  await updateOf(tx, directory, user.id).set(changes).execute()
}

/** Changes the user's row and raises the epoch, so that a sign-in that began before fails. A query, to embed. */
export function changeRow(tx: Tx, directory: Directory, id: string, changes: UserChanges) {
  return updateOf(tx, directory, id)
    .set({ ...changes, epoch: sql`epoch + 1` })
    .returningAll()
}

/** Deletes a row that is then inserted into another directory, which may be on another node. A query, to embed. */
export function takeRow(tx: Tx, directory: Directory, id: string) {
  return tx.deleteFrom('users').where('directory_id', '=', directory.id).where('id', '=', id)
}

/** Inserts the row of a user who moves here from another directory. A query, to embed. */
export function putRow(directory: Directory, user: HeldUser, changes: Partial<NewUserRow>) {
  const { locked: _, held: __, ...row } = user
  const { id: directory_id, environmentId: environment_id } = directory
  const raised = { version: row.version + 1, epoch: row.epoch + 1 }
  const entries = Object.entries({ ...row, updated_at: now, ...changes, directory_id, environment_id, ...raised })
  const known = Object.fromEntries(entries.filter(([, value]) => !isExpression(value)))
  // `select` instead of `values`, since `values` may not contain a query in a distributed database.
  return sql`
    insert into users (${sql.join(entries.map(([column]) => sql.ref(column)))})
    select ${sql.join(entries.map(([column, value]) => (isExpression(value) ? value : sql.ref(`moved.${column}`))))}
    from jsonb_populate_record(null::users, ${JSON.stringify(known)}::jsonb) moved returning *`
}

/** Sign-ups whose time to confirm the address has passed. */
export const isExpiredSignup = sql`pending_until <= clock_now() and deleted_at is null`

/** Deletes the expired sign-ups among these users. Users that `skipLocked` skips stay. */
export async function deleteExpiredRows(
  tx: Tx,
  directoryId: string,
  ids: string[],
  skipLocked: RawBuilder<unknown>,
): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`
    with gone as (
      delete from users where directory_id = ${directoryId} and ${isExpiredSignup} and id in (
        select id from users where directory_id = ${directoryId} and id = any(${ids}::uuid[]) ${skipLocked}) returning *)
    select gone.*, ${sql.raw(lockText(sqlText`gone`, sqlText`clock_now()`))} as locked from gone`.execute(tx)
  return rows
}

function updateOf(tx: Tx, directory: Directory, id: string) {
  return tx.updateTable('users').where('directory_id', '=', directory.id).where('id', '=', id)
}

function selectLive(db: Db, directory: Directory) {
  return db.selectFrom('users').selectAll().select(lockNow).where('directory_id', '=', directory.id).where(isLive)
}

function selectListed(db: Db) {
  return db
    .selectFrom('users')
    .selectAll('users')
    .select(lockNow)
    .select((eb) =>
      eb
        .selectFrom('directories')
        .select('organization_id')
        .whereRef('directories.id', '=', 'users.directory_id')
        .as('organization_id'),
    )
}

type UsersExpression = ExpressionBuilder<DB, 'users'>

function hasId(eb: UsersExpression, id: string) {
  return eb.or([eb('users.id', '=', id), eb('users.auth_account_id', '=', id)])
}

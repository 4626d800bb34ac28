import { type AliasableExpression, type Selectable, type SqlBool, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Sessions } from '../../../platform/db/schema.gen.ts'
import { byAge, type Found, type Page, searchPage } from '../../../platform/http/pagination.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { inheritedServices, isServed } from '../../../platform/tenancy/services.ts'

/** `auth_method` of impersonation sessions. */
export const IMPERSONATION = 'impersonation'

export type SessionRow = Selectable<Sessions>
export type RevokedRow = Pick<SessionRow, 'directory_id' | 'id' | 'user_id' | 'auth_account_id'>

/**
 * SQL: whether a `sessions` row is neither revoked nor expired. A live session must also be of the current epochs of
 * its user and organization. `liveSessionText` compares them; a query that joins these rows must compare them itself.
 */
export function unendedSessionText(at: SqlText): SqlText {
  return sqlText`(sessions.revoked_at is null and sessions.expires_at > ${at} and sessions.idle_expires_at > ${at})`
}

/** SQL for the directory and the organization of a `sessions` row: columns or parameters. */
interface Place {
  directory: SqlText
  organization: SqlText
}

/**
 * SQL: whether a `sessions` row is live. This condition alone decides, even if no job has marked the row as ended
 * yet.
 */
export function liveSessionText(at: SqlText, { directory, organization }: Place): SqlText {
  return sqlText`(${unendedSessionText(at)}
      and sessions.user_epoch = (
        select session_epoch from users where users.directory_id = ${directory} and users.id = sessions.user_id)
      and sessions.organization_epoch = coalesce((
        select session_epoch from organizations where organizations.id = ${organization}), 0))`
}

const isUnended = sql.raw<SqlBool>(unendedSessionText(sqlText`clock_now()`))

/** Whether the epochs of a `sessions` row are still current. */
function hasSameEpochs(directory: Directory) {
  return sql<SqlBool>`sessions.user_epoch = (
      select session_epoch from users where users.directory_id = ${directory.id} and users.id = sessions.user_id)
    and sessions.organization_epoch = coalesce((
      select session_epoch from organizations where organizations.id = ${directory.organizationId}), 0)`
}

/** Whether a `sessions` row of a directory is live. */
export function isLiveSession(directory: Directory) {
  return sql<SqlBool>`${isUnended} and ${hasSameEpochs(directory)}`
}

/** The columns of a session that ends. */
export const asEnded = (reason: string) => ({ revoked_at: now, revoked_reason: reason, successor_sealed: null })

/** Ends these sessions, except those that have already ended. Returns the rows that it ended. */
export async function endSessionRows(
  tx: Tx,
  directory: Directory,
  ids: string[],
  reason: string,
): Promise<RevokedRow[]> {
  if (!ids.length) return []
  return tx
    .updateTable('sessions')
    .set(asEnded(reason))
    .where('directory_id', '=', directory.id)
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .where('revoked_at', 'is', null)
    .where(hasSameEpochs(directory))
    .returning(['directory_id', 'id', 'user_id', 'auth_account_id'])
    .execute()
}

/**
 * The upper bound of the user's live sessions. Locks the user's row until the transaction ends. Null if there is no
 * such user.
 */
export async function lockSessionsAtMost(tx: Tx, directory: Directory, userId: string): Promise<number | null> {
  const row = await tx
    .selectFrom('users')
    .select('sessions_at_most')
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row?.sessions_at_most ?? null
}

export async function setSessionsAtMost(tx: Tx, directory: Directory, userId: string, count: number): Promise<void> {
  // Foreign table users: `sessions_at_most` is an upper bound of the user's live sessions.
  await tx
    .updateTable('users')
    .set({ sessions_at_most: count })
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .execute()
}

/** Newest first, without impersonation sessions. */
export async function findLiveSessionIds(
  tx: Tx,
  directory: Directory,
  userId: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('auth_method', '<>', IMPERSONATION)
    .where(isLiveSession(directory))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

export type ListedSession = SessionRow & {
  organization_id: string | null
  /** The impersonator; null for the user's own sessions. */
  actor: string | null
  act_reason: string | null
}

/** A page of live sessions in the directories that the caller reaches. */
export async function listSessionRows(
  db: Db,
  reach: Reach,
  filter: { userId?: string; id?: string },
  page: Page,
): Promise<Found<ListedSession>> {
  const scope = selectScope(db, reach, filter)
  // Lists leave out directories where the service is off. A request for a single session there is refused instead.
  const inherited = sql.ref('inherited.enabled_app_ids')
  const served = filter.id === undefined ? isServed(reach, 'sessions.directory_id', inherited) : sql<SqlBool>`true`
  // `coalesce` keeps the planner from sorting all sessions: it underestimates how many epochs are equal.
  const matches = sql<SqlBool>`coalesce(${isListed(reach)} and ${served}, false)`
  return searchPage(
    { db, table: 'sessions', scope, matches, describe: (rows) => describeSessions(db, reach, rows) },
    page,
    byAge,
  )
}

/**
 * Sessions that are not marked as revoked, live or not. Uses only conditions for which there is an index in the
 * list's order.
 */
function selectScope(db: Db, reach: Reach, { userId, id }: { userId?: string; id?: string }) {
  const { directory, environmentId } = reach
  const users = directory ? sql`users.directory_id = ${directory.id}` : sql`users.environment_id = ${environmentId}`
  return db
    .selectFrom('sessions')
    .selectAll('sessions')
    .where('sessions.revoked_at', 'is', null)
    .where((eb) =>
      directory ? eb('sessions.directory_id', '=', directory.id) : eb('sessions.environment_id', '=', environmentId),
    )
    .$if(id !== undefined, (query) => query.where('sessions.id', '=', id ?? ''))
    .$if(userId !== undefined, (query) =>
      query.where(
        sql<SqlBool>`(sessions.directory_id, sessions.user_id) in (select users.directory_id, users.id from users
          where ${users} and (users.id = ${userId} or users.auth_account_id = ${userId}))`,
      ),
    )
}

/** Left joins, so that none of these sessions gets lost. */
function describeSessions(db: Db, reach: Reach, sessions: AliasableExpression<SessionRow>) {
  return db
    .selectFrom(sessions.as('sessions'))
    .leftJoin('directories', 'directories.id', 'sessions.directory_id')
    .leftJoin('users', (join) =>
      join.onRef('users.directory_id', '=', 'sessions.directory_id').onRef('users.id', '=', 'sessions.user_id'),
    )
    .leftJoin('organizations', 'organizations.id', 'directories.organization_id')
    .leftJoin('impersonations', (join) =>
      join
        .onRef('impersonations.directory_id', '=', 'users.directory_id')
        .onRef('impersonations.id', '=', 'sessions.id'),
    )
    .leftJoin(inheritedServices(reach).as('inherited'), (join) => join.onTrue())
    .selectAll('sessions')
    .select(['directories.organization_id', 'impersonations.actor', 'impersonations.reason as act_reason'])
}

/** Whether a described session is live and appears in this caller's list. */
function isListed(reach: Reach) {
  // Sessions of the account's own team are in the console directory, which does not belong to any customer.
  const ofCustomers = reach.directory ? sql`true` : sql`directories.kind <> 'console'`
  return sql<SqlBool>`${isUnended} and ${ofCustomers} and users.session_epoch = sessions.user_epoch
    and coalesce(organizations.session_epoch, 0) = sessions.organization_epoch`
}

/** A live session of a user, locked until the transaction ends. */
export async function lockLiveSession(
  tx: Tx,
  directory: Directory,
  session: { id: string; userId: string },
): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('id', '=', session.id)
    .where('user_id', '=', session.userId)
    .where(isLiveSession(directory))
    .forUpdate()
    .executeTakeFirst()
}

/** Records that the user of a session has just authenticated again. */
export async function setAuthenticated(
  tx: Tx,
  directory: Directory,
  { id, amr, aal }: Pick<SessionRow, 'id' | 'amr' | 'aal'>,
): Promise<SessionRow> {
  return tx
    .updateTable('sessions')
    .set({ authenticated_at: now, amr, aal })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Whether such a session exists or has existed; with `userId`, only for this user. */
export async function sessionExists(
  db: Db,
  directory: Directory,
  sessionId: string,
  userId: string | null = null,
): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', sessionId)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
    .executeTakeFirst()
  return row !== undefined
}

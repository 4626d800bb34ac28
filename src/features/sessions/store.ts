import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { DB, Sessions } from '../../platform/db/schema.gen.ts'
import type { Directory, Reach } from '../../platform/http/directory.ts'
import { type Page, takePage } from '../../platform/http/pagination.ts'

export type SessionRow = Selectable<Sessions>
export type RevokedRow = Pick<SessionRow, 'directory_id' | 'id' | 'user_id'>

const now = sql<Date>`clock_now()`

/** Neither revoked nor past one of its ends: decided here, never by a clean-up. */
function isLive(eb: ExpressionBuilder<DB, 'sessions'>) {
  return eb.and([eb('revoked_at', 'is', null), eb('expires_at', '>', now), eb('idle_expires_at', '>', now)])
}

export async function revokeSessionRows(
  db: Db,
  directory: Directory,
  which: { userId: string } | { sessionId: string } | 'all',
  reason: string,
): Promise<RevokedRow[]> {
  return db
    .updateTable('sessions')
    .set({ revoked_at: now, revoked_reason: reason, successor_sealed: null })
    .where('directory_id', '=', directory.id)
    .where('revoked_at', 'is', null)
    .where((eb) =>
      eb.and(which === 'all' ? {} : 'userId' in which ? { user_id: which.userId } : { id: which.sessionId }),
    )
    .returning(['directory_id', 'id', 'user_id'])
    .execute()
}

/** Held to the end of the transaction: another sign-in of the same user waits. */
export async function lockUserSessions(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sessions/${directory.id}/${userId}`}, 0))`.execute(tx)
}

/** Oldest first. */
export async function findLiveSessionIds(tx: Tx, directory: Directory, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where(isLive)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

export type ListedSession = SessionRow & { organization_id: string | null }

/** Live sessions within the reach, a page at a time. */
export function listSessionRows(
  db: Db,
  reach: Reach,
  filter: { userId?: string },
  page: Page,
): Promise<ListedSession[]> {
  const { directory } = reach
  const query = db
    .selectFrom('sessions')
    .innerJoin('directories', 'directories.id', 'sessions.directory_id')
    .selectAll('sessions')
    .select('directories.organization_id')
    .where((eb) =>
      directory
        ? eb('sessions.directory_id', '=', directory.id)
        : eb('sessions.environment_id', '=', reach.environmentId),
    )
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('idle_expires_at', '>', now)
    .$if(filter.userId !== undefined, (listed) =>
      listed.where((eb) =>
        eb.or([
          eb('sessions.user_id', '=', filter.userId ?? ''),
          eb('sessions.auth_account_id', '=', filter.userId ?? ''),
        ]),
      ),
    )
  return takePage(query, page, { at: 'sessions.created_at', id: 'sessions.id' }).execute()
}

/** The directory user behind either id, or null. */
export async function findUserIdOf(db: Db, directory: Directory, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where((eb) => eb.or([eb('id', '=', userId), eb('auth_account_id', '=', userId)]))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.id ?? null
}

export async function sessionExists(db: Db, directory: Directory, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row !== undefined
}

export interface RevokedSession extends SessionRow {
  revoked_at: Date
}

/** Ended sessions in the order of their end, after a position. */
export async function listRevokedRows(
  db: Db,
  reach: Reach,
  after: { at: Date; id: string } | null,
  limit: number,
): Promise<RevokedSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where((eb) =>
      reach.directory ? eb('directory_id', '=', reach.directory.id) : eb('environment_id', '=', reach.environmentId),
    )
    .where('revoked_at', 'is not', null)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(revoked_at, id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid)`),
    )
    .orderBy('revoked_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.flatMap((row) => (row.revoked_at ? [{ ...row, revoked_at: row.revoked_at }] : []))
}

/** The database's time. */
export async function databaseNow(db: Db): Promise<Date> {
  const row = await db.selectNoFrom(now.as('at')).executeTakeFirstOrThrow()
  return row.at
}

/** Deletes sessions that ended longer ago than any reader of the feed may lag. Returns how many. */
export async function deleteEndedSessionRows(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sessions where (directory_id, id) in (
      select directory_id, id from sessions
      where expires_at < clock_now() - interval '30 days' limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

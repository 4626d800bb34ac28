import { type Selectable, type SqlBool, sql } from 'kysely'
import { now } from '../../platform/db/now.ts'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { Sessions } from '../../platform/db/schema.gen.ts'
import type { Directory, Reach } from '../../platform/http/directory.ts'
import { type Page, takePage } from '../../platform/http/pagination.ts'

export type SessionRow = Selectable<Sessions>
export type RevokedRow = Pick<SessionRow, 'directory_id' | 'id' | 'user_id' | 'auth_account_id'>

/** Whether a `sessions` row is neither revoked nor expired. Decided here, never by a clean-up. */
export const isLiveSession = sql.raw<SqlBool>(liveSessionText('clock_now()'))

/** The same as text, at a time that a statement has. */
export function liveSessionText(at: string): string {
  return `(sessions.revoked_at is null and sessions.expires_at > ${at} and sessions.idle_expires_at > ${at})`
}

/** Ends sessions: a query, to execute or to embed. */
export function revokeSessionRows(
  db: Db,
  directory: Directory,
  which: { userId: string } | { sessionId: string } | 'all',
  reason: string,
) {
  return db
    .updateTable('sessions')
    .set({ revoked_at: now, revoked_reason: reason, successor_sealed: null })
    .where('directory_id', '=', directory.id)
    .where('revoked_at', 'is', null)
    .where((eb) =>
      eb.and(which === 'all' ? {} : 'userId' in which ? { user_id: which.userId } : { id: which.sessionId }),
    )
    .returning(['directory_id', 'id', 'user_id', 'auth_account_id'])
}

/** Held until the transaction ends: another sign-in of the same user waits. */
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
    .where(isLiveSession)
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
    .where(isLiveSession)
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

export async function sessionExists(db: Db, directory: Directory, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row !== undefined
}

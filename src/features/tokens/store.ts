import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { SignInFacts } from '../login/login.ts'

/** A session with the facts about its user, read in one statement. */
export interface TokenSession extends SignInFacts {
  session_id: string
  auth_account_id: string
  amr: string[]
  aal: string
  generation: number
  refresh_hash: Buffer
  previous_refresh_hash: Buffer | null
  successor_sealed: string | null
  /** Since the last rotation; null before the first. */
  rotated_seconds_ago: number | null
  authenticated_at: Date
  expires_at: Date
  /** Neither revoked nor past one of its ends. */
  live: boolean
}

/** The session of a token, with its user. Null when either is gone. */
export async function findTokenSession(db: Db, directory: Directory, sessionId: string): Promise<TokenSession | null> {
  const { rows } = await sql<TokenSession>`
    select s.id as session_id, s.user_id, s.auth_account_id, s.amr, s.aal, s.generation, s.refresh_hash,
      s.previous_refresh_hash, s.successor_sealed, s.authenticated_at, s.expires_at,
      extract(epoch from clock_now() - s.rotated_at)::float8 as rotated_seconds_ago,
      s.revoked_at is null and s.expires_at > clock_now() and s.idle_expires_at > clock_now() as live,
      u.email, u.email_verified, u.active, u.pending_until is not null as pending, u.role,
      o.slug as organization_slug, o.status as organization_status
    from sessions s
    join users u on u.directory_id = s.directory_id and u.id = s.user_id and u.deleted_at is null
    left join organizations o on o.id = ${directory.organizationId}
    where s.directory_id = ${directory.id} and s.id = ${sessionId}`.execute(db)
  return rows[0] ?? null
}

/**
 * Puts the successor in the place of the presented token: one statement that proves, so of any number of requests at
 * once, on any number of processes, one rotates. False: another did, or the session has ended.
 */
export async function rotateRefreshToken(
  db: Db,
  directory: Directory,
  session: { id: string; generation: number; presentedHash: Buffer },
  successor: { hash: Buffer; sealed: string },
  idleSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({
      generation: session.generation + 1,
      refresh_hash: successor.hash,
      previous_refresh_hash: session.presentedHash,
      successor_sealed: successor.sealed,
      rotated_at: sql<Date>`clock_now()`,
      last_active_at: sql<Date>`clock_now()`,
      idle_expires_at: sql<Date>`least(expires_at, clock_now() + make_interval(secs => ${idleSeconds}))`,
    })
    .where('directory_id', '=', directory.id)
    .where('id', '=', session.id)
    .where('generation', '=', session.generation)
    .where('refresh_hash', '=', session.presentedHash)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_now()`)
    .where('idle_expires_at', '>', sql<Date>`clock_now()`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function findHomeEnvironmentId(db: Db): Promise<string | null> {
  const row = await db
    .selectFrom('environments')
    .innerJoin('accounts', 'accounts.id', 'environments.account_id')
    .select('environments.id')
    .where('accounts.home', '=', true)
    .where('environments.slug', '=', 'production')
    .executeTakeFirst()
  return row?.id ?? null
}

export async function findEnvironmentId(db: Db, accountId: string, slug: string): Promise<string | null> {
  const row = await db
    .selectFrom('environments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.id ?? null
}

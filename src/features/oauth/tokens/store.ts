import type { Db } from '../../../platform/db/pool.ts'
import { defineJoined } from '../../../platform/joined/joined.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { isAccessLockedText } from '../../../platform/tenancy/user-lock.ts'
import { type HeldRole, heldRolesText } from '../../access/claims/claims.ts'
import type { SignInFacts } from '../../access/login/login.ts'
import { liveSessionText, unendedSessionText } from '../../access/sessions/sessions.ts'

/** A session with the facts about its user, read in one statement. */
export interface TokenSession extends SignInFacts {
  session_id: string
  auth_account_id: string
  auth_method: string
  amr: string[]
  aal: string
  connection_id: string | null
  /** The trusted device that made the second factor unnecessary. */
  trusted_device_id: string | null
  generation: number
  refresh_hash: Buffer
  previous_refresh_hash: Buffer | null
  successor_sealed: string | null
  /** Seconds since the last rotation; null before the first. */
  rotated_seconds_ago: number | null
  authenticated_at: Date
  expires_at: Date
  /** Neither revoked nor expired. */
  live: boolean
}

/** The directory and session of a token. */
export interface SessionPlace {
  directory: Directory
  sessionId: string
}

const accessLocked = isAccessLockedText(sqlText`u`, sqlText`clock_now()`)

/**
 * The session of a token, with its user. Returns no row if the session or the user is gone. The `limit` clauses make
 * the planner use the primary keys; a plan made while the tables were small would otherwise scan them completely
 * later.
 */
export const tokenSession = defineJoined<TokenSession>()({
  columns: { id: 'uuid', organization_id: 'uuid' },
  text: ({ directory }) => sqlText`
    select asked.n, sessions.id as session_id, sessions.user_id, sessions.auth_account_id,
      sessions.auth_method, sessions.amr, sessions.aal, sessions.connection_id, sessions.trusted_device_id, sessions.generation,
      sessions.refresh_hash, sessions.previous_refresh_hash, sessions.successor_sealed, sessions.authenticated_at,
      sessions.expires_at, extract(epoch from clock_now() - sessions.rotated_at)::float8 as rotated_seconds_ago,
      ${unendedSessionText(sqlText`clock_now()`)} and sessions.user_epoch = u.session_epoch
        and sessions.organization_epoch = coalesce(o.session_epoch, 0) as live,
      u.email, u.email_verified, u.active and not ${accessLocked} as active, ${accessLocked} as access_locked,
      u.pending_until is not null as pending, u.role,
      ${heldRolesText({ users: sqlText`u`, directory: directory('asked') })} as held_roles,
      u.epoch, u.mfa_enrolled,
      u.passkey_count, u.sessions_at_most, coalesce(o.session_epoch, 0) as organization_epoch,
      o.slug as organization_slug, o.status as organization_status,
      case when u.locked_until > clock_now()
        then ceil(extract(epoch from u.locked_until - clock_now()))::int end as locked_seconds
    from asked
    cross join lateral (
      select * from sessions where directory_id = ${directory('asked')} and id = asked.id limit 1) sessions
    cross join lateral (
      select * from users where directory_id = ${directory('asked')} and id = sessions.user_id limit 1) u
    left join lateral (
      select slug, status, session_epoch from organizations where id = asked.organization_id limit 1) o on true
    where u.deleted_at is null`,
})

/** What a live token says about its session and user, with their current values. */
export interface LiveSession {
  user_id: string
  auth_account_id: string
  email: string
  role: string
  held_roles: HeldRole[] | null
  /** Authentication methods (RFC 8176), separated by spaces. */
  amr: string
  aal: string
  connection_id: string | null
  /** Milliseconds since the epoch. */
  authenticated_ms: number
  expires_ms: number
}

/**
 * A live session, if its user and organization are active: the data for token introspection. Digests need no
 * constant-time comparison: without the hash key, timing reveals nothing. The list is returned as text, which saves
 * the driver from parsing it. The conditions for a live session are outside the subqueries on purpose. Inside, the
 * planner could choose the partial index on an organization's live sessions instead of the primary key, and each
 * token would cost as many rows as that index has.
 */
export const liveSession = defineJoined<LiveSession>()({
  columns: { id: 'uuid', organization_id: 'uuid', refresh_hash: 'bytea' },
  text: ({ directory }) => sqlText`
    select asked.n, sessions.user_id, sessions.auth_account_id, u.email, u.role,
      ${heldRolesText({ users: sqlText`u`, directory: directory('asked') })} as held_roles,
      array_to_string(sessions.amr, ' ') as amr, sessions.aal, sessions.connection_id,
      (extract(epoch from sessions.authenticated_at) * 1000)::float8 as authenticated_ms,
      (extract(epoch from sessions.expires_at) * 1000)::float8 as expires_ms
    from asked
    cross join lateral (select * from sessions where directory_id = ${directory('asked')} and id = asked.id limit 1) sessions
    cross join lateral (
      select email, role, role_ids, active, deleted_at, session_epoch from users
      where directory_id = ${directory('asked')} and id = sessions.user_id limit 1) u
    left join lateral (
      select status, session_epoch from organizations where id = asked.organization_id limit 1) o on true
    where ${unendedSessionText(sqlText`(select at from clock)`)}
      and (asked.refresh_hash is null or sessions.refresh_hash = asked.refresh_hash)
      and u.active and u.deleted_at is null and u.session_epoch = sessions.user_epoch
      and (asked.organization_id is null or (o.status = 'active' and o.session_epoch = sessions.organization_epoch))`,
})

/**
 * Replaces presented tokens by their successors. A compare-and-set on generation and hash ensures that only one of
 * any number of concurrent requests rotates a token, on any number of processes. Returns no row if another request
 * rotated the token or the session has ended.
 */
// Foreign table sessions: a refresh rotates the refresh token, which is stored in the session's row.
export const rotation = defineJoined()({
  columns: {
    session_id: 'uuid',
    organization_id: 'uuid',
    generation: 'int',
    presented_hash: 'bytea',
    next_hash: 'bytea',
    next_sealed: 'text',
    idle_seconds: 'int',
  },
  order: sqlText`directory_id, session_id`,
  text: ({ directory, lock }) => sqlText`,
    locked as materialized (
      select asked.*, clock.at, clock.at + make_interval(secs => asked.idle_seconds) as idle_until
      from clock cross join asked cross join lateral (
        select generation, refresh_hash from sessions
        where directory_id = ${directory('asked')} and id = asked.session_id
          and ${liveSessionText(sqlText`clock.at`, { directory: directory('asked'), organization: sqlText`asked.organization_id` })}
        ${lock}) present
      where present.generation = asked.generation and present.refresh_hash = asked.presented_hash),
    rotated as (
      update sessions set generation = sessions.generation + 1, refresh_hash = locked.next_hash,
        previous_refresh_hash = locked.presented_hash, successor_sealed = locked.next_sealed,
        rotated_at = locked.at, last_active_at = locked.at, idle_expires_at = least(expires_at, locked.idle_until)
      from locked where sessions.directory_id = ${directory('locked')} and sessions.id = locked.session_id
      returning sessions.directory_id, sessions.id)
    select locked.n from rotated join locked
      on locked.directory_id = rotated.directory_id and locked.session_id = rotated.id`,
})

/** The condition that the session is live. Takes no lock, since passing the challenge checks the session again. */
export const sessionProof = defineProof({
  name: 'live-session',
  columns: { session_id: 'uuid', session_organization: 'uuid' },
  locks: false,
  find: (directory) => sqlText`
    select id from sessions
    where directory_id = ${directory} and id = asked.session_id
      and ${liveSessionText(sqlText`clock.at`, { directory, organization: sqlText`asked.session_organization` })}`,
})

export async function findHomeEnvironment(db: Db) {
  return db
    .selectFrom('environments')
    .innerJoin('accounts', 'accounts.id', 'environments.account_id')
    .select(['environments.id as environmentId', 'accounts.id as accountId'])
    .where('accounts.home', '=', true)
    .where('environments.slug', '=', 'production')
    .executeTakeFirst()
}

/** The account's environment whose issuer has this name. */
export async function findEnvironment(db: Db, accountId: string, issuerName: string) {
  return db
    .selectFrom('environments')
    .select(['id as environmentId', 'account_id as accountId'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.fn.coalesce('issuer_name', 'slug'), '=', issuerName)
    .executeTakeFirst()
}

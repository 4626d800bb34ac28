import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { byteaArray, uuidArray } from '../../../platform/db/arrays.ts'
import type { JoinedStatement } from '../../../platform/db/joined.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { unseen } from '../../../platform/db/recordset.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { isAccessLockedText } from '../../../platform/tenancy/user-lock.ts'
import type { SignInFacts } from '../../access/login/login.ts'
import { type HeldRole, heldRolesText, liveSessionText, unendedSessionText } from '../../access/sessions/sessions.ts'

const isUnended = sql.raw<boolean>(unendedSessionText('clock_now()'))

/** A session with the facts about its user, read in one statement. */
export interface TokenSession extends SignInFacts {
  session_id: string
  auth_account_id: string
  auth_method: string
  amr: string[]
  aal: string
  /** The trusted device that replaced the second factor. */
  trusted_device_id: string | null
  generation: number
  refresh_hash: Buffer
  previous_refresh_hash: Buffer | null
  successor_sealed: string | null
  /** Since the last rotation; null before the first. */
  rotated_seconds_ago: number | null
  authenticated_at: Date
  expires_at: Date
  /** Neither revoked nor expired. */
  live: boolean
}

/** Where a token's session lives. */
export interface SessionPlace {
  directory: Directory
  sessionId: string
}

/**
 * The sessions of several tokens, with their users, in the order requested; null where either is gone. The limits keep
 * the planner on the primary keys: a plan made while the tables were small would scan all of them later. `directoryId`,
 * here and below, if all are of one directory, which the statement then names as a constant.
 */
const accessLocked = sql.raw(isAccessLockedText('u', 'clock_now()'))

export async function findTokenSessions(
  db: Db,
  places: SessionPlace[],
  directoryId: string | null,
): Promise<(TokenSession | null)[]> {
  const held = heldBy(directoryId)
  const { rows } = await sql<TokenSession & { place: number }>`
    select asked.place::int, sessions.id as session_id, sessions.user_id, sessions.auth_account_id,
      sessions.auth_method, sessions.amr, sessions.aal, sessions.trusted_device_id, sessions.generation,
      sessions.refresh_hash, sessions.previous_refresh_hash, sessions.successor_sealed, sessions.authenticated_at,
      sessions.expires_at, extract(epoch from clock_now() - sessions.rotated_at)::float8 as rotated_seconds_ago,
      ${isUnended} and sessions.user_epoch = u.session_epoch
        and sessions.organization_epoch = coalesce(o.session_epoch, 0) as live,
      u.email, u.email_verified, u.active and not ${accessLocked} as active, ${accessLocked} as access_locked,
      u.pending_until is not null as pending, u.role, ${held} as held_roles,
      u.epoch, u.mfa_enrolled,
      u.passkey_count, u.sessions_at_most, coalesce(o.session_epoch, 0) as organization_epoch,
      o.slug as organization_slug, o.status as organization_status,
      case when u.locked_until > clock_now()
        then ceil(extract(epoch from u.locked_until - clock_now()))::int end as locked_seconds
    from ${asked(places)}
    cross join lateral (
      select * from sessions where directory_id = ${theirs(directoryId)} and id = asked.id limit 1) sessions
    cross join lateral (
      select * from users where directory_id = ${theirs(directoryId)} and id = sessions.user_id limit 1) u
    left join lateral (
      select slug, status, session_epoch from organizations where id = asked.organization_id limit 1) o on true
    where u.deleted_at is null`.execute(db)
  return inPlaces(places, rows)
}

/** What a live token says of its session and user, as they are now. */
export interface LiveSession {
  user_id: string
  auth_account_id: string
  email: string
  role: string
  held_roles: HeldRole[] | null
  /** With spaces in between. */
  amr: string
  aal: string
  /** Milliseconds since the epoch. */
  authenticated_ms: number
  expires_ms: number
}

/** Where a live token's session is, and the hash that its refresh token must have, if it is one. */
export interface LivePlace extends SessionPlace {
  refreshHash: Buffer | null
}

// Written once, not composed for each batch. The list comes as text, which the driver need not take apart. What makes a
// session live is asked outside of the subqueries: in them, it would let a partial index of all live sessions of an
// organization look as good as the primary key, and each token would cost as many rows as that has.
const liveSessions = (inOne: boolean) => {
  const directory = inOne ? '$1::uuid' : 'asked.directory_id'
  const columns = ['id', 'organization_id', 'refresh_hash']
  const given = ['$2::uuid[]', '$3::uuid[]', '$4::bytea[]']
  const asked = inOne ? { columns, given } : { columns: ['directory_id', ...columns], given: ['$1::uuid[]', ...given] }
  return `
    select asked.place::int, sessions.user_id, sessions.auth_account_id, u.email, u.role,
      ${heldRolesText({ users: 'u', directory })} as held_roles, array_to_string(sessions.amr, ' ') as amr, sessions.aal,
      (extract(epoch from sessions.authenticated_at) * 1000)::float8 as authenticated_ms,
      (extract(epoch from sessions.expires_at) * 1000)::float8 as expires_ms
    from unnest(${asked.given.map(unseen).join(', ')}) with ordinality as asked (${asked.columns.join(', ')}, place)
    cross join lateral (select * from sessions where directory_id = ${directory} and id = asked.id limit 1) sessions
    cross join lateral (
      select email, role, role_ids, active, deleted_at, session_epoch from users
      where directory_id = ${directory} and id = sessions.user_id limit 1) u
    left join lateral (
      select status, session_epoch from organizations where id = asked.organization_id limit 1) o on true
    where ${unendedSessionText('(select clock_now())')}
      and (asked.refresh_hash is null or sessions.refresh_hash = asked.refresh_hash)
      and u.active and u.deleted_at is null and u.session_epoch = sessions.user_epoch
      and (asked.organization_id is null or (o.status = 'active' and o.session_epoch = sessions.organization_epoch))`
}

const LIVE = liveSessions(false)
const LIVE_IN_ONE = liveSessions(true)

/**
 * Those of the sessions that are live, of users and organizations that are active; null in place of the others. Only
 * what a token's introspection needs, which every request of a customer's user may ask for. Digests are compared plainly:
 * without the key of the hash, timing reveals nothing.
 */
export async function findLiveSessions(
  db: Db,
  places: LivePlace[],
  directoryId: string | null,
): Promise<(LiveSession | null)[]> {
  const values = [
    directoryId ?? uuidArray(places.map(({ directory }) => directory.id)),
    uuidArray(places.map(({ sessionId }) => sessionId)),
    uuidArray(places.map(({ directory }) => directory.organizationId)),
    byteaArray(places.map(({ refreshHash }) => refreshHash)),
  ]
  const query = CompiledQuery.raw(directoryId === null ? LIVE : LIVE_IN_ONE, values)
  const { rows } = await db.executeQuery<LiveSession & { place: number }>(query)
  return inPlaces(places, rows)
}

/** The directory of a row of `asked`, or the one of all. */
function theirs(directoryId: string | null): RawBuilder<unknown> {
  return directoryId === null ? sql`asked.directory_id` : sql`${directoryId}::uuid`
}

/** The roles of the row `u` of users. */
function heldBy(directoryId: string | null): RawBuilder<unknown> {
  const [before = '', after = ''] = heldRolesText({ users: 'u', directory: ':directory' }).split(':directory')
  return sql`${sql.raw(before)}${theirs(directoryId)}${sql.raw(after)}`
}

function asked(places: SessionPlace[]): RawBuilder<unknown> {
  // In subqueries as in `unseen`.
  return sql`unnest((select ${uuidArray(places.map((place) => place.directory.id))}::uuid[]),
    (select ${uuidArray(places.map((place) => place.sessionId))}::uuid[]),
    (select ${uuidArray(places.map((place) => place.directory.organizationId))}::uuid[]))
    with ordinality as asked (directory_id, id, organization_id, place)`
}

function inPlaces<T extends { place: number }>(places: SessionPlace[], rows: T[]): (T | null)[] {
  const placed = Array<T | null>(places.length).fill(null)
  for (const row of rows) placed[row.place - 1] = row
  return placed
}

/**
 * Replaces presented tokens by their successors: a compare-and-set on generation and hash, so that of any number of
 * concurrent requests, on any number of processes, one rotates. Answers no row where another request rotated, or the
 * session has ended.
 */
// Foreign table sessions: a refresh rotates the refresh token, which is stored with the session.
export const rotation: JoinedStatement = {
  columns: {
    session_id: 'uuid',
    organization_id: 'uuid',
    generation: 'int',
    presented_hash: 'bytea',
    next_hash: 'bytea',
    next_sealed: 'text',
    idle_seconds: 'int',
  },
  order: 'directory_id, session_id',
  text: ({ directory, lock }) => `,
    locked as materialized (
      select asked.*, clock.at, clock.at + make_interval(secs => asked.idle_seconds) as idle_until
      from clock cross join asked cross join lateral (
        select generation, refresh_hash from sessions
        where directory_id = ${directory('asked')} and id = asked.session_id
          and ${liveSessionText('clock.at', { directory: directory('asked'), organization: 'asked.organization_id' })}
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
}

/** The session is live. Takes no lock: passing the challenge checks the session again. */
export const sessionProof = defineProof({
  name: 'live-session',
  columns: { session_id: 'uuid', session_organization: 'uuid' },
  locks: false,
  find: (directory) => `
    select id from sessions
    where directory_id = ${directory} and id = asked.session_id
      and ${liveSessionText('clock.at', { directory, organization: 'asked.session_organization' })}`,
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

/** The environment whose issuer has this name in its account. */
export async function findEnvironment(db: Db, accountId: string, issuerName: string) {
  return db
    .selectFrom('environments')
    .select(['id as environmentId', 'account_id as accountId'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.fn.coalesce('issuer_name', 'slug'), '=', issuerName)
    .executeTakeFirst()
}

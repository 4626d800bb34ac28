import { type OperationNodeSource, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'

/** What the door checks, read in one statement. */
export interface SignInFacts {
  user_id: string
  auth_account_id: string | null
  email: string
  email_verified: boolean
  active: boolean
  pending: boolean
  role: string
  /** Raised by every cut-off; a sign-in that read an older epoch does not pass. */
  epoch: number
  /** Whether the user has a second factor. */
  mfa_enrolled: boolean
  passkey_count: number
  organization_slug: string | null
  organization_status: string | null
  /** Seconds until the lock of the address, seen from the end user's network, ends; null without a lock. */
  locked_seconds: number | null
}

/** An address, and the seconds that it must wait (`lockedSeconds`). */
export interface Identified {
  emailNorm: string
  lockedSeconds: RawBuilder<number | null>
}

/** The facts about the user of this address, or null. An expired sign-up does not count as a user. */
export async function findSignInFactsByEmail(
  db: Db,
  directory: Directory,
  who: Identified,
): Promise<SignInFacts | null> {
  const { rows } = await sql<SignInFacts>`
    ${selectFacts(directory, who.lockedSeconds)} and users.email_norm = ${who.emailNorm}`.execute(db)
  return rows[0] ?? null
}

/**
 * The same by user id, with a lock of the address from any network. `hold` locks the user's row until the transaction
 * ends.
 */
export async function findSignInFactsById(
  db: Db,
  directory: Directory,
  userId: string,
  hold = false,
): Promise<SignInFacts | null> {
  const locked = sql`(case when users.locked_until > clock_now()
    then ceil(extract(epoch from users.locked_until - clock_now()))::int end)`
  const { rows } = await sql<SignInFacts>`
    ${selectFacts(directory, locked)} and users.id = ${userId} ${hold ? sql`for update of users` : sql``}`.execute(db)
  return rows[0] ?? null
}

function selectFacts(directory: Directory, lockedSeconds: RawBuilder<unknown>) {
  return sql`
    select users.id as user_id, users.auth_account_id, users.email, users.email_verified, users.active,
      users.pending_until is not null as pending, users.role, users.epoch, users.mfa_enrolled, users.passkey_count,
      organizations.slug as organization_slug, organizations.status as organization_status,
      ${lockedSeconds} as locked_seconds
    from users
    left join organizations on organizations.id = ${directory.organizationId}
    where users.directory_id = ${directory.id} and users.deleted_at is null
      and (users.pending_until is null or users.pending_until > clock_now())`
}

export interface DoorState {
  /** `active`, `suspended` or `archived`; null for a directory without an organization. */
  organization_status: string | null
  locked_seconds: number | null
}

/** What prevents a sign-in before it is known whether a user has the address. */
export async function findDoorState(
  db: Db,
  directory: Directory,
  lockedSeconds: Identified['lockedSeconds'],
): Promise<DoorState> {
  const { rows } = await sql<DoorState>`
    select (select status from organizations where id = ${directory.organizationId}) as organization_status,
      ${lockedSeconds} as locked_seconds`.execute(db)
  const [state] = rows
  if (!state) throw new Error('A statement without a row')
  return state
}

export interface SignInStatement {
  /** Consumes the one-time secret: returns one row if it could be consumed, otherwise none. */
  proof: OperationNodeSource
  /** May use `exists (select from proof)`. */
  alongside: OperationNodeSource | null
  userId: string
  /** The mailbox of the proof: the user must still have it. */
  emailNorm: string
  epoch: number
  /** Becomes the user's auth account if there is none yet. */
  newAuthAccountId: string
  /** Conditions on the row `users`: whether the facts that the gates decided by still hold. */
  conditions: RawBuilder<unknown>[]
  session: {
    id: string
    authMethod: string
    amr: string[]
    aal: string
    ipAddress: string | null
    userAgent: string | null
    refreshHash: Buffer
    idleSeconds: number
    maxSeconds: number
    trustedDeviceId: string | null
  }
  /** Records the events, from the common table expression `session`. */
  record: RawBuilder<unknown>
}

/**
 * The one statement that creates a session: it consumes the proof, inserts the session, updates the user and records
 * the events, so that a crash leaves neither a consumed code without a session nor the reverse.
 * @returns null when the proof was already consumed, or when the user was deleted, was cut off, changed address or
 * came to need another factor since the facts were read; the code is then consumed without a session.
 */
export async function insertSignIn(db: Db, directory: Directory, statement: SignInStatement) {
  const { session } = statement
  const { rows } = await sql<{ auth_account_id: string; created_at: Date; expires_at: Date }>`
    with proof as (${statement.proof}),
    ${statement.alongside ? sql`alongside as (${statement.alongside}),` : sql``}
    signed_in as (
      update users set last_login_at = clock_now(),
        auth_account_id = coalesce(auth_account_id, ${statement.newAuthAccountId}::uuid)
      where directory_id = ${directory.id} and id = ${statement.userId} and email_norm = ${statement.emailNorm}
        and ${sql.join([sql`epoch = ${statement.epoch}`, ...statement.conditions], sql` and `)}
        and active and deleted_at is null
        and exists (select from proof)
      returning auth_account_id),
    session as (
      insert into sessions (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal,
        ip_address, user_agent, refresh_hash, trusted_device_id, idle_expires_at, expires_at)
      select ${directory.id}::uuid, ${session.id}::uuid, ${directory.environmentId}::uuid, ${statement.userId}::uuid,
        signed_in.auth_account_id, ${session.authMethod}, ${session.amr}::text[], ${session.aal},
        ${session.ipAddress}, ${session.userAgent}, ${session.refreshHash}::bytea, ${session.trustedDeviceId}::uuid,
        clock_now() + make_interval(secs => least(${session.idleSeconds}::int, ${session.maxSeconds}::int)),
        clock_now() + make_interval(secs => ${session.maxSeconds}::int)
      from signed_in
      returning auth_account_id, created_at, expires_at),
    recorded as (${statement.record})
    select * from session`.execute(db)
  return rows[0] ?? null
}

import { type RawBuilder, sql } from 'kysely'
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

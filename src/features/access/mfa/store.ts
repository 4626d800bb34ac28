import { type RawBuilder, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { PolicyFields } from './schema.ts'

export interface PolicyRow {
  require_mfa: boolean
  grace_period_days: number
  allowed_methods: string[]
  enforce_for_roles: string[]
  /** Names of the fields whose value comes from the defaults. */
  inherited: string[]
  required_since: Date | null
  version: number
  updated_at: Date
}

const columns = sql`require_mfa, grace_period_days, allowed_methods, enforce_for_roles, inherited, required_since,
  version, updated_at`

export async function findPolicyRow(db: Db, directoryId: string): Promise<PolicyRow | null> {
  const { rows } = await sql<PolicyRow>`
    select ${columns} from mfa_policies where directory_id = ${directoryId}`.execute(db)
  return rows[0] ?? null
}

/** Locks the row until the transaction ends. If there is none, inserts one that inherits every field. */
export async function lockPolicyRow(tx: Tx, directory: Directory, defaults: PolicyFields): Promise<PolicyRow> {
  const { rows } = await sql<PolicyRow>`
    insert into mfa_policies as p (directory_id, require_mfa, grace_period_days, allowed_methods, enforce_for_roles,
      inherited, version)
    values (${directory.id}, ${defaults.require_mfa}, ${defaults.grace_period_days},
      ${defaults.allowed_methods}::text[], ${defaults.enforce_for_roles}::text[], ${Object.keys(defaults)}::text[], 0)
    on conflict (directory_id) do update set version = p.version
    returning ${columns}`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('A policy was not stored')
  return row
}

/** The values that a directory sets, and what results from them and from inherited values. */
export interface PolicyChange {
  fields: PolicyFields
  inherited: string[]
  requires: boolean
  /** Since when a second factor has been required; null if it was not. */
  since: Date | null
}

/** Writes the policy. `required_since` is set once, by the first requirement. */
export async function writePolicyRow(tx: Tx, directory: Directory, change: PolicyChange): Promise<PolicyRow> {
  const { fields: policy, inherited, requires, since } = change
  const { rows } = await sql<PolicyRow>`
    with clock as materialized (select clock_now() as at)
    update mfa_policies set require_mfa = ${policy.require_mfa}, grace_period_days = ${policy.grace_period_days},
      allowed_methods = ${policy.allowed_methods}::text[], enforce_for_roles = ${policy.enforce_for_roles}::text[],
      inherited = ${inherited}::text[], required_since = coalesce(required_since, ${since}::timestamptz,
        case when ${requires}::boolean then clock.at end),
      version = version + 1, updated_at = clock.at
    from clock where directory_id = ${directory.id} returning ${columns}`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('A policy has disappeared')
  return row
}

/** What determines the end of a grace period. */
type GracePolicy = Pick<PolicyRow, 'grace_period_days' | 'required_since' | 'enforce_for_roles'> & {
  /** Only for a team member: since when they have had roles that the policy covers, without a break. */
  gainedAt?: Date | null
}

/** A team member who has had no covered role for this long gets a new grace period with the next one. */
export const GRACE_BREAK_MS = 30 * 86_400_000

export interface GraceRow {
  ends_at: Date
  over: boolean
}

/**
 * Returns when the grace period of a user ends. The first call fixes the end: neither a changed policy nor another
 * sign-in extends it. Only a team member gets a new grace period, with the first covered role after a break. Returns
 * null if the user was deleted.
 */
export async function settleGrace(
  db: Db,
  directory: Directory,
  userId: string,
  policy: GracePolicy,
): Promise<GraceRow | null> {
  const find = sql`
    select ends_at, began_at from mfa_grace where directory_id = ${directory.id} and user_id = ${userId}`
  const gainedAt = sql`${policy.gainedAt ?? null}::timestamptz`
  const before = policy.gainedAt ? new Date(policy.gainedAt.getTime() - GRACE_BREAK_MS) : null
  const isBefore = (moment: RawBuilder<unknown>) => sql`coalesce(${moment} <= ${before}::timestamptz, false)`
  const { rows } = await sql<GraceRow>`
    with known as (${find}),
    made as (
      insert into mfa_grace as grace (directory_id, user_id, ends_at, began_at)
      select directory_id, id, ${graceEnd(policy)}, ${gainedAt} from users
      where directory_id = ${directory.id} and id = ${userId} and deleted_at is null
        and not exists (select from known where not ${isBefore(sql`coalesce(began_at, ends_at)`)})
      -- Locks the user's row, so that no row is left here for a user who is deleted or moved at the same time.
      for update
      on conflict (directory_id, user_id) do update set ends_at = excluded.ends_at, began_at = excluded.began_at
        where ${isBefore(sql`coalesce(grace.began_at, grace.ends_at)`)}
      returning ends_at)
    select ends_at, ends_at <= clock_now() as over from (
      select ends_at from made union all
      select ends_at from known where not exists (select from made)) grace`.execute(db)
  if (rows[0]) return rows[0]
  // A concurrent sign-in of the same user has just inserted the row.
  const { rows: later } = await sql<GraceRow>`
    select ends_at, ends_at <= clock_now() as over from (${find}) grace`.execute(db)
  return later[0] ?? null
}

/**
 * The end of a grace period. It begins when the user was created, when the requirement began, or when the user got a
 * role that requires a factor, whichever is latest.
 */
function graceEnd({ gainedAt = null, ...policy }: GracePolicy) {
  const span = sql`make_interval(days => ${policy.grace_period_days}::int)`
  // Does not depend on when the user was created, since a member who is removed and invited again is a new user.
  if (gainedAt !== null) return sql`${gainedAt}::timestamptz + ${span}`
  const since = policy.required_since === null ? now : sql`${policy.required_since}::timestamptz`
  const gained = policy.enforce_for_roles.length > 0 ? sql`users.role_since` : sql`null`
  return sql`greatest(users.created_at, ${since}, ${gained}) + ${span}`
}

export interface PreviewRow {
  id: string
  email: string
  role: string
  standing: 'asked' | 'in_grace' | 'locked_out'
}

export interface PreviewCount {
  role: string
  standing: PreviewRow['standing'] | 'free'
  count: number
}

/** Counts the active users by what a policy would mean for them. */
export async function countStandings(
  db: Db,
  directory: Directory,
  policy: PolicyFields & { required_since: Date | null },
): Promise<PreviewCount[]> {
  const { rows } = await sql<PreviewCount>`
    select role, standing, count(*)::int as count from (${standings(directory, policy)}) people
    group by role, standing order by role`.execute(db)
  return rows
}

/** The first users with a given standing, sorted by address. */
export async function findStanding(
  db: Db,
  directory: Directory,
  policy: PolicyFields & { required_since: Date | null },
  { standing, limit }: { standing: PreviewRow['standing']; limit: number },
): Promise<PreviewRow[]> {
  const { rows } = await sql<PreviewRow>`
    select id, email, role, standing from (${standings(directory, policy)}) people
    where standing = ${standing} order by email_norm limit ${limit}`.execute(db)
  return rows
}

function standings(directory: Directory, policy: PolicyFields & { required_since: Date | null }) {
  return sql`
    select users.id, users.email, users.email_norm, users.role, case
      when users.mfa_enrolled then 'asked'
      when not ${policy.require_mfa}::boolean then 'free'
      when cardinality(${policy.enforce_for_roles}::text[]) > 0
        and not users.role = any(${policy.enforce_for_roles}::text[]) then 'free'
      -- They can sign in with the passkey, which counts as both factors.
      when users.passkey_count > 0 then 'asked'
      when coalesce(grace.ends_at, ${graceEnd(policy)}) > clock_now() then 'in_grace'
      else 'locked_out' end as standing
    from users
    left join mfa_grace grace on grace.directory_id = users.directory_id and grace.user_id = users.id
    where users.directory_id = ${directory.id} and users.deleted_at is null and users.active
      and users.pending_until is null`
}

import { type InsertObject, sql, type UpdateObject } from 'kysely'
import { isOwnerSeenFrom } from '../../platform/db/home-environment.ts'
import { now } from '../../platform/db/now.ts'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { DB } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { type Page, takePage } from '../../platform/http/pagination.ts'
import type { MemberRow, MemberUser } from './schema.ts'

/** Whose memberships: those of the account, or with an organization, its roster. */
export interface TeamScope {
  accountId: string
  organizationId: string | null
  /** From where the account is seen: without the rosters of organizations that do not exist there. Absent: from anywhere. */
  environmentId?: string
}

export interface MemberFilter {
  status?: MemberRow['status'] | undefined
}

/**
 * Held until the transaction ends: all changes of a team, its rosters too, come one after the other, on whatever
 * process. Of two that take away the last two owners the second sees what the first did.
 */
export async function lockTeam(tx: Tx, { accountId }: Pick<TeamScope, 'accountId'>): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
}

export async function listMemberRows(
  db: Db,
  scope: TeamScope,
  filter: MemberFilter = {},
  page?: Page,
): Promise<MemberRow[]> {
  const query = matching(db, scope, filter)
  return (page ? takePage(query, page) : query.orderBy('created_at').orderBy('id')).execute()
}

export async function countMemberRows(db: Db, scope: TeamScope, filter: MemberFilter = {}): Promise<number> {
  const counted = db.selectFrom(matching(db, scope, filter).as('found'))
  const row = await counted.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return row.count
}

export async function findMemberRow(db: Db, scope: TeamScope, membershipId: string): Promise<MemberRow | undefined> {
  return selectMembers(db, scope).where(membership, '=', membershipId).executeTakeFirst()
}

/** Members of the account itself, of these memberships. */
export async function findAccountMemberRows(db: Db, { accountId }: TeamScope, ids: string[]): Promise<MemberRow[]> {
  if (ids.length === 0) return []
  return selectMembers(db, { accountId, organizationId: null })
    .where('organization_id', 'is', null)
    .where('id', 'in', ids)
    .execute()
}

/** Every row of a person: in the account, of organizations, on rosters. */
export async function listRowsOfAddress(
  db: Db,
  { accountId }: Pick<TeamScope, 'accountId'>,
  emailNorm: string,
): Promise<MemberRow[]> {
  return selectAll(db)
    .where('account_id', '=', accountId)
    .where('email_norm', '=', emailNorm)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The rows of somebody on rosters, as a member of the account. */
export async function listPlacementRows(
  db: Db,
  { accountId }: Pick<TeamScope, 'accountId'>,
  accountMemberId: string,
): Promise<MemberRow[]> {
  return selectAll(db)
    .where('account_id', '=', accountId)
    .where('account_member_id', '=', accountMemberId)
    .orderBy('id')
    .execute()
}

/** How many owners have joined, in the account itself or on a roster. */
export async function countOwners(db: Db, { accountId, organizationId }: TeamScope): Promise<number> {
  const row = await db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow()
  return row.count
}

export async function insertMemberRow(tx: Tx, row: InsertObject<DB, 'members'>): Promise<void> {
  await tx.insertInto('members').values(row).execute()
}

export async function updateMemberRow(
  tx: Tx,
  { accountId }: Pick<TeamScope, 'accountId'>,
  id: string,
  changes: UpdateObject<DB, 'members'>,
): Promise<void> {
  await tx
    .updateTable('members')
    .set({ ...changes, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** With the places on rosters that somebody has as a member of the account. */
export async function deleteMemberRow(tx: Tx, { accountId }: Pick<TeamScope, 'accountId'>, id: string): Promise<void> {
  for (const column of ['account_member_id', 'id'] as const)
    await tx.deleteFrom('members').where('account_id', '=', accountId).where(column, '=', id).execute()
}

/** The users of the console directory with these addresses, by address. */
export async function findMemberUsers(
  db: Db,
  directory: Directory,
  emailNorms: string[],
): Promise<Map<string, MemberUser>> {
  if (emailNorms.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['id', 'auth_account_id', 'email_norm'])
    .where('directory_id', '=', directory.id)
    .where('email_norm', 'in', emailNorms)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ email_norm, ...user }) => [email_norm, user]))
}

const membership = sql<string>`coalesce(account_member_id, id)`

function selectAll(db: Db) {
  return db
    .selectFrom('members')
    .select(['id', 'account_id', 'organization_id', 'account_member_id', 'email', 'email_norm', 'display_name'])
    .select(['joined_at', 'invite_expires_at', 'created_at', 'updated_at'])
    .select(sql<boolean>`coalesce(invite_expires_at <= clock_now(), true)`.as('invite_expired'))
    .select([sql<MemberRow['role']>`role`.as('role'), sql<MemberRow['status']>`status`.as('status')])
    .select(membership.as('membership_id'))
}

function matching(db: Db, scope: TeamScope, { status }: MemberFilter) {
  return selectMembers(db, scope).$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
}

/** Of the account: every membership, but no place on a roster that somebody has besides. */
function selectMembers(db: Db, { accountId, organizationId, environmentId }: TeamScope) {
  const query = selectAll(db).where('account_id', '=', accountId)
  if (organizationId !== null) return query.where('organization_id', '=', organizationId)
  return query
    .where('account_member_id', 'is', null)
    .$if(environmentId !== undefined, (seen) => seen.where(isOwnerSeenFrom('organization_id', environmentId ?? '')))
}

/** Whoever is invited under this address has joined. Returns the memberships that became active. */
export async function activateRows(
  tx: Tx,
  { accountId }: Pick<TeamScope, 'accountId'>,
  emailNorm: string,
): Promise<MemberRow[]> {
  const changed = await tx
    .updateTable('members')
    .set({ status: 'active', joined_at: now, invite_expires_at: null, updated_at: now })
    .where('account_id', '=', accountId)
    .where('email_norm', '=', emailNorm)
    .where('status', '=', 'invited')
    .where('invite_expires_at', '>', now)
    .returning('id')
    .execute()
  const ids = new Set(changed.map(({ id }) => id))
  return (await listRowsOfAddress(tx, { accountId }, emailNorm)).filter(({ id }) => ids.has(id))
}

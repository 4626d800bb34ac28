import { type InsertObject, type RawBuilder, sql, type UpdateObject } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import { isOwnerSeenFrom } from '../../../platform/db/home-environment.ts'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB } from '../../../platform/db/schema.gen.ts'
import { type Found, findPage, type Page } from '../../../platform/http/pagination.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { DEFAULT_ACCOUNT_NAME } from '../accounts/accounts.ts'
import type { MemberRow, MemberUser } from './schema.ts'
import type { TeamRole } from './team-roles/team-roles.ts'

/** Which memberships: of the account itself or, if `organizationId` is set, of the organization's roster. */
export interface TeamScope {
  accountId: string
  organizationId: string | null
  /** Leaves out rosters of organizations that do not exist in this environment. Absent: all rosters. */
  environmentId?: string
}

export interface MemberFilter {
  status?: MemberRow['status'] | undefined
}

/**
 * Locks the team until the transaction ends. All changes of a team and its rosters therefore run one after the other,
 * in all processes. If two requests remove the last two owners, the second sees what the first did.
 */
export async function lockTeam(tx: Tx, { accountId }: Pick<TeamScope, 'accountId'>): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
}

/**
 * Locks all rows of a person. Accepting an invitation locks these rows and not the team, so this waits until it has
 * finished.
 */
export async function lockRowsOfAddress(tx: Tx, { accountId }: TeamScope, emailNorm: string): Promise<void> {
  await lockable(tx, accountId).where('email_norm', '=', emailNorm).execute()
}

/** Locks every invitation to the roster of an organization, and the given account memberships that are invitations. */
export async function lockInvitedRows(
  tx: Tx,
  { accountId, organizationId }: TeamScope,
  accountMemberIds: string[],
): Promise<void> {
  await lockable(tx, accountId)
    .where('status', '=', 'invited')
    .where((eb) =>
      eb.or([eb('organization_id', '=', organizationId), eb('id', '=', sql<string>`any(${accountMemberIds}::uuid[])`)]),
    )
    .execute()
}

const lockable = (tx: Tx, accountId: string) =>
  tx.selectFrom('members').select('id').where('account_id', '=', accountId).orderBy('id').forUpdate()

export async function listMemberRows(db: Db, scope: TeamScope, filter: MemberFilter = {}): Promise<MemberRow[]> {
  return matching(db, scope, filter).orderBy('created_at').orderBy('id').execute()
}

export function findMemberPage(db: Db, scope: TeamScope, filter: MemberFilter, page: Page): Promise<Found<MemberRow>> {
  return findPage(db, matching(db, scope, filter), page)
}

export async function findMemberRow(db: Db, scope: TeamScope, membershipId: string): Promise<MemberRow | undefined> {
  return selectMembers(db, scope).where(membership, '=', membershipId).executeTakeFirst()
}

/** The memberships of the account itself with these ids. */
export async function findAccountMemberRows(db: Db, { accountId }: TeamScope, ids: string[]): Promise<MemberRow[]> {
  if (ids.length === 0) return []
  return selectMembers(db, { accountId, organizationId: null })
    .where('organization_id', 'is', null)
    .where('id', 'in', ids)
    .execute()
}

/** All rows of a person: in the account, in organizations, and on rosters. */
export async function listRowsOfAddress(
  db: Db,
  scope: Pick<TeamScope, 'accountId'>,
  emailNorm: string,
): Promise<MemberRow[]> {
  return listRowsOfAddresses(db, scope, [emailNorm])
}

/** All rows of several people. */
export async function listRowsOfAddresses(
  db: Db,
  { accountId }: Pick<TeamScope, 'accountId'>,
  emailNorms: string[],
): Promise<MemberRow[]> {
  return selectAll(db)
    .where('account_id', '=', accountId)
    .where('email_norm', 'in', emailNorms)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** All rows of a person, with the roles that they have lost. */
export async function listRolesOfAddress(db: Db, { accountId }: Pick<TeamScope, 'accountId'>, emailNorm: string) {
  return selectAll(db)
    .select(formerRoles.as('former_roles'))
    .where('account_id', '=', accountId)
    .where('email_norm', '=', emailNorm)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

const formerRoles = sql<{ role: TeamRole; since: string; until: string }[]>`
  (select coalesce(json_agg(json_build_object('role', former.role, 'since', former.since, 'until', former.until)), '[]')
    from former_team_roles former
    where former.account_id = members.account_id and former.email_norm = members.email_norm)`

/** A person's rows on rosters that belong to their membership of the account. */
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

/** How many owners have joined the account itself, or the roster of an organization. */
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

export async function insertMemberRows(tx: Tx, rows: InsertObject<DB, 'members'>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('members').values(rows).execute()
}

/** Makes the same changes to all of these memberships. */
export async function updateMemberRows(
  tx: Tx,
  { accountId }: Pick<TeamScope, 'accountId'>,
  ids: string[],
  changes: Omit<UpdateObject<DB, 'members'>, 'role' | 'role_since'> & { role?: TeamRole },
): Promise<void> {
  if (ids.length === 0) return
  const rows = tx.updateTable('members').where('account_id', '=', accountId).where(isAny('id', ids))
  const { role } = changes
  if (role !== undefined) {
    await keepFormerRoles(tx, { accountId }, sql`${isAny('id', ids)} and role <> ${role}`)
    await rows.where('role', '!=', role).set({ role_since: now }).execute()
  }
  await rows.set({ ...changes, updated_at: now }).execute()
}

/** Links rows of a roster to the account memberships with the same addresses. */
export async function linkRowsToMembers(
  tx: Tx,
  { accountId }: Pick<TeamScope, 'accountId'>,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('members')
    .set({
      account_member_id: sql`(select own.id from members own
        where own.account_id = ${accountId} and own.organization_id is null and own.email_norm = members.email_norm)`,
      updated_at: now,
    })
    .where('account_id', '=', accountId)
    .where(isAny('id', ids))
    .execute()
}

/** Deletes memberships, and the rows on rosters that belong to them. */
export async function deleteMemberRows(
  tx: Tx,
  { accountId }: Pick<TeamScope, 'accountId'>,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  await keepFormerRoles(tx, { accountId }, sql`(${isAny('id', ids)} or ${isAny('account_member_id', ids)})`)
  for (const column of ['account_member_id', 'id'] as const)
    await tx.deleteFrom('members').where('account_id', '=', accountId).where(isAny(column, ids)).execute()
}

const isAny = (column: 'id' | 'account_member_id', ids: string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${uuidArray(ids)}::uuid[])`

/**
 * Stores the roles that members are about to lose, if the MFA policy counts them. If the person had already lost the
 * same role less than 30 days before getting it again, both periods become one row.
 */
async function keepFormerRoles(tx: Tx, { accountId }: Pick<TeamScope, 'accountId'>, which: RawBuilder<unknown>) {
  await sql`
    with lost as (
      select email_norm, role, min(greatest(role_since, joined_at)) as since from members
      where account_id = ${accountId} and ${which} and status = 'active' and ${isInProduction}
      group by email_norm, role),
    joined as (
      delete from former_team_roles former using lost
      where former.account_id = ${accountId} and former.email_norm = lost.email_norm and former.role = lost.role
        and lost.since - former.until < interval '30 days'
      returning former.email_norm, former.role, former.since)
    insert into former_team_roles (account_id, email_norm, role, since, until)
    select ${accountId}, lost.email_norm, lost.role, least(lost.since, min(joined.since)), clock_now()
    from lost left join joined on joined.email_norm = lost.email_norm and joined.role = lost.role
    group by lost.email_norm, lost.role, lost.since`.execute(tx)
}

/** The name of the organization, or of the account. Null if there is none. */
export async function findTeamName(db: Db, { accountId, organizationId }: TeamScope): Promise<string | null> {
  if (organizationId === null) {
    const account = db.selectFrom('accounts').select('name').where('id', '=', accountId)
    const name = (await account.executeTakeFirst())?.name ?? null
    return name === DEFAULT_ACCOUNT_NAME ? null : name
  }
  const query = db.selectFrom('organizations').select('name').where('account_id', '=', accountId)
  return (await query.where('id', '=', organizationId).executeTakeFirst())?.name ?? null
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

const membership = sql<string>`coalesce(members.account_member_id, members.id)`

// Production organizations have no home environment (`home-environment.ts`).
const isInProduction = sql<boolean>`(members.organization_id is null or exists (select from organizations
  where organizations.id = members.organization_id and organizations.home_environment_id is null))`

function selectAll(db: Db) {
  return db
    .selectFrom('members')
    .select(['id', 'account_id', 'organization_id', 'account_member_id', 'email', 'email_norm', 'display_name'])
    .select([
      'joined_at',
      'invite_expires_at',
      'invite_link_id',
      'invited_by_type',
      'invited_by_id',
      'created_at',
      'updated_at',
    ])
    .select(sql<boolean>`coalesce(invite_expires_at <= clock_now(), true)`.as('invite_expired'))
    .select(sql<Date>`greatest(role_since, coalesce(joined_at, clock_now()))`.as('role_held_since'))
    .select(isInProduction.as('in_production'))
    .select([sql<MemberRow['role']>`role`.as('role'), sql<MemberRow['status']>`status`.as('status')])
    .select(membership.as('membership_id'))
    .select((eb) =>
      eb
        .selectFrom('members as own')
        .select(sql<MemberRow['account_role']>`own.role`.as('role'))
        .whereRef('own.account_id', '=', 'members.account_id')
        .where('own.organization_id', 'is', null)
        .whereRef('own.email_norm', '=', 'members.email_norm')
        .where('own.status', '=', 'active')
        .as('account_role'),
    )
}

function matching(db: Db, scope: TeamScope, { status }: MemberFilter) {
  return selectMembers(db, scope).$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
}

/**
 * For an account, selects every membership once, without the roster rows that belong to a membership of the account.
 */
function selectMembers(db: Db, { accountId, organizationId, environmentId }: TeamScope) {
  const query = selectAll(db).where('account_id', '=', accountId)
  if (organizationId !== null) return query.where('organization_id', '=', organizationId)
  return query
    .where('account_member_id', 'is', null)
    .$if(environmentId !== undefined, (seen) => seen.where(isOwnerSeenFrom('organization_id', environmentId ?? '')))
}

/**
 * Activates what an invitation link gives: the membership that it was mailed for, with the roster rows that belong to
 * it. A link of an earlier release accepts every invitation of that release. Returns the new memberships.
 */
export async function activateRows(
  tx: Tx,
  { accountId }: Pick<TeamScope, 'accountId'>,
  accepted: { emailNorm: string; linkId: string },
): Promise<MemberRow[]> {
  const invited = (await listRowsOfAddress(tx, { accountId }, accepted.emailNorm)).filter(isInvited)
  const live = invited.filter(({ account_member_id, invite_expired, invite_link_id: linkId }) =>
    linkId === null ? account_member_id === null && !invite_expired : linkId === accepted.linkId && !invite_expired,
  )
  const placed = invited.filter(({ account_member_id }) => live.some(({ id }) => id === account_member_id))
  const ids = [...new Set([...live, ...placed].map(({ id }) => id))]
  if (ids.length === 0) return []
  const changed = await tx
    .updateTable('members')
    .set({ status: 'active', joined_at: now, invite_expires_at: null, invite_link_id: null, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .where('status', '=', 'invited')
    // Skips a row if another link has renewed the invitation since it was read.
    .where((eb) => eb.or([eb('invite_link_id', 'is', null), eb('invite_link_id', '=', accepted.linkId)]))
    .returning('id')
    .execute()
  const active = new Set(changed.map(({ id }) => id))
  return (await listRowsOfAddress(tx, { accountId }, accepted.emailNorm)).filter(({ id }) => active.has(id))
}

const isInvited = ({ status }: MemberRow) => status === 'invited'

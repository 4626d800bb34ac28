import { isId } from '../../../platform/ids.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { homeEnvironmentOf } from '../../../platform/tenancy/directory.ts'
import type { AccountTxWork, AccountWork, Work } from '../../../platform/work.ts'
import {
  describeMember,
  endAccess,
  endMemberships,
  memberForEvents,
  membersForEvents,
  recordMember,
  type TeamRequest,
} from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import { type Member, type MemberRow, rolesHeld } from './schema.ts'
import {
  countOwners,
  deleteMemberRows,
  findMemberRow,
  listPlacementRows,
  lockRowsOfAddress,
  lockTeam,
  type TeamScope,
  updateMemberRows,
} from './store.ts'
import { assertMayActOn, assertMayChange, coversRole, type TeamRole } from './team-roles.ts'
import { inTeamTurn } from './turns.ts'

/**
 * Gives a member of the account, or of the organization that the scope names, another role. Fewer permissions take effect
 * at once. Throws `member_not_found`, `last_owner`, `privilege_escalation`.
 */
export async function changeRole(work: TeamRequest, id: string, role: TeamRole): Promise<Member> {
  return inTeamTurn(work, async (work) => {
    const before = await lockMembership(work, id)
    for (const held of rolesHeld(before)) assertMayActOn(work.caller, held)
    assertMayChange(work.caller, before.role, role)
    if (before.role === role) return describeMember(work, before)
    await assertOwnerRemains(work, before)
    await updateMemberRows(work.db, work.account, [before.id], { role })
    if (!coversRole(before.role, role)) await endAccess(work, [before])
    const after = existing(await findTeamRow(work, id))
    await recordMember(work, memberEvents.roleUpdated, await memberForEvents(work, after), { role: before.role })
    return describeMember(work, after)
  })
}

/**
 * Removes a member from the account, with all rosters that they are on, or from the roster that the scope names.
 * Throws `member_not_found`, `last_owner`, `privilege_escalation`.
 */
export async function removeMember(work: TeamRequest, id: string): Promise<void> {
  await inTeamTurn(work, async (work) => removeRow(work, await lockMembership(work, id)))
}

/**
 * The same for a membership or invitation that was read while the team is locked. Throws `last_owner`,
 * `privilege_escalation`.
 */
export async function removeRow(work: AccountTxWork & TeamRequest, row: MemberRow): Promise<void> {
  const gone = row.account_member_id === null ? await listPlacementRows(work.db, work.account, row.id) : []
  for (const each of [row, ...gone]) {
    for (const held of rolesHeld(each)) assertMayActOn(work.caller, held)
    await assertOwnerRemains(work, each)
  }
  const told = await membersForEvents(work, [row, ...gone])
  await deleteMemberRows(work.db, work.account, [row.id])
  await endMemberships(work, [row], gone)
  for (const member of told) await recordMember(work, endEventOf(member), member)
}

/** The event of a membership or an invitation that ends. */
export function endEventOf({ status }: Pick<Member, 'status'>) {
  return status === 'active' ? memberEvents.removed : memberEvents.invitationWithdrawn
}

/**
 * Refuses a caller that lacks permissions of a member of the organization that the work is in; nothing is refused where
 * there is no such member. Throws `privilege_escalation`.
 */
export async function assertMayActOnMember(
  work: Work & { caller: ManagerCaller },
  membershipId: string,
): Promise<void> {
  const row = await findMemberRow(work.db, work.directory, membershipId)
  for (const held of row ? rolesHeld(row) : []) assertMayActOn(work.caller, held)
}

/** A membership of the scope, while no other change of the team and no acceptance of it goes on. */
export async function findHeldMember(work: AccountTxWork, id: string): Promise<MemberRow | undefined> {
  await lockTeam(work.db, work.account)
  const row = await findTeamRow(work, id)
  if (row?.status !== 'invited') return row
  await lockRowsOfAddress(work.db, work.account, row.email_norm)
  return findTeamRow(work, id)
}

/** A membership that the caller reaches. Throws `member_not_found`. */
export async function getMemberRow(work: AccountWork, id: string): Promise<MemberRow> {
  return existing(await findTeamRow(work, id))
}

/** The same, held. Throws `member_not_found`. */
async function lockMembership(work: AccountTxWork, id: string): Promise<MemberRow> {
  return existing(await findHeldMember(work, id))
}

function existing(row: MemberRow | undefined): MemberRow {
  if (!row) throw memberErrors.notFound()
  return row
}

/** A membership or an invitation that the caller reaches, by the id that lists show. */
export async function findTeamRow(work: AccountWork, id: string): Promise<MemberRow | undefined> {
  const known = id.toLowerCase()
  return isId(known) ? findMemberRow(work.db, work.account, known) : undefined
}

/**
 * Refuses to remove the last owner. A roster of another environment does not count: a staging key could make a member
 * of the account its only owner, and production could not remove that member. Throws `last_owner`.
 */
async function assertOwnerRemains(work: AccountTxWork, row: MemberRow): Promise<void> {
  if (row.role !== 'owner' || row.status !== 'active') return
  const home = await homeEnvironmentOf(work.platform, row.account_id, row.organization_id)
  if (home.environmentId !== work.account.directory.environmentId) return
  const scope: TeamScope = { accountId: row.account_id, organizationId: row.organization_id }
  if ((await countOwners(work.db, scope)) > 1) return
  const of = row.organization_id ? `the roster of the organization ${row.organization_id}` : 'the account'
  throw memberErrors.lastOwner({ detail: `This is the last owner of ${of}. Make another member an owner first.` })
}

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
import { assertMayActOn, assertMayChange, coversRole, type TeamRole } from './team-roles/team-roles.ts'
import { inTeamTurn } from './turns.ts'

/**
 * Gives another role to a member of the account, or of the organization in `account`. A role with fewer permissions
 * takes effect at once. Throws `member_not_found`, `last_owner`, `privilege_escalation`.
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
 * Removes a member from the account and all rosters, or from the roster of the organization in `account`. Throws
 * `member_not_found`, `last_owner`, `privilege_escalation`.
 */
export async function removeMember(work: TeamRequest, id: string): Promise<void> {
  await inTeamTurn(work, async (work) => removeRow(work, await lockMembership(work, id)))
}

/**
 * Removes a membership or invitation that was read while the team was locked. Throws `last_owner`,
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

/** The event for the end of a membership or invitation. */
export function endEventOf({ status }: Pick<Member, 'status'>) {
  return status === 'active' ? memberEvents.removed : memberEvents.invitationWithdrawn
}

/**
 * Refuses a caller that lacks any permission of a member of the work's organization. Refuses nothing if there is no
 * such member. Throws `privilege_escalation`.
 */
export async function assertMayActOnMember(
  work: Work & { caller: ManagerCaller },
  membershipId: string,
): Promise<void> {
  const row = await findMemberRow(work.db, work.directory, membershipId)
  for (const held of row ? rolesHeld(row) : []) assertMayActOn(work.caller, held)
}

/**
 * Locks the team and returns a membership. For an invitation, first waits until any acceptance in progress has
 * finished.
 */
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

/** Like `getMemberRow`, with the team locked. Throws `member_not_found`. */
async function lockMembership(work: AccountTxWork, id: string): Promise<MemberRow> {
  return existing(await findHeldMember(work, id))
}

function existing(row: MemberRow | undefined): MemberRow {
  if (!row) throw memberErrors.notFound()
  return row
}

/** A membership or invitation that the caller reaches, by the id that lists show. */
export async function findTeamRow(work: AccountWork, id: string): Promise<MemberRow | undefined> {
  const known = id.toLowerCase()
  return isId(known) ? findMemberRow(work.db, work.account, known) : undefined
}

/**
 * Refuses to remove the last owner. Rosters of another environment are exempt: otherwise a staging key could make a
 * member of the account the only owner of a staging roster, and production could not remove this member. Throws
 * `last_owner`.
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

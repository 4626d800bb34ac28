import type { KeyCaller } from '../../platform/http/caller.ts'
import { type AccountScope, homeEnvironmentOf } from '../../platform/http/directory.ts'
import { isId } from '../../platform/ids.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { describeMember, endAccess, recordMember } from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import type { Member, MemberRow } from './schema.ts'
import {
  countOwners,
  deleteMemberRow,
  findMemberRow,
  listPlacementRows,
  lockTeam,
  type TeamScope,
  updateMemberRow,
} from './store.ts'
import { assertMayChange, coversRole, type TeamRole } from './team-roles.ts'

/** The work of a request that changes the team, with who asks. */
export interface TeamWork extends Work<AccountScope> {
  caller: KeyCaller
}

/**
 * Gives a member of the account, or of the organization that the scope names, another role. Less than before takes effect
 * at once. Throws `member_not_found`, `last_owner`, `privilege_escalation`.
 */
export async function changeRole(work: TeamWork, id: string, role: TeamRole): Promise<Member> {
  return inTx(work, async (work) => {
    const before = await holdMember(work, id)
    assertMayChange(work.caller, before.role, role)
    const was = await describeMember(work, before)
    if (before.role === role) return was
    await assertOwnerRemains(work, before)
    await updateMemberRow(work.db, work.directory, before.id, { role })
    if (!coversRole(before.role, role)) await endAccess(work, before.email_norm)
    const member = await describeMember(work, await getMemberRow(work, id))
    await recordMember(work, memberEvents.roleUpdated, member, { role: before.role })
    return member
  })
}

/**
 * Removes a member from the account, with all rosters that they are on, or from the roster that the scope names.
 * Throws `member_not_found`, `last_owner`, `privilege_escalation`.
 */
export async function removeMember(work: TeamWork, id: string): Promise<void> {
  await inTx(work, async (work) => {
    const row = await holdMember(work, id)
    const gone = row.account_member_id === null ? await listPlacementRows(work.db, work.directory, row.id) : []
    for (const each of [row, ...gone]) {
      assertMayChange(work.caller, each.role, null)
      await assertOwnerRemains(work, each)
    }
    const told = []
    for (const each of [row, ...gone]) if (each.status === 'active') told.push(await describeMember(work, each))
    await deleteMemberRow(work.db, work.directory, row.id)
    await endAccess(work, row.email_norm)
    for (const member of told) await recordMember(work, memberEvents.removed, member)
  })
}

/** A membership, while no other change of the team goes on. Throws `member_not_found`. */
async function holdMember(work: TxWork<AccountScope>, id: string): Promise<MemberRow> {
  await lockTeam(work.db, work.directory)
  return getMemberRow(work, id)
}

/** A membership that the caller reaches. Throws `member_not_found`. */
export async function getMemberRow(work: Work<AccountScope>, id: string): Promise<MemberRow> {
  const known = id.toLowerCase()
  const row = isId(known) ? await findMemberRow(work.db, work.directory, known) : undefined
  if (!row) throw memberErrors.notFound()
  return row
}

/**
 * Where this row is an owner's, another one must be left. A roster of an environment that the change does not affect keeps
 * nobody: a staging key could make a member of the account its only owner. Throws `last_owner`.
 */
async function assertOwnerRemains(work: TxWork<AccountScope>, row: MemberRow): Promise<void> {
  if (row.role !== 'owner' || row.status !== 'active') return
  const home = await homeEnvironmentOf(work.platform, row.account_id, row.organization_id)
  if (home.environmentId !== work.directory.directory.environmentId) return
  const scope: TeamScope = { accountId: row.account_id, organizationId: row.organization_id }
  if ((await countOwners(work.db, scope)) > 1) return
  const of = row.organization_id ? `the roster of the organization ${row.organization_id}` : 'the account'
  throw memberErrors.lastOwner({ detail: `This is the last owner of ${of}: make somebody else an owner first.` })
}

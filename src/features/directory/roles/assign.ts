import { directoryRolePermissions } from '../../../contract/permissions.ts'
import { type ApiError, invalidField } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { defineSlot } from '../../../platform/platform.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { findDirectoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import { inTx, type ReachWork, type TxWork, type Work } from '../../../platform/work.ts'
import { getUserForUpdate, reachUser } from '../users/users.ts'
import {
  findMemberRow,
  listAssignmentsOfMember,
  listAssignmentsOfUsers,
  lockMemberRow,
  setMemberRoleRows,
} from './assignment-store.ts'
import { roleErrors } from './errors.ts'
import { assignmentEvents, giveRoles, type HeldRole, lockRoles, roleFinder } from './give.ts'
import { removeManagedRoles } from './managed.ts'
import { assertMayGrant } from './permissions.ts'
import { toAssignment, type UserRolesChange } from './schema.ts'
import type { AssignmentRow } from './store.ts'

type CallerWork = Work & { caller: ManagerCaller }

// Slot: the team belongs to `tenancy`, which may not be imported from here. `src/wiring` fills the slot.
/** Refuses a caller that lacks any permission of a member of the organization. Throws `privilege_escalation`. */
export const memberGuard = defineSlot<(work: CallerWork, membershipId: string) => Promise<void>>(
  'who may act on a member of the team',
)

const idsOf = (rows: AssignmentRow[]) => [...new Set(rows.map(({ role_id }) => role_id))].sort()

const shown = (rows: AssignmentRow[]) => ({ roleIds: idsOf(rows), assignments: rows.map(toAssignment) })

const directoryRole = (role: string) => (role === 'admin' ? ('admin' as const) : ('member' as const))

/** The roles of a user, and where each comes from. Throws `user_not_found`. */
export async function readUserRoles(work: ReachWork, userId: string) {
  const { user } = await reachUser(work, userId)
  const rows = await listAssignmentsOfUsers(work.db, work.reach, [user.id])
  return { ...shown(rows), role: directoryRole(user.role) }
}

/**
 * Replaces the roles of a user; absent fields stay. A role that comes from groups remains tied to the groups, so it
 * still ends with them. Throws `user_not_found`, `invalid_request` for roles that the organization does not have,
 * `privilege_escalation` for roles beyond the key's scopes, and `role_managed` if a role from groups would be removed
 * without `force`.
 */
export async function setUserRoles(work: CallerWork, userId: string, change: UserRolesChange) {
  return inTx(work, async (work) => {
    const { db, directory, caller } = work
    const roles = change.roleIds && (await lockAll(work, change.roleIds))
    const held = await getUserForUpdate(work, userId)
    const had = await listAssignmentsOfUsers(db, directory, [held.id])
    const managed = had.filter(({ source }) => source !== 'manual')
    const manual = had.filter(({ source }) => source === 'manual')
    const isManagedAdmin = held.sso_role === 'admin' || held.scim_role === 'admin'
    const own = roles?.filter(({ id }) => isAmong(manual, id) || !isAmong(managed, id))
    const role = change.role === 'admin' && isManagedAdmin ? undefined : change.role
    if (own) assertMayGive(caller, own, manual)
    if (role === 'admin' && held.own_role !== 'admin') assertMayGrant(caller, directoryRolePermissions.admin)
    const lost = {
      admin: isManagedAdmin && role !== undefined,
      roleIds: roles ? idsOf(managed).filter((id) => !roles.some((one) => one.id === id)) : [],
    }
    const user = await removeManagedRoles(work, { user: held, managed, lost, force: change.force ?? false })
    const [after = user] = await giveRoles(work, 'manual', [{ user, role, roleIds: own?.map(({ id }) => id) }])
    const rows = await listAssignmentsOfUsers(db, directory, [user.id])
    return { success: true, ...shown(rows), role: directoryRole(after.role) }
  })
}

const isAmong = (rows: AssignmentRow[], id: string) => rows.some(({ role_id }) => role_id === id)

/** The roles of a member. Throws `role_member_not_found`. */
export async function readMemberRoles(work: ReachWork, membershipId: string) {
  const id = readId(membershipId)
  const { platform, db, reach } = work
  const member = await findMemberRow(db, reach, id)
  if (!member) throw roleErrors.memberNotFound()
  // A membership of the account has no directory. Its roles in directories with the RBAC service off are left out.
  const directory =
    member.organization_id && (await findDirectoryOfOrganization(platform, reach, member.organization_id))
  // Throws if the RBAC service is off in the membership's directory.
  if (directory) await directoryInReach(platform, reach, directory.id)
  return shown(await listAssignmentsOfMember(db, reach, id))
}

/**
 * Replaces the roles of a member. The caller must have all permissions that the member has. Throws
 * `role_member_not_found`, `privilege_escalation`, and what `setUserRoles` throws.
 */
export async function setMemberRoles(work: CallerWork, membershipId: string, names: string[]) {
  const id = readId(membershipId)
  return inTx(work, async (work) => {
    const { db, directory, caller } = work
    const roles = await lockAll(work, names)
    const member = await lockMemberRow(db, directory, id)
    if (!member) throw roleErrors.memberNotFound()
    await memberGuard.of(work.platform)(work, id)
    assertMayGive(caller, roles, await listAssignmentsOfMember(db, directory, id))
    const wanted = roles.map((role) => ({ id: newId(), role_id: role.id }))
    await record(work, ...assignmentEvents(await setMemberRoleRows(db, directory, member, wanted)))
    return { success: true, ...shown(await listAssignmentsOfMember(db, directory, id)) }
  })
}

function assertMayGive(caller: ManagerCaller, roles: HeldRole[], had: AssignmentRow[]): void {
  const more = roles.filter(({ id }) => !had.some(({ role_id }) => role_id === id))
  assertMayGrant(caller, [...new Set(more.flatMap(({ permissions }) => permissions))])
}

async function lockAll(work: TxWork, names: string[]): Promise<HeldRole[]> {
  const roles = await lockRoles(work, names)
  const refusal = refusalOfUnknown(roleFinder(roles), names)
  if (refusal) throw refusal
  return roles
}

/** The error for the first name that is not one of these roles, or null. */
export function refusalOfUnknown(find: ReturnType<typeof roleFinder>, names: string[]): ApiError | null {
  const strange = names.findIndex((name) => !find(name))
  return strange < 0
    ? null
    : invalidField('roleIds', 'unknown_role', `roleIds.${strange} is not a role of the organization`)
}

function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isId(id)) throw roleErrors.memberNotFound()
  return id
}

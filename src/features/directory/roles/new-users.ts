import { directoryRolePermissions } from '../../../contract/permissions.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { EventInput } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { authorize } from '../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { requireService } from '../../../platform/tenancy/services.ts'
import type { TxWork } from '../../../platform/work.ts'
import { type CheckedRoles, type NamedRoles, namesRoles, type RoleGiver } from '../users/new-roles/new-roles.ts'
import type { UserRow } from '../users/users.ts'
import { refusalOfUnknown, setUserRoles } from './assign.ts'
import { setAssignmentRows } from './assignment-store.ts'
import { assignmentEvents, type HeldRole, lockRoles, roleFinder } from './give.ts'
import { refusalToGrant } from './permissions.ts'

/**
 * Decides whether new users may get the roles that a request names, by the rules, scope and service of
 * `setUserRoles`.
 */
export async function checkNamedRoles(work: TxWork, named: NamedRoles[], giver: RoleGiver): Promise<CheckedRoles[]> {
  const barred = await refusalToAssign(work, giver)
  const names = barred ? [] : named.flatMap(({ roleIds = [] }) => roleIds)
  const held = await lockRoles(work, [...new Set(names)])
  const known = {
    find: roleFinder(held),
    // Checked once for each role, not for each user: 500 users may name 50 roles with 500 permissions each.
    beyond: new Map(giver ? held.map(({ id, permissions }) => [id, refusalToGrant(giver, permissions)]) : []),
    beyondAdmin: giver && refusalToGrant(giver, directoryRolePermissions.admin),
  }
  return named.map((one) => (namesRoles(one) && barred ? refused(barred) : checkRolesOfUser(known, one)))
}

/** Stores the role assignments of new users, whose rows already list their roles. Returns the events. */
export async function assignToNewUsers({ db, directory }: TxWork, users: UserRow[]): Promise<EventInput[]> {
  const wanted = users.flatMap(({ id, role_ids }) => role_ids.map((role_id) => ({ id: newId(), user_id: id, role_id })))
  const userIds = users.map(({ id }) => id)
  return assignmentEvents(await setAssignmentRows(db, directory, 'manual', { userIds, wanted }))
}

/** Replaces the roles of a user who has never signed in. Throws what `setUserRoles` throws. */
export async function replaceRoles(
  work: TxWork,
  user: UserRow,
  named: NamedRoles,
  giver: ManagerCaller,
): Promise<void> {
  await setUserRoles({ ...work, caller: giver }, user.id, named)
}

/** Why `giver` may not give any roles here; null if they may. */
async function refusalToAssign(work: TxWork, giver: RoleGiver): Promise<ApiError | null> {
  try {
    if (giver) authorize(giver, 'roles.write')
    await requireService(work, 'rbac')
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const refused = (unfit: ApiError): CheckedRoles => ({ unfit, beyond: null, columns: {} })

interface KnownRoles {
  find: (name: string) => HeldRole | undefined
  /** By role, why `giver` may not give it. */
  beyond: Map<string, ApiError | null>
  beyondAdmin: ApiError | null
}

function checkRolesOfUser({ find, beyond, beyondAdmin }: KnownRoles, { role, roleIds = [] }: NamedRoles): CheckedRoles {
  const unfit = refusalOfUnknown(find, roleIds)
  if (unfit) return { ...refused(unfit), unknownRole: roleIds.find((name) => !find(name)) }
  const ids = [...new Set(roleIds.flatMap((name) => find(name)?.id ?? []))].toSorted()
  const refusals = [role === 'admin' ? beyondAdmin : null, ...ids.map((id) => beyond.get(id) ?? null)]
  return {
    unfit: null,
    beyond: refusals.find((refusal) => refusal !== null) ?? null,
    columns: {
      ...(role === undefined ? {} : { role, own_role: role }),
      ...(ids.length === 0 ? {} : { role_ids: ids }),
    },
  }
}

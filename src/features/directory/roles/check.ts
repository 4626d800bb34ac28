import { directoryRolePermissions, isKnownPermission } from '../../../contract/permissions.ts'
import { isId } from '../../../platform/ids.ts'
import { directoryInReach, isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { ReachWork } from '../../../platform/work.ts'
import { userErrors } from '../users/users.ts'
import { isSystemRole } from './give.ts'
import type { CheckReply } from './schema.ts'
import { type CheckRow, findCheckRow } from './store.ts'

/**
 * Whether a user has a permission now, and why, in one statement. Denies it if the RBAC service is off in the user's
 * directory. Throws `user_not_found`.
 */
export async function checkPermission(
  work: ReachWork,
  { userId, permission }: { userId: string; permission: string },
): Promise<CheckReply> {
  const id = userId.toLowerCase()
  const row = isId(id) ? await findCheckRow(work.db, work.reach, { userId: id, permission }) : undefined
  if (!row) throw userErrors.notFound()
  const directory = await directoryInReach(work.platform, work.reach, row.directory_id)
  const isOn = directory && (await isServiceEnabled({ platform: work.platform, directory }, 'rbac'))
  return isOn ? evaluatePermission(row, permission) : { allowed: false, reason: 'service_disabled' }
}

function evaluatePermission(
  { active, role, organization_status, allowing, named }: CheckRow,
  permission: string,
): CheckReply {
  if (!active || (organization_status !== null && organization_status !== 'active'))
    return { allowed: false, reason: 'inactive' }
  const held: readonly string[] = isSystemRole(role) ? directoryRolePermissions[role] : []
  if (held.includes(permission)) return { allowed: true, reason: `role:${role}` }
  if (allowing !== null) return { allowed: true, reason: `role:${allowing}` }
  return { allowed: false, reason: named || isKnownPermission(permission) ? 'no_role' : 'unknown_permission' }
}

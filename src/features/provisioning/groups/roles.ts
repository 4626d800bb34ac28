import type { TxWork } from '../../../platform/work.ts'
import { giveRoles, isNamed, isSystemRole, lockRoles } from '../../directory/roles/roles.ts'
import { type HeldUser, lockUserRowsById } from '../../directory/users/users.ts'
import { isObject } from '../language/json.ts'
import {
  findGivenRoles,
  findMapping,
  type GivenRoles,
  type GroupRow,
  listGroupedUserIds,
  lockConnectionId,
  type RoleRule,
} from './store.ts'

/**
 * Returns which groups give which roles, by the mapping of the connection that provisioning is linked to. Until the
 * transaction ends, the rules cannot change and these roles cannot be deleted. Lock order: before any group, and
 * groups before users.
 */
export async function lockRules(work: TxWork): Promise<RoleRule[]> {
  const connectionId = await lockConnectionId(work.db, work.directory)
  if (connectionId === null) return []
  const said = readRules(await findMapping(work.db, work.directory, connectionId))
  const own = said.flatMap(({ role }) => (isSystemRole(role) ? [] : [role]))
  const held = await lockRoles(work, own)
  return said.flatMap(({ group, role }) => {
    if (isSystemRole(role)) return [{ group, role }]
    return held.filter((each) => isNamed(each, role)).map(({ id }) => ({ group, role: id }))
  })
}

function readRules(mapping: unknown): RoleRule[] {
  if (!isObject(mapping)) return []
  return Object.entries(mapping).flatMap(([group, roles]) =>
    [roles].flat().flatMap((role) => (typeof role === 'string' ? [{ group, role }] : [])),
  )
}

/** Whether a group gives any role. */
export function isMapped({ id, display_name, external_id }: GroupRow, rules: RoleRule[]): boolean {
  return rules.some(({ group }) => group === id || group === display_name || group === external_id)
}

/**
 * Gives users whose rows are locked the roles that their groups give now, and removes roles that groups gave before.
 * Never gives more than the mapping says.
 */
export async function settleRoles(work: TxWork, users: HeldUser[], rules: RoleRule[]): Promise<void> {
  const ids = users.map(({ id }) => id)
  const given =
    rules.length > 0 && ids.length > 0
      ? await findGivenRoles(work.db, work.directory, ids, rules)
      : new Map<string, GivenRoles>()
  await giveRoles(
    work,
    'scim',
    users.map((user) => ({ user, ...(given.get(user.id) ?? { role: null, roleIds: [] }) })),
  )
}

/** Does the same for all users, after the mapping of groups to roles has changed. The caller has locked the mapping. */
export async function settleAllRoles(work: TxWork): Promise<void> {
  const rules = await lockRules(work)
  const users = await lockUserRowsById(work, await listGroupedUserIds(work.db, work.directory))
  await settleRoles(work, users, rules)
}

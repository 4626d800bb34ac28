import { invalidField } from '../../../../platform/errors.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import type { Work } from '../../../../platform/work.ts'
import { findGrantedPermissions, isSystemRole } from '../give.ts'
import { assertMayGrant } from '../permissions.ts'

const MAX_GROUPS = 500

/** The roles that a connection gives to its users. */
export interface RoleMapping {
  /** The roles of each group, by name, id or slug. */
  group_role_mapping: Record<string, string | string[]>
  /** The role of users who are in none of the mapped groups. */
  default_role: string
}

/** The roles that a user gets from their groups. */
export interface GroupRoles {
  /** The user's groups that the mapping names. */
  groups: string[]
  isAdmin: boolean
  /** Roles of the organization, by id or slug. */
  roles: string[]
}

/**
 * The roles that a mapping gives to a user in these groups; an empty mapping gives none. Users in none of the mapped
 * groups get the default role. If the provider did not send groups (null), the user gets no role above `member`.
 */
export function mapGroups(
  { group_role_mapping: mapping, default_role }: RoleMapping,
  names: readonly string[] | null,
): GroupRoles {
  const known = new Map(Object.entries(mapping))
  const groups = [...new Set((names ?? []).filter((name) => known.has(name)))].toSorted()
  const given = groups.flatMap((group) => known.get(group) ?? [])
  const roles = [...new Set(given.filter((role) => !isSystemRole(role)))]
  const isDefault = names !== null && known.size > 0 && !given.includes('member') && default_role === 'admin'
  return { groups, isAdmin: given.includes('admin') || isDefault, roles }
}

/** The roles of pairs of group and role that the changed mapping no longer contains. */
export function removedRoles(before: RoleMapping, after: RoleMapping): string[] {
  const kept = new Set(rulesOf(after).map(keyOf))
  return [...new Set(rulesOf(before).flatMap((rule) => (kept.has(keyOf(rule)) ? [] : [rule.role])))]
}

/** Without mapped groups there are no rules: the default role is then given only once, when the user is created. */
const rulesOf = (mapping: RoleMapping) => (Object.keys(mapping.group_role_mapping).length === 0 ? [] : pairsOf(mapping))

/** Throws `invalid_request` for too many groups, or a name that no group can have. */
export function assertGroups(mapping: RoleMapping['group_role_mapping'] = {}): void {
  const groups = Object.keys(mapping)
  if (groups.length > MAX_GROUPS)
    throw invalidField(
      'group_role_mapping',
      'too_many',
      `group_role_mapping must not have more than ${MAX_GROUPS} groups`,
    )
  if (groups.some((group) => group === '' || group.length > 256))
    throw invalidField('group_role_mapping', 'group', 'The name of a group must have 1 to 256 characters')
}

/**
 * Checks a changed mapping. Throws `privilege_escalation` if it newly gives a role that the caller may not give, and
 * `invalid_request` for a role that a provider cannot give, such as owner.
 */
export async function assertMayMap(
  work: Work & { caller: ManagerCaller },
  before: RoleMapping | null,
  after: RoleMapping,
): Promise<void> {
  const had = new Set(before ? pairsOf(before).map(keyOf) : [])
  const added = pairsOf(after).flatMap((pair) => (had.has(keyOf(pair)) ? [] : [pair.role]))
  const roles = before && widensDefault(before, after) ? [...added, after.default_role] : added
  const granted = await findGrantedPermissions(work, roles)
  const strange = roles.find((role) => granted.get(role) === null)
  if (strange !== undefined)
    throw invalidField(
      'group_role_mapping',
      'unknown_role',
      `A group must map to admin, member or a role of the organization: ${JSON.stringify(strange.slice(0, 80))} is none of these`,
    )
  assertMayGrant(work.caller, permissionsOf(roles, granted))
}

/**
 * Whether the default role reaches more users than before. With the first mapped group, existing users get it when
 * they sign in. Removing a group that gave `member` gives it to that group's users.
 */
function widensDefault(
  { group_role_mapping: before }: RoleMapping,
  { group_role_mapping: after }: RoleMapping,
): boolean {
  const membersOf = (mapping: RoleMapping['group_role_mapping']) =>
    Object.keys(mapping).filter((group) => [mapping[group]].flat().includes('member'))
  const kept = new Set(membersOf(after))
  const isEmpty = (mapping: object) => Object.keys(mapping).length === 0
  return isEmpty(before) !== isEmpty(after) || membersOf(before).some((group) => !kept.has(group))
}

/**
 * Requires that the caller may give all roles of the mapped groups, since the caller lets provisioned groups give
 * them. Throws `privilege_escalation`.
 */
export function assertMayUseMapping(
  work: Work & { caller: ManagerCaller },
  { group_role_mapping: mapping }: Pick<RoleMapping, 'group_role_mapping'>,
): Promise<void> {
  return assertMayGive(work, Object.values(mapping).flat())
}

/**
 * Requires that the caller may give all roles of a connection, including the default role, since the caller changes
 * how users' groups are determined. Throws `privilege_escalation`.
 */
export function assertMayGiveAll(work: Work & { caller: ManagerCaller }, mapping: RoleMapping): Promise<void> {
  return assertMayGive(
    work,
    pairsOf(mapping).map(({ role }) => role),
  )
}

async function assertMayGive(work: Work & { caller: ManagerCaller }, roles: string[]): Promise<void> {
  assertMayGrant(work.caller, permissionsOf(roles, await findGrantedPermissions(work, roles)))
}

/** The permissions of these roles, without the role member, which every user has. */
function permissionsOf(roles: string[], granted: Map<string, readonly string[] | null>): string[] {
  return [...new Set(roles.flatMap((role) => (role === 'member' ? [] : (granted.get(role) ?? []))))]
}

/** Pairs of group and role. A null group stands for users who are in no mapped group. */
function pairsOf({ group_role_mapping: mapping, default_role }: RoleMapping) {
  const said = Object.entries(mapping).flatMap(([group, roles]) => [roles].flat().map((role) => ({ group, role })))
  return [...said, { group: null, role: default_role }]
}

const keyOf = ({ group, role }: { group: string | null; role: string }) => JSON.stringify([group, role])

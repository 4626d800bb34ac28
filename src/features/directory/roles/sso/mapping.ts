import { invalidField } from '../../../../platform/errors.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import type { Work } from '../../../../platform/work.ts'
import { findGrantedPermissions, isSystemRole } from '../give.ts'
import { assertMayGrant } from '../permissions.ts'

const MAX_GROUPS = 500

/** What a connection gives those who sign in by it. */
export interface RoleMapping {
  /** By group the roles, by name, id or slug. */
  group_role_mapping: Record<string, string | string[]>
  /** The role of users who are in none of the groups. */
  default_role: string
}

/** What groups give by a mapping. */
export interface GroupRoles {
  /** The groups that the mapping names. */
  groups: string[]
  isAdmin: boolean
  /** Roles of the organization, by id or slug. */
  roles: string[]
}

/**
 * What a mapping gives the members of these groups; an empty mapping gives nothing. The default role is for users who are in none
 * of the groups: null, groups that the provider did not send, gives none above `member`.
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

/** The roles of rules that a changed mapping has no longer. */
export function removedRoles(before: RoleMapping, after: RoleMapping): string[] {
  const kept = new Set(rulesOf(after).map(keyOf))
  return [...new Set(rulesOf(before).flatMap((rule) => (kept.has(keyOf(rule)) ? [] : [rule.role])))]
}

/** Without groups the default role is given by hand, when the user is created. */
const rulesOf = (mapping: RoleMapping) => (Object.keys(mapping.group_role_mapping).length === 0 ? [] : pairsOf(mapping))

/** Throws `invalid_request` for groups that none can be. */
export function assertGroups(mapping: RoleMapping['group_role_mapping'] = {}): void {
  const groups = Object.keys(mapping)
  if (groups.length > MAX_GROUPS)
    throw invalidField('group_role_mapping', 'too_many', `group_role_mapping has at most ${MAX_GROUPS} groups`)
  if (groups.some((group) => group === '' || group.length > 256))
    throw invalidField('group_role_mapping', 'group', 'A group has 1 to 256 characters')
}

/**
 * Throws `privilege_escalation` where a mapping gives what the caller may not grant and the mapping before did not give, and
 * `invalid_request` for a role that no provider can give: ownership above all.
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
      `A group gives the role admin, member, or one of the organization: ${JSON.stringify(strange.slice(0, 80))} is none`,
    )
  assertMayGrant(work.caller, permissionsOf(roles, granted))
}

/**
 * Whether the default role reaches more users: a first group gives it to existing users at a sign-in, and a group that gave
 * `member` kept it from its members.
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
 * Throws `privilege_escalation` where the caller may not grant all that the groups of a connection give: it lets provisioned
 * groups give it.
 */
export function assertMayUseMapping(
  work: Work & { caller: ManagerCaller },
  { group_role_mapping: mapping }: Pick<RoleMapping, 'group_role_mapping'>,
): Promise<void> {
  return assertMayGive(work, Object.values(mapping).flat())
}

/** The same of all that a connection gives, its default role included: the caller changes what says who is in which group. */
export function assertMayGiveAll(work: Work & { caller: ManagerCaller }, mapping: RoleMapping): Promise<void> {
  return assertMayGive(
    work,
    pairsOf(mapping).map(({ role }) => role),
  )
}

async function assertMayGive(work: Work & { caller: ManagerCaller }, roles: string[]): Promise<void> {
  assertMayGrant(work.caller, permissionsOf(roles, await findGrantedPermissions(work, roles)))
}

/** The permissions that the roles give. The role member is left out, since every user has it. */
function permissionsOf(roles: string[], granted: Map<string, readonly string[] | null>): string[] {
  return [...new Set(roles.flatMap((role) => (role === 'member' ? [] : (granted.get(role) ?? []))))]
}

/** Pairs of group and role. A null group stands for users who are in no mapped group. */
function pairsOf({ group_role_mapping: mapping, default_role }: RoleMapping) {
  const said = Object.entries(mapping).flatMap(([group, roles]) => [roles].flat().map((role) => ({ group, role })))
  return [...said, { group: null, role: default_role }]
}

const keyOf = ({ group, role }: { group: string | null; role: string }) => JSON.stringify([group, role])

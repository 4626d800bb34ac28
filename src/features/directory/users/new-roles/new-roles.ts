import type { ApiError } from '../../../../platform/errors.ts'
import { type EventInput, record } from '../../../../platform/events/events.ts'
import { defineSlot } from '../../../../platform/platform.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { userEvents } from '../events.ts'
import type { UserCreate } from '../schema.ts'
import type { NewUserRow, UserRow } from '../store.ts'
import { userEvent } from '../user-event.ts'

export { DirectoryRole, RoleIds } from '../role-fields.ts'

/** The roles that a request names for a user. Absent: the roles that every new user has. */
export type NamedRoles = Pick<UserCreate, 'role' | 'roleIds'>

/** Who gives roles: the request's caller, or null for the command line, which may give any role. */
export type RoleGiver = ManagerCaller | null

/** The decision about named roles, before the user is inserted. */
export interface CheckedRoles {
  /** Why this request may not give these roles to anyone: a role is unknown, or the caller may not give roles. */
  unfit: ApiError | null
  /** The named role that the organization does not have. */
  unknownRole?: string | undefined
  /** Why a new user may not get these roles: they contain permissions that the caller lacks. */
  beyond: ApiError | null
  /** The role columns of the new user. */
  columns: Pick<NewUserRow, 'role' | 'own_role' | 'role_ids'>
}

interface RolesOfNewUsers {
  /**
   * Decides about the roles of several users, and locks these roles until the transaction ends. Lock order: roles
   * before users.
   */
  check(work: TxWork, named: NamedRoles[], giver: RoleGiver): Promise<CheckedRoles[]>
  /** Stores the role assignments of users that were inserted with `columns`. Returns their events. */
  assign(work: TxWork, users: UserRow[]): Promise<EventInput[]>
  /** Replaces the roles of an existing user, as `PUT /v1/rbac/users/{userId}/roles` does, with the same errors. */
  replace(work: TxWork, user: UserRow, named: NamedRoles, giver: ManagerCaller): Promise<void>
}

// Slot: `roles` imports this folder, so this folder cannot import `roles`.
export const rolesOfNewUsers = defineSlot<RolesOfNewUsers>('the roles of new users')

/** Whether a request names roles. */
export const namesRoles = ({ role, roleIds }: NamedRoles) => role !== undefined || roleIds !== undefined

const PLAIN: CheckedRoles = { unfit: null, beyond: null, columns: {} }

/**
 * Decides about the roles that a request names for several users. Uses a statement only if roles are named for any
 * user.
 */
export async function checkRolesOfUsers(work: TxWork, named: NamedRoles[], giver: RoleGiver): Promise<CheckedRoles[]> {
  return named.some(namesRoles) ? rolesOfNewUsers.of(work.platform).check(work, named, giver) : named.map(() => PLAIN)
}

/**
 * The role columns of a new user. Throws `insufficient_scope`, `service_disabled`, `invalid_request` for an unknown
 * role, `privilege_escalation`.
 */
export async function columnsOfRoles(
  work: TxWork,
  named: NamedRoles,
  giver: RoleGiver,
): Promise<CheckedRoles['columns']> {
  const [checked = PLAIN] = await checkRolesOfUsers(work, [named], giver)
  const refusal = checked.unfit ?? checked.beyond
  if (refusal) throw refusal
  return checked.columns
}

/** Stores the role assignments of new users, and records the events of users and assignments. */
export async function recordCreated(work: TxWork, users: UserRow[]): Promise<void> {
  const holders = users.filter(({ role_ids }) => role_ids.length > 0)
  const assigned = holders.length === 0 ? [] : await rolesOfNewUsers.of(work.platform).assign(work, holders)
  await record(work, ...users.map((user) => userEvent(work.directory, userEvents.created, user)), ...assigned)
}

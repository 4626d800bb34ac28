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

/** The roles that a request names for a user; absent: those of every new user. */
export type NamedRoles = Pick<UserCreate, 'role' | 'roleIds'>

/** Who gives roles: the caller of the request; null for the command line, which may give any. */
export type RoleGiver = ManagerCaller | null

/** Named roles, judged before a user is inserted. */
export interface CheckedRoles {
  /** Why this request gives them to no user: a role is unknown, or the caller may not give roles. */
  unfit: ApiError | null
  /** The named role that is none of the organization. */
  unknownRole?: string | undefined
  /** Why a new user does not get them: they hold permissions that the caller lacks. */
  beyond: ApiError | null
  /** The columns of the new user. */
  columns: Pick<NewUserRow, 'role' | 'own_role' | 'role_ids'>
}

interface RolesOfNewUsers {
  /** Judges the roles of several users. The roles stay as they are until the transaction ends. Lock order: before any user. */
  check(work: TxWork, named: NamedRoles[], giver: RoleGiver): Promise<CheckedRoles[]>
  /** Stores the assignments of users that were inserted with `columns`. Returns their events. */
  assign(work: TxWork, users: UserRow[]): Promise<EventInput[]>
  /** Replaces the roles of an existing user, as `PUT /v1/rbac/users/{userId}/roles` does. Throws what that throws. */
  replace(work: TxWork, user: UserRow, named: NamedRoles, giver: ManagerCaller): Promise<void>
}

// Slot: roles are of another noun, which imports this one.
export const rolesOfNewUsers = defineSlot<RolesOfNewUsers>('the roles of new users')

/** Whether a request names roles. */
export const namesRoles = ({ role, roleIds }: NamedRoles) => role !== undefined || roleIds !== undefined

const PLAIN: CheckedRoles = { unfit: null, beyond: null, columns: {} }

/** Judges the roles that a request names for several users. Costs a statement only if some names roles of the organization. */
export async function checkRolesOfUsers(work: TxWork, named: NamedRoles[], giver: RoleGiver): Promise<CheckedRoles[]> {
  return named.some(namesRoles) ? rolesOfNewUsers.of(work.platform).check(work, named, giver) : named.map(() => PLAIN)
}

/**
 * The columns of a new user with these roles. Throws `insufficient_scope`, `service_disabled`, `invalid_request` for an unknown
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

/** Stores the assignments of new users, and records them with the creation of the users. */
export async function recordCreated(work: TxWork, users: UserRow[]): Promise<void> {
  const holders = users.filter(({ role_ids }) => role_ids.length > 0)
  const assigned = holders.length === 0 ? [] : await rolesOfNewUsers.of(work.platform).assign(work, holders)
  await record(work, ...users.map((user) => userEvent(work.directory, userEvents.created, user)), ...assigned)
}

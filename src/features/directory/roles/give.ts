import { directoryRolePermissions } from '../../../contract/permissions.ts'
import { changedFrom, type EventInput, record } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { type HeldUser, toUser, type UserRow, userEvents } from '../users/users.ts'
import {
  type ChangedAssignments,
  ROLE_COLUMNS,
  type RoleSource,
  setAssignmentRows,
  setRoleRows,
} from './assignment-store.ts'
import { roleEvents } from './events.ts'
import { toAssignment } from './schema.ts'
import { findRoleRows, lockRoleRows } from './store.ts'

const BATCH = 1_000

type DirectoryRole = 'admin' | 'member'

/** The roles that a source gives a user. */
export interface RoleGrant {
  user: HeldUser
  /** The directory role. Null gives none; undefined keeps the current one. */
  role?: DirectoryRole | null | undefined
  /** Ids of locked roles (`lockRoles`). Undefined keeps the current roles. */
  roleIds?: string[] | undefined
}

/**
 * Records which roles a source gives these users. A user's directory role is the highest that any source gives, and
 * they have every other role that any source gives. No other code gives roles to users. Returns the users whose
 * records changed.
 */
export async function giveRoles(work: TxWork, source: RoleSource, given: RoleGrant[]): Promise<UserRow[]> {
  const rows: UserRow[] = []
  // In batches, since a statement may take three seconds at most and each of these rows has many indexes.
  for (let at = 0; at < given.length; at += BATCH)
    rows.push(...(await giveSome(work, source, given.slice(at, at + BATCH))))
  return rows
}

async function giveSome(work: TxWork, source: RoleSource, given: RoleGrant[]): Promise<UserRow[]> {
  const { db, directory } = work
  const column = ROLE_COLUMNS[source]
  const other = given.flatMap(({ user, role = user[column] }) => {
    const next = source === 'manual' ? (role ?? 'member') : role
    // `member` from groups changes nothing, since every user has it.
    const isSame = source === 'manual' ? next === user[column] : (next === 'admin') === (user[column] === 'admin')
    return isSame ? [] : [{ id: user.id, role: next }]
  })
  const changes = await assign(work, source, given)
  const touched = new Set([...changes.came, ...changes.went].map(({ user_id }) => user_id))
  const noted = new Set(other.map(({ id }) => id))
  const kept = given.filter(({ user }) => touched.has(user.id) && !noted.has(user.id))
  const roles = [...other, ...kept.map(({ user }) => ({ id: user.id, role: user[column] }))]
  if (roles.length === 0) return []
  const rows = await setRoleRows(db, directory, source, roles)
  const before = new Map(given.map(({ user }) => [user.id, user]))
  const told = rows.flatMap((row) => tellOf(work, before.get(row.id), row))
  await record(work, ...told, ...assignmentEvents(changes))
  return rows
}

/** Changes the assignments. Users who have no roles and get none cost no statement. */
async function assign(work: TxWork, source: RoleSource, given: RoleGrant[]): Promise<ChangedAssignments> {
  const asked = given.flatMap(({ user, roleIds }) =>
    roleIds === undefined || (roleIds.length === 0 && user.role_ids.length === 0) ? [] : [{ user, roleIds }],
  )
  if (asked.length === 0) return { came: [], went: [] }
  const wanted = asked.flatMap(({ user, roleIds }) =>
    [...new Set(roleIds)].map((id) => ({ id: newId(), user_id: user.id, role_id: id })),
  )
  return setAssignmentRows(work.db, work.directory, source, { userIds: asked.map(({ user }) => user.id), wanted })
}

function tellOf({ directory }: TxWork, before: UserRow | undefined, after: UserRow): EventInput[] {
  if (!before) return []
  const data = toUser(after, directory.organizationId)
  const { updatedAt, ...previous } = changedFrom(toUser(before, directory.organizationId), data)
  if (Object.keys(previous).length === 0) return []
  return [userEvents.updated({ target: { type: 'user', id: after.id }, data, previous: { ...previous, updatedAt } })]
}

/** The events for the added and removed assignments. */
export function assignmentEvents({ came, went }: ChangedAssignments): EventInput[] {
  return [
    ...came.map((row) => ({ event: roleEvents.assigned, row })),
    ...went.map((row) => ({ event: roleEvents.unassigned, row })),
  ].map(({ event, row }) => event({ target: { type: 'role', id: row.role_id }, data: toAssignment(row) }))
}

/** A role whose permissions users have. */
export interface HeldRole {
  id: string
  slug: string
  permissions: string[]
}

/**
 * The existing roles with these ids or slugs, locked until the transaction ends: they cannot be changed or deleted.
 * Lock order: roles before users.
 */
export async function lockRoles(work: TxWork, names: readonly string[]): Promise<HeldRole[]> {
  return names.length === 0 ? [] : lockRoleRows(work.db, work.directory, readNames(names))
}

/** The permissions of the system roles and custom roles with these names, by name; null if there is no such role. */
export async function findGrantedPermissions(
  work: Work,
  names: readonly string[],
): Promise<Map<string, readonly string[] | null>> {
  const own = names.filter((name) => !isSystemRole(name))
  const rows = own.length === 0 ? [] : await findRoleRows(work.db, work.directory, readNames(own))
  return new Map(
    names.map((name) => {
      if (isSystemRole(name)) return [name, directoryRolePermissions[name]]
      return [name, rows.find((row) => isNamed(row, name))?.permissions ?? null]
    }),
  )
}

/** Whether the name is one of the two system roles that every directory has. */
export function isSystemRole(name: string): name is DirectoryRole {
  return name === 'admin' || name === 'member'
}

/** Whether the name is the role's id or slug. */
export function isNamed({ id, slug }: Pick<HeldRole, 'id' | 'slug'>, name: string): boolean {
  return name === slug || name.toLowerCase() === id
}

/** Finds one of these roles by id or slug, as `isNamed` does. */
export function roleFinder(roles: HeldRole[]): (name: string) => HeldRole | undefined {
  const bySlug = new Map(roles.map((role) => [role.slug, role]))
  const byId = new Map(roles.map((role) => [role.id, role]))
  return (name) => bySlug.get(name) ?? byId.get(name.toLowerCase())
}

/** Ids are accepted in upper and lower case. */
const readNames = (names: readonly string[]) => [...new Set(names.flatMap((name) => [name, name.toLowerCase()]))]

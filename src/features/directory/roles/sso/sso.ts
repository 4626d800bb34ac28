import type { TxWork } from '../../../../platform/work.ts'
import { type HeldUser, lockUserRowsById, type UserRow } from '../../users/users.ts'
import { giveRoles, type HeldRole, isNamed, isSystemRole, lockRoles } from '../give.ts'
import { findRoleRows } from '../store.ts'
import { type GroupRoles, mapGroups, type RoleMapping, removedRoles } from './mapping.ts'
import {
  deleteGrantsOfUser,
  type KnownGrant,
  listGrantsOfConnection,
  listGrantsOfUsers,
  listUngrantedOfConnection,
  putGrants,
  type SsoGrant,
} from './sso-store.ts'

export {
  assertGroups,
  assertMayGiveAll,
  assertMayMap,
  assertMayUseMapping,
  mapGroups,
  type RoleMapping,
} from './mapping.ts'
export { findLinkedConnectionId, grantOfIdentity, type KnownGrant, listGrantsOfUsers } from './sso-store.ts'

// Limited, since a statement may take at most three seconds.
const BATCH = 5_000

/** Whether the last sign-in through the connection gave the same roles as these groups do. */
export function hasGrant(known: KnownGrant | null, { groups, isAdmin, roles }: GroupRoles): boolean {
  // A grant without roles has no row.
  if (!known) return !isAdmin && roles.length === 0
  return (
    known.isAdmin === isAdmin &&
    known.groups !== null &&
    isSameSet(known.groups, groups) &&
    known.roles.every((one) => roles.some((name) => isNamed(one, name))) &&
    roles.every((name) => known.roles.some((one) => isNamed(one, name)))
  )
}

const isSameSet = (some: string[], others: string[]) =>
  some.length === others.length && some.every((one) => others.includes(one))

/** Locks those roles of the organization that the groups give. Lock order: roles before users. */
export function lockGroupRoles(work: TxWork, { roles }: GroupRoles): Promise<HeldRole[]> {
  return lockRoles(work, roles)
}

/** Gives a user the roles of the groups at this sign-in. They replace the roles that the connection gave before. */
export async function giveGroupRoles(
  work: TxWork,
  { user, connectionId }: { user: HeldUser; connectionId: string },
  { given, held }: { given: GroupRoles; held: HeldRole[] },
): Promise<void> {
  const { groups, isAdmin: is_admin } = given
  const grant = { user_id: user.id, groups, is_admin, role_ids: held.map(({ id }) => id) }
  await putGrants(work.db, work.directory, connectionId, [grant])
  await settle(work, [user])
}

/** Removes all roles that a connection gave, since it is closed or deleted. The caller has locked the connection. */
export async function withdrawConnectionRoles(work: TxWork, connectionId: string): Promise<void> {
  await narrow(work, connectionId, () => ({ is_admin: false, role_ids: [] }))
}

/** Removes the roles that a connection gave a user, since their identity there is removed. */
export async function withdrawUserRoles(work: TxWork, user: HeldUser, connectionId: string): Promise<void> {
  const grants = await listGrantsOfUsers(work.db, work.directory, [user.id])
  const grant = grants.find((one) => one.connection_id === connectionId)
  if (grant) await putGrants(work.db, work.directory, connectionId, [{ ...grant, is_admin: false, role_ids: [] }])
  await settle(work, [user])
}

/** Removes the roles that all connections gave a user. They come back with the next sign-in through a connection. */
export async function withdrawSsoRoles(work: TxWork, user: HeldUser): Promise<void> {
  await deleteGrantsOfUser(work.db, work.directory, user.id)
  await settle(work, [user])
}

/**
 * Removes the roles that a connection's changed mapping no longer gives for the groups of the user's last sign-in.
 * New roles are given at the next sign-in. The caller has locked the connection.
 */
export async function narrowToMapping(
  work: TxWork,
  connectionId: string,
  { before, after }: { before: RoleMapping; after: RoleMapping },
): Promise<void> {
  const removed = removedRoles(before, after)
  if (removed.length === 0) return
  const own = Object.values(after.group_role_mapping)
    .flat()
    .filter((role) => !isSystemRole(role))
  const known = await findRoleRows(work.db, work.directory, [...own, ...removed])
  const idsOf = (names: string[]) =>
    known.filter((role) => names.some((name) => isNamed(role, name))).map(({ id }) => id)
  await narrow(work, connectionId, ({ groups, is_admin, role_ids }) => {
    // It is unknown which groups gave the roles, so all roles of removed rules end.
    if (groups === null) {
      const gone = idsOf(removed)
      return { is_admin: is_admin && !removed.includes('admin'), role_ids: role_ids.filter((id) => !gone.includes(id)) }
    }
    const now = mapGroups(after, groups)
    const kept = idsOf(now.roles)
    return {
      groups: now.groups,
      is_admin: is_admin && now.isAdmin,
      role_ids: role_ids.filter((id) => kept.includes(id)),
    }
  })
}

/**
 * Removes roles that groups gave a user, until the user signs in through these connections again. Returns the updated
 * user.
 */
export async function dropGroupRoles(
  work: TxWork,
  user: HeldUser,
  { admin, roleIds }: { admin: boolean; roleIds: string[] },
): Promise<HeldUser> {
  const isLost = (id: string) => roleIds.includes(id)
  for (const grant of await listGrantsOfUsers(work.db, work.directory, [user.id])) {
    const { connection_id, is_admin, role_ids } = grant
    const left = { is_admin: is_admin && !admin, role_ids: role_ids.filter((id) => !isLost(id)) }
    if (left.is_admin !== is_admin || left.role_ids.length < role_ids.length)
      await putGrants(work.db, work.directory, connection_id, [{ ...grant, ...left }])
  }
  const [after] = await settle(work, [user])
  return after ? { ...after, held: true } : user
}

type Narrowed = Pick<SsoGrant, 'is_admin' | 'role_ids'> & Partial<Pick<SsoGrant, 'groups'>>

/** Changes every grant of a connection to the result of `next`. Users who lose nothing are not touched. */
async function narrow(work: TxWork, connectionId: string, next: (grant: SsoGrant) => Narrowed): Promise<void> {
  const { db, directory } = work
  const all = (await listGrants(work, connectionId)).map((was) => ({
    was,
    is: { ...was, ...next(was) },
  }))
  const loses = ({ was, is }: (typeof all)[number]) =>
    is.is_admin !== was.is_admin || is.role_ids.length < was.role_ids.length
  const losing = all.filter(loses)
  const changed = all.filter((one) => loses(one) || one.is.groups?.length !== one.was.groups?.length)
  // Sign-ins through the connection cannot write grants meanwhile, since they would have to lock the connection.
  const users = await lockUserRowsById(
    work,
    losing.map(({ was }) => was.user_id),
  )
  for (let at = 0; at < changed.length; at += BATCH) {
    const grants = changed.slice(at, at + BATCH).map(({ is: { connection_id: _, ...grant } }) => grant)
    await putGrants(db, directory, connectionId, grants)
  }
  await settle(work, users)
}

/** The grants of a connection. Includes roles from SSO that its users have without a grant. */
async function listGrants({ db, directory }: TxWork, connectionId: string): Promise<SsoGrant[]> {
  const granted = new Map((await listGrantsOfConnection(db, directory, connectionId)).map((one) => [one.user_id, one]))
  for (const { user_id, is_admin, role_ids } of await listUngrantedOfConnection(db, directory, connectionId)) {
    const { groups = null, ...had } = granted.get(user_id) ?? { is_admin: false, role_ids: [] }
    const all = { is_admin: is_admin || had.is_admin, role_ids: [...had.role_ids, ...role_ids] }
    granted.set(user_id, { user_id, connection_id: connectionId, groups, ...all })
  }
  return [...granted.values()]
}

/** Gives users all roles that their connections give. */
async function settle(work: TxWork, users: HeldUser[]): Promise<UserRow[]> {
  if (users.length === 0) return []
  const grants = await listGrantsOfUsers(
    work.db,
    work.directory,
    users.map(({ id }) => id),
  )
  const byUser = Map.groupBy(grants, ({ user_id }) => user_id)
  return giveRoles(
    work,
    'sso',
    users.map((user) => {
      const own = byUser.get(user.id) ?? []
      const role = own.some(({ is_admin }) => is_admin) ? 'admin' : null
      return { user, role, roleIds: [...new Set(own.flatMap(({ role_ids }) => role_ids))] }
    }),
  )
}

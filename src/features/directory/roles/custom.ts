import { isUniqueViolation } from '../../../platform/db/pool.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { matches, tagOf } from '../../../platform/http/precondition.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { slugOf } from '../../../platform/slug.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { OWNERSHIP } from '../../../platform/tenancy/grants.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import { inTx, type ReachWork, type TxWork, type Work } from '../../../platform/work.ts'
import { roleErrors } from './errors.ts'
import { roleEvents } from './events.ts'
import { assertMayGrant, findSystemRole } from './permissions.ts'
import { type Effect, type Role, type RoleCreate, type RolePatch, toRole } from './schema.ts'
import {
  deleteRoleRow,
  findRoleRow,
  insertRoleRow,
  lockHolders,
  lockRoleCount,
  lockRoleRow,
  type RoleRow,
  updateRoleRow,
} from './store.ts'

const MAX_ROLES = 200
// The slug if the name has no Latin letters or digits.
const OTHERWISE = 'role'

type CallerWork = Work & { caller: ManagerCaller; ifMatch: string | null }

/**
 * Refuses the permission that only the team's owners have, which no role of users may contain. Throws
 * `invalid_request`.
 */
function assertNotReserved(permissions: readonly string[]): void {
  if (permissions.includes(OWNERSHIP))
    throw invalidField('permissions', 'reserved', `permissions must not contain ${OWNERSHIP}, which is reserved`)
}

/**
 * Creates a role. Throws `role_exists`, `role_limit_reached`, `privilege_escalation`, and `invalid_request` for a
 * slug that looks like an id.
 */
export async function createRole(work: CallerWork, body: RoleCreate): Promise<RoleRow> {
  const permissions = [...new Set(body.permissions)]
  assertNotReserved(permissions)
  assertMayGrant(work.caller, permissions)
  const slug = body.slug ?? slugOf(body.name, OTHERWISE)
  if (isId(slug)) throw invalidField('slug', 'id', 'slug must not look like an id')
  assertFree(body.name, slug)
  const row = { id: newId(), slug, name: body.name, description: body.description || null, permissions }
  return orExists(
    inTx(work, async (work) => {
      const { db, directory } = work
      if ((await lockRoleCount(db, directory)) >= MAX_ROLES) throw roleErrors.limitReached()
      const made = await insertRoleRow(db, directory, row)
      await record(work, roleEvents.created(detailsOf(work, made)))
      return made
    }),
  )
}

interface Asked {
  /** Whether to change nothing, and only return the effect. */
  preview: boolean
}

/**
 * Changes a role for all who have it; absent fields stay. Throws `role_not_found`, `system_role`, `role_exists`,
 * `version_conflict`, and `privilege_escalation` for added permissions that the caller may not give.
 */
export async function changeRole(
  work: CallerWork,
  id: string,
  { patch, preview }: Asked & { patch: RolePatch },
): Promise<Effect & { row: RoleRow }> {
  return orExists(
    inTx(work, async (work) => {
      const { db, directory } = work
      const before = await hold(work, id)
      const asked = {
        name: patch.name ?? before.name,
        description: patch.description === undefined ? before.description : patch.description || null,
        permissions: patch.permissions ? [...new Set(patch.permissions)] : before.permissions,
      }
      const effect = effectOf(before, asked.permissions, preview)
      assertNotReserved(effect.permissionsAdded)
      assertMayGrant(work.caller, effect.permissionsAdded)
      if (asked.name !== before.name) assertFree(asked.name, slugOf(asked.name, OTHERWISE))
      if (preview) return { row: { ...before, ...asked }, ...effect }
      if (Object.keys(changedFrom({ ...asked, ...pick(before) }, asked)).length === 0) return { row: before, ...effect }
      await updateRoleRow(db, directory, before.id, asked)
      const row = await orNotFound(findRoleRow(db, directory, before.id))
      const details = detailsOf(work, row)
      await record(
        work,
        roleEvents.updated({ ...details, previous: changedFrom(dataOf(directory, before), details.data) }),
      )
      return { row, ...effect }
    }),
  )
}

const pick = ({ name, description, permissions }: RoleRow) => ({ name, description, permissions })

/** Deletes a role with its assignments. Throws `role_not_found`, `system_role`, `version_conflict`. */
export async function deleteRole(work: CallerWork, id: string, { preview }: Asked): Promise<Effect> {
  return inTx(work, async (work) => {
    const { db, directory } = work
    const role = await hold(work, id)
    const effect = effectOf(role, [], preview)
    if (preview) return effect
    await lockHolders(db, directory, role.id)
    await deleteRoleRow(db, directory, role.id)
    await record(work, roleEvents.deleted(detailsOf(work, role)))
    return effect
  })
}

/** A system role or a custom role. Throws `role_not_found`. */
export async function getRole(work: ReachWork, id: string): Promise<{ role: Role; version: number | null }> {
  const system = findSystemRole(id)
  if (system) return { role: system, version: null }
  const row = await orNotFound(isId(id.toLowerCase()) ? findRoleRow(work.db, work.reach, id.toLowerCase()) : undefined)
  // Throws if the RBAC service is off in the role's directory.
  await directoryInReach(work.platform, work.reach, row.directory_id)
  return { role: toRole(row, row.organization_id), version: row.version }
}

async function hold(work: TxWork & { ifMatch: string | null }, text: string): Promise<RoleRow> {
  if (findSystemRole(text)) throw roleErrors.systemRole()
  const id = text.toLowerCase()
  if (!isId(id) || !(await lockRoleRow(work.db, work.directory, id))) throw roleErrors.notFound()
  // Read after the lock, so the role cannot be given to more users meanwhile.
  const row = await orNotFound(findRoleRow(work.db, work.directory, id))
  if (!matches(work.ifMatch, tagOf(row))) throw httpErrors.versionConflict()
  return row
}

async function orNotFound<T>(row: Promise<T | undefined> | undefined): Promise<T> {
  const found = await row
  if (!found) throw roleErrors.notFound()
  return found
}

function effectOf(role: RoleRow, permissions: string[], preview: boolean): Effect {
  return {
    preview,
    affectedUsers: role.user_count,
    affectedMembers: role.member_count,
    permissionsAdded: permissions.filter((id) => !role.permissions.includes(id)),
    permissionsRemoved: role.permissions.filter((id) => !permissions.includes(id)),
  }
}

/** Throws `role_exists` if the name could be mistaken for a system role's name. */
function assertFree(name: string, slug: string): void {
  if (findSystemRole(slug) || findSystemRole(slugOf(name, OTHERWISE)))
    throw roleErrors.exists({ detail: 'This is the name of a system role.' })
}

async function orExists<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (isUniqueViolation(error, 'roles_by_slug') || isUniqueViolation(error, 'roles_by_name'))
      throw roleErrors.exists()
    throw error
  }
}

const dataOf = (directory: Directory, row: RoleRow) => toRole(row, directory.organizationId)

function detailsOf({ directory }: TxWork, row: RoleRow) {
  return { target: { type: 'role', id: row.id }, data: dataOf(directory, row) }
}

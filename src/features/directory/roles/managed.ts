import type { TxWork } from '../../../platform/work.ts'
import type { HeldUser } from '../users/users.ts'
import { roleErrors } from './errors.ts'
import { giveRoles } from './give.ts'
import { dropGroupRoles, findLinkedConnectionId, listGrantsOfUsers } from './sso/sso.ts'
import { type AssignmentRow, findRoleRows } from './store.ts'

/** Roles from groups that a user is to lose. */
interface Lost {
  admin: boolean
  roleIds: string[]
}

interface Drop {
  user: HeldUser
  /** The assignments from groups. */
  managed: AssignmentRow[]
  lost: Lost
  force: boolean
}

/**
 * Removes roles that groups gave, until the groups give them again. Returns the updated user. Without `force`, throws
 * `role_managed` if there are any.
 */
export async function removeManagedRoles(work: TxWork, { user, managed, lost, force }: Drop): Promise<HeldUser> {
  if (!lost.admin && lost.roleIds.length === 0) return user
  const roles = force ? [] : await describe(work, { user, managed, lost })
  // Roles that no source gives any more were written by the previous release. They are removed without `force`.
  if (roles.length > 0) throw roleErrors.managed({ detail: inWords(roles), extra: { roles } })
  const left = await dropGroupRoles(work, user, lost)
  const kept = managed.filter(({ source, role_id }) => source === 'scim' && !lost.roleIds.includes(role_id))
  const scim = { user: left, role: lost.admin ? null : undefined, roleIds: kept.map(({ role_id }) => role_id) }
  const [after] = await giveRoles(work, 'scim', [scim])
  return after ? { ...after, held: true } : left
}

async function describe({ db, directory }: TxWork, { user, managed, lost }: Omit<Drop, 'force'>) {
  const grants = await listGrantsOfUsers(db, directory, [user.id])
  const roles = await findRoleRows(db, directory, lost.roleIds)
  const bySso = (role: string, isGiven: (grant: (typeof grants)[number]) => boolean) =>
    grants.filter(isGiven).map(({ connection_id: connectionId }) => ({ role, source: 'sso' as const, connectionId }))
  // Provisioned groups get their roles from the mapping of this connection.
  const linkedId = await findLinkedConnectionId(db, directory)
  const byScim = (role: string) => ({ role, source: 'scim' as const, connectionId: linkedId })
  return [
    ...(lost.admin ? bySso('admin', ({ is_admin }) => is_admin) : []),
    ...(lost.admin && user.scim_role === 'admin' ? [byScim('admin')] : []),
    ...roles.flatMap(({ id, slug }) => [
      ...bySso(slug, ({ role_ids }) => role_ids.includes(id)),
      ...managed.filter(({ source, role_id }) => source === 'scim' && role_id === id).map(() => byScim(slug)),
    ]),
  ]
}

const SOURCES = { sso: 'the groups of the last sign-in by a connection', scim: 'provisioned groups (SCIM)' }

/** Lists the roles that a request would remove, each with its source. */
function inWords(roles: { role: string; source: keyof typeof SOURCES }[]): string {
  const said = [...new Set(roles.map(({ role, source }) => `${role} from ${SOURCES[source]}`))].join(', ')
  return (
    `The request would remove roles that groups give: ${said}. Change the groups or the mapping, keep the roles in the ` +
    'request, or set `force` to remove them until the next sign-in or sync.'
  )
}

import type { TxWork } from '../../../platform/work.ts'
import type { HeldUser } from '../users/users.ts'
import { roleErrors } from './errors.ts'
import { giveRoles } from './give.ts'
import { dropGroupRoles, findLinkedConnectionId, listGrantsOfUsers } from './sso/sso.ts'
import { type AssignmentRow, findRoleRows } from './store.ts'

/** Roles that a user has by groups and is to lose. */
interface Lost {
  admin: boolean
  roleIds: string[]
}

interface Drop {
  user: HeldUser
  /** The assignments by groups. */
  managed: AssignmentRow[]
  lost: Lost
  force: boolean
}

/**
 * Takes roles that groups gave, until they give them again. Returns the user as they are then. Throws `role_managed`
 * where there are any, unless that is forced.
 */
export async function removeManagedRoles(work: TxWork, { user, managed, lost, force }: Drop): Promise<HeldUser> {
  if (!lost.admin && lost.roleIds.length === 0) return user
  const roles = force ? [] : await describe(work, { user, managed, lost })
  // What no source gives any more was written by the release before, and goes.
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
  // Provisioned groups give roles by the mapping of this connection.
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

/** Names the roles that a request would remove, and what gives each. */
function inWords(roles: { role: string; source: keyof typeof SOURCES }[]): string {
  const said = [...new Set(roles.map(({ role, source }) => `${role} from ${SOURCES[source]}`))].join(', ')
  return (
    `The request would remove roles that groups give: ${said}. Change the groups or the mapping, keep the roles in the ` +
    'request, or set `force` to remove them until the next sign-in or sync.'
  )
}

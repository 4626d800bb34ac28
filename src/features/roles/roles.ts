import { changedFrom, record } from '../../platform/events.ts'
import type { TxWork } from '../../platform/work.ts'
import { type HeldUser, toUser, type UserRow, userEvents } from '../users/users.ts'
import { setRoleRows } from './store.ts'

/** What gives users roles, beside whoever gives one by hand: groups at a sign-in, and groups that are provisioned. */
type RoleSource = 'sso' | 'scim'

const BATCH = 1_000

/**
 * Notes which roles a source gives these users now; null for none. A user has the highest of what the sources give and
 * what was given by hand, which stays apart. The one place where groups give roles.
 */
export async function giveRoles(
  work: TxWork,
  source: RoleSource,
  given: { user: HeldUser; role: 'admin' | 'member' | null }[],
): Promise<UserRow[]> {
  const changes = given.filter(({ user, role }) => user[`${source}_role`] !== role)
  if (changes.length === 0) return []
  const before = new Map(changes.map(({ user }) => [user.id, user]))
  const roles = changes.map(({ user, role }) => ({ id: user.id, role }))
  const rows: UserRow[] = []
  // A statement may last three seconds, and each of these rows has many indexes.
  for (let at = 0; at < roles.length; at += BATCH)
    rows.push(...(await setRoleRows(work.db, work.directory, `${source}_role`, roles.slice(at, at + BATCH))))
  const told = rows.flatMap((row) => {
    const user = before.get(row.id)
    return user && user.role !== row.role ? [tellOf(work, user, row)] : []
  })
  await record(work, ...told)
  return rows
}

function tellOf({ directory }: TxWork, before: UserRow, after: UserRow) {
  const data = toUser(after, directory.organizationId)
  const previous = changedFrom(toUser(before, directory.organizationId), data)
  return userEvents.updated({ target: { type: 'user', id: after.id }, data, previous })
}

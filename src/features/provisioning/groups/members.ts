import { isId } from '../../../platform/ids.ts'
import type { TxWork } from '../../../platform/work.ts'
import { type HeldUser, lockUserRowsById } from '../../directory/users/users.ts'
import type { MemberChanges, ScimMember } from '../patch/patch.ts'
import { scimError, scimErrors } from '../scim/scim.ts'
import { type ChangedMember, changeMemberRows, findMembers, listUserIds, type MemberSets } from './store.ts'

/** Replaces the members by exactly this list. */
export function wholeList(members: ScimMember[]): MemberChanges {
  return { replaced: true, removed: new Set(), added: new Map(members.map((one) => [one.value.toLowerCase(), one])) }
}

/**
 * Changes the members of a locked group, and returns who joined and who left. Users who join are locked, and with
 * `isMapped` also users who leave. Throws `scim_invalid_value` for an unknown member.
 */
export async function changeMembers(
  work: TxWork,
  groupId: string,
  changes: MemberChanges,
  isMapped: boolean,
): Promise<{ changed: ChangedMember[]; users: HeldUser[] }> {
  const { db, directory } = work
  const added = [...changes.added.keys()]
  const known = await findKnown(work, added, groupId)
  const removed = changes.replaced ? null : [...changes.removed].filter(isId)
  const idsOf = (type: string) => known.filter((one) => one.type === type).map(({ id }) => id)
  const sets: MemberSets = { users: idsOf('User'), groups: idsOf('Group'), removed }
  const leaving = !isMapped ? [] : (removed ?? (await listUserIds(db, directory, groupId)))
  const users = await lockUserRowsById(work, [...new Set([...sets.users, ...leaving])])
  return { changed: await changeMemberRows(db, directory, groupId, sets), users }
}

async function findKnown({ db, directory }: TxWork, ids: string[], groupId: string) {
  if (ids.length === 0) return []
  if (ids.includes(groupId)) throw scimError(scimErrors.invalidValue, 'A group cannot be a member of itself.')
  const known = await findMembers(db, directory, ids.filter(isId))
  const there = new Set(known.map(({ id }) => id))
  const strange = ids.filter((id) => !there.has(id))
  if (strange.length > 0)
    throw scimError(
      scimErrors.invalidValue,
      `No user or group has the id ${JSON.stringify(strange[0]?.slice(0, 80))}: provision members before they are added.`,
    )
  return known
}

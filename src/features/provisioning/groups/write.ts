import { isUniqueViolation } from '../../../platform/db/pool.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { changedFrom, type EventInput } from '../../../platform/events/events.ts'
import { matches } from '../../../platform/http/precondition.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { lockUserRowsById } from '../../directory/users/users.ts'
import { groupType } from '../language/core-schemas.ts'
import { isSame, own, type ScimObject } from '../language/json.ts'
import { normaliseResource } from '../language/normalise.ts'
import { versionTag } from '../language/versions.ts'
import { applyPatch, type MemberChanges, readPatch, splitMemberOperations, takeMembers } from '../patch/patch.ts'
import { REPEATED_GROUP, recordChanges, scimError, scimErrors, warn } from '../scim/scim.ts'
import { groupEvents, type ProvisionedGroup } from './events.ts'
import { changeMembers, wholeList } from './members.ts'
import { toResource } from './resource.ts'
import { isMapped, lockRules, settleRoles } from './roles.ts'
import {
  type ChangedMember,
  deleteGroupRow,
  findGroupRows,
  type GroupRow,
  insertGroupRow,
  isRepeated,
  leaveGroupRows,
  listUserIds,
  listUserIdsBeneath,
  lockGroupRow,
  type RoleRule,
  updateGroupRow,
} from './store.ts'
import { followMemberName, listGroupIdsOf, raiseVersions } from './versions.ts'

const MAX_NAME = 256

interface Fields {
  displayName: string
  externalId: string | null
  resource: ScimObject
}

interface Given {
  fields: Fields
  members: MemberChanges | null
}

const OWN = ['schemas', 'id', 'meta', 'displayName', 'externalId', 'members']

function toFields(resource: ScimObject): Fields {
  const text = (name: string) => {
    const value = own(resource, name)
    if (typeof value !== 'string' || value === '') return null
    if (value.length <= MAX_NAME) return value
    throw scimError(scimErrors.invalidValue, `${name} has at most ${MAX_NAME} characters.`)
  }
  const rest = Object.entries(resource).filter(([name]) => !OWN.includes(name))
  return { displayName: text('displayName') ?? '', externalId: text('externalId'), resource: Object.fromEntries(rest) }
}

/** Throws `scim_uniqueness` instead of the database's error for a taken value. */
async function mapTakenErrors<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (isUniqueViolation(error, 'scim_groups_by_name'))
      throw scimError(scimErrors.uniqueness, 'Another group has this displayName.')
    throw error
  }
}

/** Adds a group (RFC 7644 §3.3). Throws `scim_uniqueness`, `scim_invalid_value`. */
export async function createGroup(work: Work, body: unknown): Promise<GroupRow> {
  const { members, rest } = takeMembers(normaliseResource(groupType, body))
  return mapTakenErrors(
    inTx(work, async (work) => {
      const rules = await lockRules(work)
      const group = await insertGroupRow(work.db, work.directory, newId(), toFields(rest))
      const changed = members.length > 0 ? await applyMembers(work, group, wholeList(members), rules) : []
      await recordChanges(work, groupEvents.created(detailsOf(work, group)), ...tellMembers(work, group, changed))
      await followChange(work, group.id, { changed, isRenamed: false })
      await warnOfRepeated(work, group)
      return group
    }),
  )
}

interface Condition {
  ifMatch: string | null
  /** RFC 9110 §13.1.2: the change is made only if the resource has none of these versions. */
  ifNoneMatch?: string | null
}

/**
 * Replaces a group and its members (RFC 7644 §3.5.1). Throws what `createGroup` throws, `scim_resource_not_found`,
 * `version_conflict`.
 */
export async function replaceGroup(work: Work, id: string, { body, ...condition }: Condition & { body: unknown }) {
  const { members, rest } = takeMembers(normaliseResource(groupType, body))
  return change(work, id, condition, () => ({ fields: toFields(rest), members: wholeList(members) }))
}

/** Changes parts of a group (RFC 7644 §3.5.2), without reading its members. */
export async function patchGroup(work: Work, id: string, { body, ...condition }: Condition & { body: unknown }) {
  const { members, rest } = splitMemberOperations(readPatch(body))
  return change(work, id, condition, (group) => {
    const next = applyPatch(groupType, toResource(work.platform, group, null), rest)
    return { fields: toFields(next), members }
  })
}

/** Deletes a group. Throws `scim_resource_not_found`, `version_conflict`. */
export async function deleteGroup(work: Work, id: string, condition: Condition): Promise<void> {
  await inTx(work, async (work) => {
    const rules = await lockRules(work)
    const group = await hold(work, id, condition)
    const mapped = isMapped(group, rules)
    const users = mapped ? await lockUserRowsById(work, await listUserIds(work.db, work.directory, group.id)) : []
    const { db, directory } = work
    const around = await findGroupRows(db, directory, await listGroupIdsOf(db, directory, group.id))
    const beneath = await listUserIdsBeneath(db, directory, [group.id])
    await deleteGroupRow(db, directory, group.id)
    await settleRoles(work, users, rules)
    await recordChanges(work, groupEvents.deleted(detailsOf(work, group)), ...tellRemoved(work, around, group.id))
    await raiseVersions(
      db,
      directory,
      'group',
      around.map(({ id }) => id),
    )
    await raiseVersions(db, directory, 'user', beneath)
  })
}

/** Removes a user from every group. The caller has locked the user's row. */
export async function leaveGroups(work: TxWork, userId: string): Promise<void> {
  const { db, directory } = work
  const groups = await leaveGroupRows(db, directory, userId)
  await recordChanges(work, ...tellRemoved(work, groups, userId))
  await raiseVersions(
    db,
    directory,
    'group',
    groups.map(({ id }) => id),
  )
}

function tellRemoved(work: TxWork, groups: GroupRow[], memberId: string): EventInput[] {
  return groups.map((group) =>
    groupEvents.memberRemoved({
      target: { type: 'group', id: group.id },
      data: { group: dataOf(work, group), memberId },
    }),
  )
}

async function hold(work: TxWork, text: string, { ifMatch, ifNoneMatch = null }: Condition): Promise<GroupRow> {
  const id = text.toLowerCase()
  const group = isId(id) ? await lockGroupRow(work.db, work.directory, id) : undefined
  if (!group) throw scimErrors.resourceNotFound()
  const isOther = ifNoneMatch === null || !matches(ifNoneMatch, versionTag(group))
  if (!matches(ifMatch, versionTag(group)) || !isOther) throw httpErrors.versionConflict()
  return group
}

async function change(
  work: Work,
  id: string,
  condition: Condition,
  next: (group: GroupRow) => Given,
): Promise<GroupRow> {
  return mapTakenErrors(
    inTx(work, async (work) => {
      const rules = await lockRules(work)
      const group = await hold(work, id, condition)
      const { fields, members } = next(group)
      const isEdited =
        fields.displayName !== group.display_name ||
        fields.externalId !== group.external_id ||
        !isSame(fields.resource, group.resource)
      const renamed = { ...group, display_name: fields.displayName, external_id: fields.externalId }
      const wasMapped = isMapped(group, rules)
      const turns = wasMapped !== isMapped(renamed, rules) || (wasMapped && isEdited)
      // The group is renamed first, because the events about members must report roles under the group's new name.
      const after = isEdited ? await updateGroupRow(work.db, work.directory, group, fields) : group
      const were = turns ? await listUserIds(work.db, work.directory, group.id) : []
      const changed = members ? await applyMembers(work, after, members, turns ? [] : rules) : []
      if (turns) await settleMembers(work, group.id, were, rules)
      const row = !isEdited && changed.length > 0 ? await updateGroupRow(work.db, work.directory, group, null) : after
      const previous = changedFrom(dataOf(work, group), dataOf(work, row))
      const updated = isEdited ? [groupEvents.updated({ ...detailsOf(work, row), previous })] : []
      await recordChanges(work, ...updated, ...tellMembers(work, after, changed))
      await followChange(work, group.id, { changed, isRenamed: fields.displayName !== group.display_name })
      if (fields.externalId !== group.external_id) await warnOfRepeated(work, row)
      return row
    }),
  )
}

async function warnOfRepeated(work: TxWork, { id, external_id }: GroupRow): Promise<void> {
  if (external_id === null) return
  if (await isRepeated(work.db, work.directory, { externalId: external_id, id })) warn(work, REPEATED_GROUP)
}

/**
 * Groups show the names of their members, and users show the groups that contain them, directly or through other
 * groups.
 */
async function followChange(
  work: TxWork,
  groupId: string,
  { changed, isRenamed }: { changed: ChangedMember[]; isRenamed: boolean },
): Promise<void> {
  const { db, directory } = work
  const idsOf = (wanted: string) => changed.filter(({ type }) => type === wanted).map(({ id }) => id)
  const beneath = await listUserIdsBeneath(db, directory, [...idsOf('Group'), ...(isRenamed ? [groupId] : [])])
  if (isRenamed) await followMemberName(work, groupId)
  await raiseVersions(db, directory, 'user', [...idsOf('User'), ...beneath])
}

/** Updates the roles of all current members, and of those who were members before. */
async function settleMembers(work: TxWork, groupId: string, were: string[], rules: RoleRule[]): Promise<void> {
  const are = await listUserIds(work.db, work.directory, groupId)
  await settleRoles(work, await lockUserRowsById(work, [...new Set([...were, ...are])]), rules)
}

/** Changes the members, and the roles that follow from membership. Returns the added and removed members. */
async function applyMembers(
  work: TxWork,
  group: GroupRow,
  members: MemberChanges,
  rules: RoleRule[],
): Promise<ChangedMember[]> {
  const mapped = isMapped(group, rules)
  const { changed, users } = await changeMembers(work, group.id, members, mapped)
  if (mapped) await settleRoles(work, users, rules)
  return changed
}

function tellMembers(work: TxWork, group: GroupRow, changed: ChangedMember[]): EventInput[] {
  return changed.map(({ id: memberId, came }) => {
    const event = came ? groupEvents.memberAdded : groupEvents.memberRemoved
    return event({ target: { type: 'group', id: group.id }, data: { group: dataOf(work, group), memberId } })
  })
}

function detailsOf(work: TxWork, group: GroupRow) {
  return { target: { type: 'group', id: group.id }, data: dataOf(work, group) }
}

function dataOf({ directory }: TxWork, { id, display_name, external_id }: GroupRow): ProvisionedGroup {
  return { id, subOrgId: directory.organizationId, displayName: display_name, externalId: external_id }
}

import { isUniqueViolation } from '../../platform/db/pool.ts'
import { httpErrors } from '../../platform/errors.ts'
import { changedFrom, type EventInput, record } from '../../platform/events.ts'
import { matches, tagOf } from '../../platform/http/precondition.ts'
import { isId, newId } from '../../platform/ids.ts'
import { groupType } from '../../platform/scim/core-schemas.ts'
import { isSame, own, type ScimObject } from '../../platform/scim/json.ts'
import { type MemberChanges, splitMemberOperations, takeMembers } from '../../platform/scim/members.ts'
import { normaliseResource } from '../../platform/scim/normalise.ts'
import { applyPatch } from '../../platform/scim/patch.ts'
import { readPatch } from '../../platform/scim/patch-operations.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { scimError, scimErrors } from '../scim/scim.ts'
import { holdUsers } from '../users/users.ts'
import { groupEvents, type ProvisionedGroup } from './events.ts'
import { changeMembers, wholeList } from './members.ts'
import { toResource } from './resource.ts'
import { holdRules, isMapped, settleRoles } from './roles.ts'
import {
  deleteGroupRow,
  type GroupRow,
  insertGroupRow,
  listUserIds,
  lockGroupRow,
  type RoleRule,
  updateGroupRow,
} from './store.ts'

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

/** Throws `scim_uniqueness` in place of what the database finds taken. */
async function orTaken<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (isUniqueViolation(error, 'scim_groups_by_name'))
      throw scimError(scimErrors.uniqueness, 'Another group has this displayName.')
    if (isUniqueViolation(error, 'scim_groups_by_external_id'))
      throw scimError(scimErrors.uniqueness, 'Another group has this externalId.')
    throw error
  }
}

/** Adds a group (RFC 7644 §3.3). Throws `scim_uniqueness`, `scim_invalid_value`. */
export async function createGroup(work: Work, body: unknown): Promise<GroupRow> {
  const { members, rest } = takeMembers(normaliseResource(groupType, body))
  return orTaken(
    inTx(work, async (work) => {
      const rules = await holdRules(work)
      const group = await insertGroupRow(work.db, work.directory, newId(), toFields(rest))
      const told = members.length > 0 ? await applyMembers(work, group, wholeList(members), rules) : []
      await record(work, groupEvents.created(detailsOf(work, group)), ...told)
      return group
    }),
  )
}

interface Condition {
  ifMatch: string | null
}

/** Replaces a group and its members (RFC 7644 §3.5.1). Throws the same, `scim_resource_not_found`, `version_conflict`. */
export async function replaceGroup(work: Work, id: string, { ifMatch, body }: Condition & { body: unknown }) {
  const { members, rest } = takeMembers(normaliseResource(groupType, body))
  return change(work, id, ifMatch, () => ({ fields: toFields(rest), members: wholeList(members) }))
}

/** Changes a part of a group (RFC 7644 §3.5.2), whose members are not read for it. */
export async function patchGroup(work: Work, id: string, { ifMatch, body }: Condition & { body: unknown }) {
  const { members, rest } = splitMemberOperations(readPatch(body))
  return change(work, id, ifMatch, (group) => {
    const next = applyPatch(groupType, toResource(work.platform, group, null), rest)
    return { fields: toFields(next), members }
  })
}

/** Deletes a group. Throws `scim_resource_not_found`, `version_conflict`. */
export async function deleteGroup(work: Work, id: string, { ifMatch }: Condition): Promise<void> {
  await inTx(work, async (work) => {
    const rules = await holdRules(work)
    const group = await hold(work, id, ifMatch)
    const mapped = isMapped(group, rules)
    const users = mapped ? await holdUsers(work, await listUserIds(work.db, work.directory, group.id)) : []
    await deleteGroupRow(work.db, work.directory, group.id)
    await settleRoles(work, users, rules)
    await record(work, groupEvents.deleted(detailsOf(work, group)))
  })
}

async function hold(work: TxWork, text: string, ifMatch: string | null): Promise<GroupRow> {
  const id = text.toLowerCase()
  const group = isId(id) ? await lockGroupRow(work.db, work.directory, id) : undefined
  if (!group) throw scimErrors.resourceNotFound()
  if (!matches(ifMatch, tagOf(group))) throw httpErrors.versionConflict()
  return group
}

async function change(
  work: Work,
  id: string,
  ifMatch: string | null,
  next: (group: GroupRow) => Given,
): Promise<GroupRow> {
  return orTaken(
    inTx(work, async (work) => {
      const rules = await holdRules(work)
      const group = await hold(work, id, ifMatch)
      const { fields, members } = next(group)
      const isEdited =
        fields.displayName !== group.display_name ||
        fields.externalId !== group.external_id ||
        !isSame(fields.resource, group.resource)
      const renamed = { ...group, display_name: fields.displayName, external_id: fields.externalId }
      const wasMapped = isMapped(group, rules)
      const turns = wasMapped !== isMapped(renamed, rules) || (wasMapped && isEdited)
      // Before the name changes: whoever is told what a group gives is told by its new one.
      const after = isEdited ? await updateGroupRow(work.db, work.directory, group.id, fields) : group
      const were = turns ? await listUserIds(work.db, work.directory, group.id) : []
      const told = members ? await applyMembers(work, after, members, turns ? [] : rules) : []
      if (turns) await settleMembers(work, group.id, were, rules)
      const row = !isEdited && told.length > 0 ? await updateGroupRow(work.db, work.directory, group.id, null) : after
      const previous = changedFrom(dataOf(work, group), dataOf(work, row))
      await record(work, ...(isEdited ? [groupEvents.updated({ ...detailsOf(work, row), previous })] : []), ...told)
      return row
    }),
  )
}

/** Settles the roles of who is a member now, and of who was one. */
async function settleMembers(work: TxWork, groupId: string, were: string[], rules: RoleRule[]): Promise<void> {
  const are = await listUserIds(work.db, work.directory, groupId)
  await settleRoles(work, await holdUsers(work, [...new Set([...were, ...are])]), rules)
}

/** Changes the members and the roles that follow. Returns what is to be told. */
async function applyMembers(
  work: TxWork,
  group: GroupRow,
  members: MemberChanges,
  rules: RoleRule[],
): Promise<EventInput[]> {
  const mapped = isMapped(group, rules)
  const { changed, users } = await changeMembers(work, group.id, members, mapped)
  if (mapped) await settleRoles(work, users, rules)
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

import { isId } from '../../../platform/ids.ts'
import type { Work } from '../../../platform/work.ts'
import { groupType } from '../language/core-schemas.ts'
import type { ScimObject } from '../language/json.ts'
import { isSelected, project, readSelection, type Selection } from '../language/project.ts'
import { findPage, type ListRequest, pageOf, readList, toPage } from '../scim/lists/lists.ts'
import { scimErrors } from '../scim/scim.ts'
import { toResource } from './resource.ts'
import { countGroupRows, findGroupRow, findGroupRows, type GroupRow, listMemberRows, selectGroupPage } from './store.ts'
import { groupId, groupTargets } from './targets.ts'

/** The attributes of groups that the response contains. */
export function selectAttributes(query: Pick<ListRequest, 'attributes' | 'excludedAttributes'>): Selection {
  return readSelection(groupType, query)
}

/** Returns a group by its id. Throws `scim_resource_not_found`. */
export async function getGroup(work: Work, text: string): Promise<GroupRow> {
  const id = text.toLowerCase()
  const group = isId(id) ? await findGroupRow(work.db, work.directory, id) : undefined
  if (!group) throw scimErrors.resourceNotFound()
  return group
}

/** The response for a group. Its members are read only if they are requested. */
export async function showGroup(work: Work, group: GroupRow, selection: Selection) {
  const members = isSelected(selection, 'members') ? await listMemberRows(work.db, work.directory, [group.id]) : null
  return project(selection, toResource(work.platform, group, members))
}

/** Returns a page of groups (RFC 7644 §3.4.2). Throws what `readList` throws. */
export async function listGroups(work: Work, request: ListRequest) {
  const { platform, db, directory } = work
  const list = readList(work, 'Groups', request, { targets: groupTargets, id: groupId })
  const selection = selectAttributes(request)
  const { rows, total } = await findPage(list, {
    select: () => selectGroupPage(db, directory, list, pageOf(list, groupId)),
    count: () => countGroupRows(db, directory, list),
  })
  return toPage(platform, list, { rows, total, idOf: ({ id }) => id }, await shower(work, rows, selection))
}

/** Returns the existing groups among these ids as in a response, by id. */
export async function showGroups(work: Work, ids: string[], selection: Selection): Promise<Map<string, ScimObject>> {
  const rows = ids.length > 0 ? await findGroupRows(work.db, work.directory, ids) : []
  const show = await shower(work, rows, selection)
  return new Map(rows.map((row) => [row.id, show(row)]))
}

/** Returns a function that shows each of these rows. Their members are read together, if they are requested. */
async function shower({ platform, db, directory }: Work, rows: GroupRow[], selection: Selection) {
  const isAsked = isSelected(selection, 'members') && rows.length > 0
  const ids = rows.map(({ id }) => id)
  const members = Map.groupBy(isAsked ? await listMemberRows(db, directory, ids) : [], ({ group_id }) => group_id)
  return (row: GroupRow) => project(selection, toResource(platform, row, isAsked ? (members.get(row.id) ?? []) : null))
}

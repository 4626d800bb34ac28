import { isId } from '../../../platform/ids.ts'
import type { Work } from '../../../platform/work.ts'
import { userType } from '../language/core-schemas.ts'
import type { ScimObject } from '../language/json.ts'
import { isSelected, project, readSelection, type Selection } from '../language/project.ts'
import { findPage, type ListRequest, pageOf, readList, toPage } from '../scim/lists/lists.ts'
import { scimErrors } from '../scim/scim.ts'
import { toResource } from './resource.ts'
import {
  countProvisionedRows,
  findListedRows,
  type ListedRow,
  listGroupsOfUsers,
  selectProvisionedPage,
} from './store.ts'
import { userId, userTargets } from './targets.ts'
import type { Provisioned } from './write.ts'

/** The attributes of users that the response contains. */
export function selectAttributes(query: Pick<ListRequest, 'attributes' | 'excludedAttributes'>): Selection {
  return readSelection(userType, query)
}

/** The response for a user. */
export async function showUser(work: Work, user: Provisioned, selection: Selection) {
  const groups = isSelected(selection, 'groups') ? await listGroupsOfUsers(work.db, work.directory, [user.row.id]) : []
  return project(selection, toResource(work.platform, user, groups))
}

/** Returns a user by the id of the resource. Throws `scim_resource_not_found`. */
export async function getProvisioned(work: Work, id: string): Promise<Provisioned> {
  const known = id.toLowerCase()
  const [row] = isId(known) ? await findListedRows(work.db, work.directory, [known]) : []
  if (!row) throw scimErrors.resourceNotFound()
  return toProvisioned(row)
}

function toProvisioned({
  said_external_id: external_id,
  resource,
  sort_key: _,
  shown_version,
  shown_at,
  ...row
}: ListedRow): Provisioned {
  return { row, stored: { external_id, resource, shown_version, shown_at } }
}

/** Returns a page of users (RFC 7644 §3.4.2). Throws what `readList` throws. */
export async function listProvisioned(work: Work, request: ListRequest) {
  const { platform, db, directory } = work
  const list = readList(work, 'Users', request, { targets: userTargets, id: userId })
  const selection = selectAttributes(request)
  const { rows, total } = await findPage(list, {
    select: () => selectProvisionedPage(db, directory, list, pageOf(list, userId)),
    count: () => countProvisionedRows(db, directory, list),
  })
  return toPage(platform, list, { rows, total, idOf: ({ id }) => id }, await shower(work, rows, selection))
}

/** Returns the existing users among these ids as in a response, by id. */
export async function showUsers(work: Work, ids: string[], selection: Selection): Promise<Map<string, ScimObject>> {
  const rows = ids.length > 0 ? await findListedRows(work.db, work.directory, ids) : []
  const show = await shower(work, rows, selection)
  return new Map(rows.map((row) => [row.id, show(row)]))
}

/** Returns a function that shows each of these rows. Their groups are read together, if they are requested. */
async function shower({ platform, db, directory }: Work, rows: ListedRow[], selection: Selection) {
  const ids = isSelected(selection, 'groups') ? rows.map(({ id }) => id) : []
  const memberships = ids.length > 0 ? await listGroupsOfUsers(db, directory, ids) : []
  const groups = Map.groupBy(memberships, (group) => group.user_id)
  return (row: ListedRow) => project(selection, toResource(platform, toProvisioned(row), groups.get(row.id) ?? []))
}

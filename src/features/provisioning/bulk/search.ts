import { sql } from 'kysely'
import type { Work } from '../../../platform/work.ts'
import { groupId, groupTargets, listedGroups, selectGroupAttributes, showGroups } from '../groups/groups.ts'
import { type FilterTargets, withoutValues } from '../language/filter-sql.ts'
import type { ScimObject } from '../language/json.ts'
import { listedUsers, selectUserAttributes, showUsers, userId, userTargets } from '../provisioning/provisioning.ts'
import { findPage, type List, type ListRequest, pageOf, readList, toPage } from '../scim/lists/lists.ts'
import { countFound, type FoundRow, type Part, selectFound } from './store.ts'

/** Adds the attributes of the other resource type as empty, because a filter may name them (RFC 7644 §3.4.2.1). */
const withMissingTargets = (own: FilterTargets, other: FilterTargets): FilterTargets =>
  new Map([...withoutValues(other), ...own])

const types = [
  { type: 'User', targets: withMissingTargets(userTargets, groupTargets), id: userId, rowsOf: listedUsers },
  { type: 'Group', targets: withMissingTargets(groupTargets, userTargets), id: groupId, rowsOf: listedGroups },
] as const

/**
 * Returns a page of users and groups (RFC 7644 §3.4.3), in the requested order or else with users first. Throws what
 * `readList` throws.
 */
export async function searchAll(work: Work, request: ListRequest) {
  const { platform, db, directory } = work
  const read = ({ type, targets, id, rowsOf }: (typeof types)[number], rank: number) => {
    const list = readList(work, '', request, { targets, id })
    return { type, rank, id, list, rows: rowsOf(directory, list) }
  }
  const found = [read(types[0], 0), read(types[1], 1)] as const
  const { list } = found[0]
  const parts = found.flatMap((one): Part[] => {
    const own = ownPage(one.list, one.rank)
    return own ? [{ ...one, sort: sql`${one.list.sort ?? sql`null`}`, ...pageOf(own, one.id) }] : []
  })
  const page = { order: orderOf(list), limit: list.limit + (list.cursor ? 1 : 0), offset: list.offset }
  const { rows, total } = await findPage(list, {
    select: () => selectFound(db, parts, page),
    count: () => countFound(db, found),
  })
  const shown = await showAll(work, rows.slice(0, list.limit), request)
  const keyed = list.sort ? rows : rows.map((row) => ({ ...row, sort_key: String(rankOf(row)) }))
  const answer = toPage(platform, list, { rows: keyed, total, idOf: ({ id }) => id }, ({ id }) => shown.get(id) ?? {})
  // Leaves out resources that were deleted meanwhile.
  const Resources: object[] = answer.Resources.filter((resource) => 'id' in resource)
  return { ...answer, itemsPerPage: Resources.length, Resources }
}

const rankOf = (row: FoundRow) => types.findIndex(({ type }) => type === row.type)

/** The part of the page that one type may fill, or null if nothing more of it can be on the page. */
function ownPage(list: List, rank: number): List | null {
  const { cursor, sort, offset, limit } = list
  if (!cursor) return { ...list, offset: 0, limit: offset + limit }
  if (sort || !cursor.after) return list
  const last = Number(cursor.after.key)
  return rank < last ? null : rank === last ? list : { ...list, cursor: { after: null } }
}

/** The same order as in each part. */
function orderOf({ sort, descending, cursor }: List) {
  const direction = descending ? sql`desc` : sql`asc`
  if (!sort) return sql`rank, id ${direction}`
  if (cursor) return sql`sort_key collate "C" ${direction}, id ${direction}`
  return sql`sort ${direction} nulls last, rank, id ${direction}`
}

async function showAll(work: Work, rows: FoundRow[], request: ListRequest): Promise<Map<string, ScimObject>> {
  const idsOf = (type: FoundRow['type']) => rows.filter((row) => row.type === type).map(({ id }) => id)
  const [users, groups] = await Promise.all([
    showUsers(work, idsOf('User'), selectUserAttributes(request)),
    showGroups(work, idsOf('Group'), selectGroupAttributes(request)),
  ])
  return new Map([...users, ...groups])
}

import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Platform } from '../../../../platform/platform.ts'
import type { Work } from '../../../../platform/work.ts'
import { parseFilter, type ScimFilter } from '../../language/filter.ts'
import { compileFilter, compileSort, countQuestions, type FilterTargets } from '../../language/filter-sql.ts'
import { readName } from '../../language/reader.ts'
import { DEFAULT_RESULTS, MAX_RESULTS } from '../discovery.ts'
import { scimError, scimErrors } from '../errors.ts'
import { openCursor, type Position, sealCursor } from './cursor.ts'
import { isNarrow } from './narrow.ts'

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 10_000, description }))

/** The query parameters that select attributes (RFC 7644 §3.9). */
export const selectionQuery = {
  attributes: text('Only these attributes, separated by commas.'),
  excludedAttributes: text('All attributes except these.'),
}

/** The query of a list (RFC 7644 §3.4.2, RFC 9865 §2). */
export const listQuery = {
  filter: text('Filter in the syntax of RFC 7644 §3.4.2.2, such as `userName eq "ada@acme.example"`.'),
  sortBy: text('A filterable attribute except `members`. `emails` sorts by the primary address.'),
  sortOrder: Type.Optional(Type.String({ description: '`ascending` (default) or `descending`.' })),
  startIndex: Type.Optional(Type.Integer({ description: 'The first result, from 1.' })),
  count: Type.Optional(Type.Integer({ description: 'At most 200.' })),
  cursor: text('Send it empty for the first page, then send `nextCursor` of the previous page.'),
  ...selectionQuery,
}

const names = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]))

/** The same fields as the body of a SearchRequest (RFC 7644 §3.4.3). */
export const searchBody = { ...listQuery, attributes: names, excludedAttributes: names }

const SearchRequest = Type.Object(searchBody)
export type ListRequest = Static<typeof SearchRequest>

/** The parts of a list's statement. */
export interface List {
  condition: RawBuilder<SqlBool> | null
  /** The expression to sort by before the id. */
  sort: Expression<unknown> | null
  descending: boolean
  /** Null if the page is requested by its index. */
  cursor: { after: Position | null } | null
  offset: number
  /** With a cursor, one more than the page shows. */
  limit: number
  /** The query for which the cursor is valid. */
  query: string
  /** Whether the list reads or sorts the whole directory. */
  isBroad: boolean
}

/** The largest index to which PostgreSQL counts. */
const MAX_INDEX = 2 ** 31

/** Reads the query of a list. `path` is the list's own path. Throws ScimLanguageError, `scim_invalid_cursor`. */
export function readList(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  path: string,
  request: ListRequest,
  { targets, id }: { targets: FilterTargets; id: Expression<unknown> },
): List {
  const { filter = '', sortBy = '', sortOrder = '', startIndex = 1, count = DEFAULT_RESULTS, cursor } = request
  const query = JSON.stringify([directory.id, path, filter, sortBy, sortOrder])
  const name = sortBy === '' ? null : readName(sortBy)
  if (sortBy !== '' && !name) throw scimError(scimErrors.invalidPath, 'sortBy has to name one attribute.')
  const order = sortOrder.toLowerCase()
  if (!['', 'ascending', 'descending'].includes(order))
    throw scimError(scimErrors.invalidValue, 'sortOrder has to be ascending or descending.')
  const parsed = filter === '' ? null : parseFilter(filter)
  return {
    condition: parsed && readCondition(parsed, targets),
    sort: name ? (name.name.toLowerCase() === 'id' ? id : compileSort(name, targets)) : null,
    descending: order === 'descending',
    cursor: cursor === undefined ? null : { after: cursor === '' ? null : openCursor(platform, query, cursor) },
    offset: cursor === undefined ? Math.min(Math.max(startIndex, 1), MAX_INDEX) - 1 : 0,
    limit: Math.min(Math.max(count, 0), MAX_RESULTS),
    query,
    isBroad: parsed ? !isNarrow(parsed) : name !== null,
  }
}

// For a hundred subqueries, planning alone takes seconds.
const MAX_QUESTIONS = 10

function readCondition(filter: ScimFilter, targets: FilterTargets): RawBuilder<SqlBool> {
  if (countQuestions(filter, targets) <= MAX_QUESTIONS) return compileFilter(filter, targets)
  throw scimError(
    scimErrors.invalidFilter,
    `A filter asks at most ${MAX_QUESTIONS} times of attributes that have several values.`,
  )
}

/** The SQL after `where …` in the statement of a list. `id` is the unique column used as the last sort key. */
export function pageOf(list: List, id: RawBuilder<unknown>): { key: RawBuilder<string>; clause: RawBuilder<unknown> } {
  const { sort, descending, cursor, limit, offset } = list
  const direction = descending ? sql`desc` : sql`asc`
  const key = sort === null ? sql<string>`''` : sql<string>`coalesce((${sort})::text, '') collate "C"`
  if (!cursor) {
    const order = sort === null ? sql`` : sql`${sort} ${direction} nulls last,`
    return { key, clause: sql`order by ${order} ${id} ${direction} limit ${limit} offset ${offset}` }
  }
  const beyond = descending ? sql`<` : sql`>`
  const { after } = cursor
  const [from, order] =
    sort === null
      ? [after && sql`and ${id} ${beyond} ${after.id}::uuid`, sql``]
      : [after && sql`and (${key}, ${id}) ${beyond} (${after.key}::text, ${after.id}::uuid)`, sql`${key} ${direction},`]
  return { key, clause: sql`${from ?? sql``} order by ${order} ${id} ${direction} limit ${limit + 1}` }
}

/** The response (RFC 7644 §3.4.2, RFC 9865 §2.3). */
export function toPage<Row extends { sort_key: string }>(
  platform: Platform,
  list: List,
  found: { rows: Row[]; total: number; idOf(row: Row): string },
  show: (row: Row) => object,
) {
  const { cursor, limit, query, offset } = list
  const rows = found.rows.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = cursor !== null && found.rows.length > limit && last !== undefined
  const next = hasMore ? { key: last.sort_key, id: found.idOf(last), total: found.total } : null
  return {
    schemas: [LIST],
    totalResults: found.total,
    ...(cursor ? {} : { startIndex: offset + 1 }),
    itemsPerPage: rows.length,
    ...(next ? { nextCursor: sealCursor(platform, query, next) } : {}),
    Resources: rows.map(show),
  }
}

/** A list with a single page. */
export function toList<T>(resources: T[]) {
  const { length } = resources
  return { schemas: [LIST], totalResults: length, startIndex: 1, itemsPerPage: length, Resources: resources }
}

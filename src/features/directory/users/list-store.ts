import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { beginsWith } from '../../../platform/db/prefix.ts'
import {
  COUNTED,
  endScan,
  type Found,
  numberScan,
  type Page,
  type Position,
  SCAN_LIMIT,
  type ScannedRow,
  type Total,
  totalOf,
} from '../../../platform/http/pagination.ts'
import type { Reach } from '../../../platform/tenancy/directory.ts'
import { isRestorable, type ListedUserRow, listedColumns, unexpired } from './store.ts'

export interface UserFilter {
  emailNorm?: string | undefined
  externalId?: string | undefined
  active?: boolean | undefined
  q?: string | undefined
  updatedSince?: string | undefined
  role?: string | undefined
  /** Users who can be restored, instead of those who are there. */
  deleted?: boolean | undefined
}

/**
 * A search that an index answers reads at most so many entries of it. What more users match is common enough to be met
 * in the order of the list.
 */
const CANDIDATES = 5000

/** The position of a user in the order of a list: by the last change with `updatedSince`, else by age. */
export function userPosition({ updatedSince }: UserFilter): (row: ListedUserRow) => Position {
  return (row) => ({ at: updatedSince === undefined ? row.created_at : row.updated_at, id: row.id })
}

/**
 * A page of users, with the total if the page asks for it. Reads at most `CANDIDATES` index entries and `SCAN_LIMIT` users,
 * so a search may end before the page is full.
 */
export async function findUserPage(
  db: Db,
  reach: Reach,
  filter: UserFilter,
  page: Page,
): Promise<Found<ListedUserRow>> {
  const search = planSearch(reach, filter)
  const found = (await selectCandidates(db, search, page)) ?? (await scanUsers(db, search, page))
  return { ...found, total: page.includeTotal ? await countUsers(db, search) : undefined }
}

interface Search {
  filter: UserFilter
  /** The users of the reach, deleted or not: each index of lists begins with these conditions. */
  scope: RawBuilder<unknown>
  /** What each index that answers the search reads, in addition to the scope. Empty: no index does. */
  ranges: Range[]
  /** Conditions for which the index in the order of the list serves. */
  ordered: RawBuilder<unknown>
  /** Whether it serves for all of them: only sign-ups that have expired lie between the users of a page. */
  isOrdered: boolean
  /** All conditions except the scope. */
  matches: RawBuilder<SqlBool>
  /** The column by which the list is ordered. */
  at: RawBuilder<unknown>
}

/** A part of an index. */
interface Range {
  condition: RawBuilder<unknown>
  key: RawBuilder<unknown>
}

function planSearch(reach: Reach, filter: UserFilter): Search {
  const { emailNorm, externalId, active, q, updatedSince, role, deleted = false } = filter
  const since = updatedSince === undefined ? [] : [sql`users.updated_at >= ${new Date(updatedSince)}`]
  // Written out, not as parameters: each has an index of its own, of the few users that it is true of.
  const rare = [
    ...(role === 'admin' ? [sql`users.role = 'admin'`] : []),
    ...(active === false ? [sql`not users.active`] : []),
  ]
  const ordered = (since.length || deleted ? since : rare).slice(0, 1)
  const asked = [active, q, updatedSince, role, emailNorm, externalId].filter((value) => value !== undefined)
  const email = sql.ref('users.email_norm')
  const external = sql.ref('users.external_id')
  const conditions = [
    deleted ? isRestorable : unexpired,
    ...since,
    ...rare,
    ...(active === true ? [sql`users.active`] : []),
    ...(role === 'member' ? [sql`users.role = 'member'`] : []),
    ...(emailNorm === undefined ? [] : [sql`${email} = ${emailNorm}`]),
    ...(externalId === undefined ? [] : [sql`${external} = ${externalId}`]),
    ...(q === undefined
      ? []
      : [
          sql`(${sql.join(
            beginnings(q).map(({ condition }) => condition),
            sql` or `,
          )})`,
        ]),
  ]
  return {
    filter,
    scope: sql`${inReach(reach)} and users.deleted_at is ${sql.raw(deleted ? 'not null' : 'null')}`,
    ranges: rangesOf(filter),
    ordered: ordered[0] ?? sql`true`,
    isOrdered: !deleted && asked.length === ordered.length,
    // `coalesce`: where the planner expects few, it would rather sort all users than look for some.
    matches: sql<SqlBool>`coalesce(${sql.join(conditions, sql` and `)}, false)`,
    at: sql.ref(updatedSince === undefined ? 'created_at' : 'updated_at'),
  }
}

/** Without deleted users: no index has their addresses and names. */
function rangesOf({ emailNorm, externalId, q, deleted = false }: UserFilter): Range[] {
  const equal = (column: string, value: string) => {
    const key = sql.ref(column)
    return [{ key, condition: sql`${key} = ${value}` }]
  }
  if (externalId !== undefined) return equal('users.external_id', externalId)
  if (deleted) return []
  if (emailNorm !== undefined) return equal('users.email_norm', emailNorm)
  return q === undefined ? [] : beginnings(q)
}

const fullName = sql`lower(coalesce(users.first_name || ' ' || users.last_name, users.first_name))`

/** Users whose address, names or phone number begin so. */
function beginnings(q: string): Range[] {
  const text = sql`lower(${q}::text)`
  // As many digits as tell numbers of one country apart, however they are written.
  const digits = /^[+0-9 ()./-]+$/.test(q) ? q.replaceAll(/\D/g, '') : ''
  const names = [sql`users.email_norm`, sql`lower(users.display_name)`, fullName, sql`lower(users.last_name)`]
  return [
    ...names.map((name) => ({ name, prefix: text })),
    ...(digits.length < 3
      ? []
      : [{ name: sql`regexp_replace(users.phone, '\\D', '', 'g')`, prefix: sql`${digits}::text` }]),
  ].map(({ name, prefix }) => ({ key: sql`${name} collate "C"`, condition: beginsWith(name, prefix) }))
}

function inReach(reach: Reach): RawBuilder<unknown> {
  if (reach.directory) return sql`users.directory_id = ${reach.directory.id}`
  // The account's own team signs in through a directory that is not one of its customers'.
  return sql`users.environment_id = ${reach.environmentId} and users.directory_id is distinct from (
    select id from directories where environment_id = ${reach.environmentId} and kind = 'console')`
}

/** The ids in these parts of indexes: the first ones of each, in its order, for which no other index will do. */
function entries({ scope, ranges }: Search, limit: number, union: 'union' | 'union all'): RawBuilder<unknown> {
  const parts = ranges.map(
    ({ condition, key }) => sql`
      (select users.id from users where ${scope} and ${condition} order by ${key} limit ${limit})`,
  )
  return sql`select id from (${sql.join(parts, sql.raw(` ${union} `))}) entries limit ${limit}`
}

/** The page of the users that the indexes find. Null if these are too many, or if no index fits. */
async function selectCandidates(db: Db, search: Search, page: Page): Promise<Found<ListedUserRow> | null> {
  if (!search.ranges.length) return null
  const { order, after } = orderOf(search, page)
  const { rows } = await sql<ListedUserRow & { candidates: number }>`
    with candidates as materialized (${entries(search, CANDIDATES + 1, 'union all')}),
    page as (
      select users.*, ${listedColumns} from (
        select users.* from users
        where ${search.scope} and users.id = any(array(
          select id from candidates where (select count(*) from candidates) <= ${CANDIDATES})) limit ${CANDIDATES}) users
      where ${search.matches} and ${after} order by ${order} limit ${page.limit + 1})
    select counted.candidates, page.* from (select count(*)::int as candidates from candidates) counted
      left join page on true
    order by ${order}`.execute(db)
  if (rows[0] && rows[0].candidates > CANDIDATES) return null
  return { rows: rows.filter(({ id }) => id !== null) }
}

/** Searches in the order of the list: the first `SCAN_LIMIT` users, unless an index decides alone who matches. */
async function scanUsers(db: Db, search: Search, page: Page): Promise<Found<ListedUserRow>> {
  const { order, after } = orderOf(search, page)
  const { filter, scope, ordered, matches } = search
  const inOrder = sql`${scope} and ${ordered} and ${after}`
  if (search.isOrdered) {
    const { rows } = await sql<ListedUserRow>`select users.*, ${listedColumns} from users
      where ${inOrder} and ${matches} order by ${order} limit ${page.limit + 1}`.execute(db)
    return { rows }
  }
  const scan = sql`select users.* from users where ${inOrder} order by ${order} limit ${SCAN_LIMIT}`
  const { rows } = await sql<ListedUserRow & ScannedRow>`
    select users.*, ${listedColumns}, ${matches} as is_match from (${numberScan(scan, page)}) users
    where ${matches} or users.scan_place = ${SCAN_LIMIT} order by ${order} limit ${page.limit + 1}`.execute(db)
  return endScan(rows, userPosition(filter))
}

/** The order of a list, and where the page begins in it, for rows with the columns of users. */
function orderOf({ at }: Search, { order, after }: Page) {
  const direction = sql.raw(order)
  const beyond = sql.raw(order === 'asc' ? '>' : '<')
  return {
    order: sql`${at} ${direction}, id ${direction}`,
    after: after ? sql`(users.${at}, users.id) ${beyond} (${after.at}, ${after.id}::uuid)` : sql`true`,
  }
}

/** Counts what a search finds, of the first `COUNTED` users that it looks at. */
async function countUsers(db: Db, search: Search): Promise<Total> {
  const looked = search.ranges.length
    ? sql`users.id = any(array(${entries(search, COUNTED + 1, 'union')}))`
    : search.ordered
  // Otherwise PostgreSQL may collect all rows by another index, and take so many of them.
  const order = search.ranges.length ? sql`` : sql`order by ${search.at}, id`
  const { rows } = await sql<{ looked: number; matching: number }>`
    select count(*)::int as looked, (count(*) filter (where ${search.matches}))::int as matching from (
      select users.* from users where ${search.scope} and ${looked} ${order} limit ${COUNTED + 1}) users`.execute(db)
  const { looked: count = 0, matching = 0 } = rows[0] ?? {}
  return totalOf(count, matching)
}

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
  /** List deleted users who can be restored, instead of existing users. */
  deleted?: boolean | undefined
}

/**
 * How many index entries a search reads at most. If more users match, matches are so common that scanning the list in
 * its order finds them soon.
 */
const CANDIDATES = 5000

/** The position of a user in the list's order: by the last change with `updatedSince`, else by creation. */
export function userPosition({ updatedSince }: UserFilter): (row: ListedUserRow) => Position {
  return (row) => ({ at: updatedSince === undefined ? row.created_at : row.updated_at, id: row.id })
}

/**
 * A page of users, with the total if the page asks for it. Reads at most `CANDIDATES` index entries and `SCAN_LIMIT`
 * users, so the result may end before the page is full.
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
  /**
   * All existing, or all deleted, users that the caller reaches. Every index for lists begins with these conditions.
   */
  scope: RawBuilder<unknown>
  /** The index ranges that answer the search, in addition to the scope. Empty if no index does. */
  ranges: Range[]
  /** The condition that the index with the list's order covers. */
  ordered: RawBuilder<unknown>
  /**
   * Whether that index covers all conditions. Then only expired sign-ups have to be skipped between the users of a
   * page.
   */
  isOrdered: boolean
  /** All conditions except the scope. */
  matches: RawBuilder<SqlBool>
  /** The column that the list is sorted by. */
  at: RawBuilder<unknown>
}

/** A range of an index. */
interface Range {
  condition: RawBuilder<unknown>
  key: RawBuilder<unknown>
}

function planSearch(reach: Reach, filter: UserFilter): Search {
  const { emailNorm, externalId, active, q, updatedSince, role, deleted = false } = filter
  const since = updatedSince === undefined ? [] : [sql`users.updated_at >= ${new Date(updatedSince)}`]
  // Written as literals instead of parameters: each has a partial index with the few users that match.
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
    // `coalesce`: where the planner expects few matches, it would rather sort all users than scan for some.
    matches: sql<SqlBool>`coalesce(${sql.join(conditions, sql` and `)}, false)`,
    at: sql.ref(updatedSince === undefined ? 'created_at' : 'updated_at'),
  }
}

/** Empty for deleted users, except by external id: no index has their addresses and names. */
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

/** Ranges for users whose address, names or phone number begin with the text. */
function beginnings(q: string): Range[] {
  const text = sql`lower(${q}::text)`
  // Only the digits, since people write numbers in different formats. Fewer than three digits would match too many
  // numbers.
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
  // The account's own team is in the console directory, which does not belong to any customer.
  return sql`users.environment_id = ${reach.environmentId} and users.directory_id is distinct from (
    select id from directories where environment_id = ${reach.environmentId} and kind = 'console')`
}

/** The ids in these index ranges, up to `limit` from each. The `order by` makes the planner use this index. */
function entries({ scope, ranges }: Search, limit: number, union: 'union' | 'union all'): RawBuilder<unknown> {
  const parts = ranges.map(
    ({ condition, key }) => sql`
      (select users.id from users where ${scope} and ${condition} order by ${key} limit ${limit})`,
  )
  return sql`select id from (${sql.join(parts, sql.raw(` ${union} `))}) entries limit ${limit}`
}

/** The page of users that the indexes find. Null if they find too many, or if there is no index. */
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

/**
 * Searches the list in its order. Reads the first `SCAN_LIMIT` users, or fewer if an index alone decides which users
 * match.
 */
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

/** The list's order and the beginning of the page, for rows with the columns of users. */
function orderOf({ at }: Search, { order, after }: Page) {
  const direction = sql.raw(order)
  const beyond = sql.raw(order === 'asc' ? '>' : '<')
  return {
    order: sql`${at} ${direction}, id ${direction}`,
    after: after ? sql`(users.${at}, users.id) ${beyond} (${after.at}, ${after.id}::uuid)` : sql`true`,
  }
}

/** Counts the matching users. Looks at no more than `COUNTED` + 1 users, so the count may be a minimum. */
async function countUsers(db: Db, search: Search): Promise<Total> {
  const looked = search.ranges.length
    ? sql`users.id = any(array(${entries(search, COUNTED + 1, 'union')}))`
    : search.ordered
  // Without the order, PostgreSQL may collect all rows of another index first.
  const order = search.ranges.length ? sql`` : sql`order by ${search.at}, id`
  const { rows } = await sql<{ looked: number; matching: number }>`
    select count(*)::int as looked, (count(*) filter (where ${search.matches}))::int as matching from (
      select users.* from users where ${search.scope} and ${looked} ${order} limit ${COUNTED + 1}) users`.execute(db)
  const { looked: count = 0, matching = 0 } = rows[0] ?? {}
  return totalOf(count, matching)
}

import {
  type AliasableExpression,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type Simplify,
  type SqlBool,
  sql,
} from 'kysely'
import { Type } from 'typebox'
import { hashPurpose } from '../crypto/keyring.ts'
import { keyedHash, sameHash } from '../crypto/tokens.ts'
import type { Db } from '../db/pool.ts'
import { invalidField } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import { nullable } from '../schema.ts'

const cursors = hashPurpose('cursor')

const MAX_LIMIT = 1000
/** The number of rows that a filter without an index scans for one page at most. The next page continues after them. */
export const SCAN_LIMIT = 10_000
/** A total is counted up to this number. */
export const COUNTED = 10_000

/** Query parameters of every list, to spread into `query`. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT, description: 'Maximum rows per page.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`next_cursor` of the previous page.' })),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'asc', description: '`asc`: oldest first. `desc`: newest first.' }),
  ),
  include_total: Type.Optional(
    Type.Boolean({ default: false, description: `Adds \`total\`, counted up to ${COUNTED.toLocaleString('en')}.` }),
  ),
}

/** Fields of a list without pages, in addition to its rows. To spread into `reply`. */
export const wholeListReply = {
  has_more: Type.Boolean(),
  next_cursor: nullable(Type.String({ examples: ['AZi28nwafT6bQlofDI5tIXkP3m1vQ2c4v0s1ZQeWmTo'] })),
}

export const wholeList: PageReply = { has_more: false, next_cursor: null }

/** Fields of every other list, in addition to its rows. To spread into `reply`. */
export const listReply = {
  ...wholeListReply,
  total: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Number of rows on all pages together. Only with `include_total`.' }),
  ),
  total_is_minimum: Type.Optional(
    Type.Boolean({ description: 'True if there are more rows than `total`, or may be. Absent if `total` is exact.' }),
  ),
}

export interface ListQuery {
  limit?: number
  cursor?: string
  order?: 'asc' | 'desc'
  include_total?: boolean
}

/** A position in a list: the one after the row with this time and id. */
export interface Position {
  at: Date
  id: string
}

/** The column that orders a list. */
type SortKey = 'age' | 'change'

/** One page as requested. */
export interface Page {
  /** The path of the list. Its cursors are only valid for this path. */
  path: string
  query: ListQuery
  limit: number
  order: 'asc' | 'desc'
  sortedBy: SortKey
  after: Position | null
  includeTotal: boolean
}

export interface PageReply {
  has_more: boolean
  next_cursor: string | null
  total?: number
  total_is_minimum?: boolean
}

/**
 * Reads the query of a list. `path` is the path of the list, with parameters filled in (`/v1/users`).
 * Throws `invalid_request` for a cursor of another list, another order or another deployment.
 */
export function readPage(platform: Platform, path: string, query: ListQuery, sortedBy: SortKey = 'age'): Page {
  const order = query.order ?? 'asc'
  const after =
    query.cursor === undefined ? null : openCursor(platform, path, bindingOf({ order, sortedBy }), query.cursor)
  const includeTotal = query.include_total ?? false
  return { path, query, limit: query.limit ?? MAX_LIMIT, order, sortedBy, after, includeTotal }
}

/**
 * Orders a query by (time, id), starts it after the cursor and reads one row more than requested, so that `finishPage`
 * knows whether more rows follow. An index on exactly these columns serves either order.
 */
export function takePage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  columns: Columns = { at: 'created_at', id: 'id' },
): SelectQueryBuilder<DB, TB, O> {
  const at = sql.ref(columns.at)
  const id = sql.ref(columns.id)
  const { after, order, limit } = page
  const beyond = sql.raw(order === 'asc' ? '>' : '<')
  const started = after ? query.where(sql<boolean>`(${at}, ${id}) ${beyond} (${after.at}, ${after.id}::uuid)`) : query
  return started
    .orderBy(at, order)
    .orderBy(id, order)
    .limit(limit + 1)
}

/** The number of rows of a whole list. */
export interface Total {
  count: number
  /** Whether there are more rows, or may be. */
  isMinimum: boolean
}

/** The rows of a page and, if requested, the total. */
export interface Found<Row> {
  rows: Row[]
  total?: Total | undefined
  /** The last row that a search scanned, if more rows may follow it. */
  end?: Position | null
}

/** Runs a query with `takePage`, and counts its rows if the total is requested. */
export async function findPage<DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  columns?: Columns,
): Promise<Found<Simplify<O>>> {
  const rows = await takePage(query, page, columns).execute()
  return { rows, total: await countIfAsked(db, query, page) }
}

/** Counts a query's rows if the total is requested. Reads at most `COUNTED` + 1 rows. */
export async function countIfAsked<DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
): Promise<Total | undefined> {
  if (!page.includeTotal) return undefined
  const counted = query
    .clearSelect()
    .select(sql<number>`1`.as('n'))
    .limit(COUNTED + 1)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (${counted}) counted`.execute(db)
  const count = rows[0]?.count ?? 0
  return totalOf(count, count)
}

/** The total after a scan of at most `COUNTED` + 1 rows, `matching` of which match. */
export function totalOf(scanned: number, matching: number): Total {
  return { count: Math.min(matching, COUNTED), isMinimum: scanned > COUNTED }
}

interface Columns {
  at: string
  id: string
}

/** A filter without an index. */
interface Search<SDB, STB extends keyof SDB, SO, DB, TB extends keyof DB, O> {
  db: Db
  /** The name of the scanned rows in `describe`. */
  table: string
  /** The rows to scan, which an index returns in the order of the page. */
  scope: SelectQueryBuilder<SDB, STB, SO>
  /** Joins the data that the page shows. Must neither drop nor repeat a row. */
  describe(rows: AliasableExpression<SO>): SelectQueryBuilder<DB, TB, O>
  /** Whether a joined row belongs to the list. */
  matches: RawBuilder<SqlBool>
}

/** A scanned row: whether it belongs to the list, and its number in the scan, from 1. */
export interface ScannedRow {
  is_match: boolean
  scan_place: number
}

/**
 * Reads a page of a search, with the total if requested. Scans at most `SCAN_LIMIT` rows, and stops when the page is
 * full. A single statement returns the rows and the end of the scan. With two statements, a row removed in between
 * would move the end, and the next page would skip a row.
 */
export async function searchPage<SDB, STB extends keyof SDB, SO, DB, TB extends keyof DB, O>(
  search: Search<SDB, STB, SO, DB, TB, O>,
  page: Page,
  positionOf: (row: Simplify<O>) => Position,
): Promise<Found<Simplify<O>>> {
  const scanned = numberScan(scan(search, { ...page, limit: SCAN_LIMIT - 1 }), page)
  const { rows } = await takeScanned<Simplify<O>>(scanned, page).execute(search.db)
  return { ...endScan(rows, positionOf), total: await countScanned(search, page) }
}

/** The joined rows that a page with this limit reads, and whether each belongs to the list. */
function scan<SDB, STB extends keyof SDB, SO, DB, TB extends keyof DB, O>(
  { table, scope, describe, matches }: Search<SDB, STB, SO, DB, TB, O>,
  page: Page,
) {
  // The limit comes after the joins, because a distributed database cannot join a limited query.
  const described = describe(sql<SO>`(${scope})`).select(matches.as('is_match'))
  return takePage(described, page, { at: `${table}.created_at`, id: `${table}.id` })
}

/**
 * SQL: numbers the first `SCAN_LIMIT` rows of a query in the order of the page. The query itself has a limit, so that
 * a distributed database numbers only the scanned rows.
 */
export function numberScan(scan: Expression<unknown>, page: Page): RawBuilder<unknown> {
  return sql`select scan.*, row_number() over (order by ${orderOf('scan', page)}) as scan_place from (${scan}) scan`
}

/** SQL: the order of a page, for rows of this name. */
function orderOf(name: string, { order, sortedBy }: Page): RawBuilder<unknown> {
  const at = sql.ref(`${name}.${sortedBy === 'age' ? 'created_at' : 'updated_at'}`)
  return sql`${at} ${sql.raw(order)}, ${sql.ref(`${name}.id`)} ${sql.raw(order)}`
}

/** SQL: the matching rows of a numbered scan that belong to the page, and the last row of the scan. */
function takeScanned<Row>(numbered: RawBuilder<unknown>, page: Page) {
  return sql<Row & ScannedRow>`select scanned.* from (${numbered}) scanned
    where scanned.is_match or scanned.scan_place = ${SCAN_LIMIT}
    order by ${orderOf('scanned', page)} limit ${page.limit + 1}`
}

/** The matching rows of a scan, and its end if it has `SCAN_LIMIT` rows. */
export function endScan<Row>(rows: (Row & ScannedRow)[], positionOf: (row: Row) => Position): Found<Row> {
  const end = rows.find(({ scan_place }) => scan_place === SCAN_LIMIT)
  return { rows: rows.filter(({ is_match }) => is_match), end: end ? positionOf(end) : null }
}

/** Counts the matching rows of a search if the request asks for the total. Looks at no more than `COUNTED` rows. */
async function countScanned<SDB, STB extends keyof SDB, SO, DB, TB extends keyof DB, O>(
  search: Search<SDB, STB, SO, DB, TB, O>,
  page: Page,
): Promise<Total | undefined> {
  if (!page.includeTotal) return undefined
  const { rows } = await sql<{ scanned: number; matching: number }>`
    select count(*)::int as scanned, (count(*) filter (where is_match))::int as matching
    from (${scan(search, { ...page, after: null, limit: COUNTED })}) scanned`.execute(search.db)
  const { scanned = 0, matching = 0 } = rows[0] ?? {}
  return totalOf(scanned, matching)
}

/**
 * Drops the extra row and returns the fields that every list has. Sets `Link: rel="next"` (RFC 8288) if more rows
 * follow. `positionOf` reads the columns by which the rows are ordered.
 */
export function finishPage<Row>(
  context: { platform: Platform; headers: Record<string, string> },
  page: Page,
  found: Found<Row>,
  positionOf: (row: Row) => Position,
): { rows: Row[]; reply: PageReply } {
  const rows = found.rows.slice(0, page.limit)
  const last = rows.at(-1)
  const end = found.rows.length > page.limit && last ? positionOf(last) : found.end
  const next = end ? sealCursor(context.platform, page.path, bindingOf(page), end) : null
  if (next) context.headers.link = `<${nextAddress(context.platform, page, next)}>; rel="next"`
  return { rows, reply: { has_more: next !== null, next_cursor: next, ...showTotal(found.total) } }
}

function showTotal(total: Total | undefined): Pick<PageReply, 'total' | 'total_is_minimum'> {
  if (total === undefined) return {}
  return { total: total.count, ...(total.isMinimum ? { total_is_minimum: true } : {}) }
}

/** The order in which a cursor is valid. Lists by age still accept the cursors of earlier releases. */
function bindingOf({ order, sortedBy }: Pick<Page, 'order' | 'sortedBy'>): string {
  return sortedBy === 'age' ? order : `${order} ${sortedBy}`
}

/** The position of a row in a list ordered by creation time. */
export function byAge(row: { created_at: Date; id: string }): Position {
  return { at: row.created_at, id: row.id }
}

/** Built only from the configured URL, so that a forged Host header cannot choose the client's next address. */
function nextAddress(platform: Platform, page: Page, cursor: string): string {
  // Base URL: builds the address of the next page.
  const url = new URL(`${platform.config.baseUrl}/api${page.path}`)
  for (const [name, value] of Object.entries({ ...page.query, cursor })) url.searchParams.set(name, String(value))
  return url.href
}

const PLACE_BYTES = 8 + 16
const MAC_BYTES = 16
const FORM = /^[A-Za-z0-9_-]{54}$/

/** Makes a cursor of a list. It is signed, so that clients cannot depend on its content and we can change it. */
export function sealCursor(platform: Platform, path: string, order: string, position: Position): string {
  const place = Buffer.alloc(PLACE_BYTES)
  place.writeBigInt64BE(BigInt(position.at.getTime()))
  place.write(position.id.replaceAll('-', ''), 8, 'hex')
  return Buffer.concat([place, sign(platform, path, order, place)]).toString('base64url')
}

/** Reads the position from a cursor. Throws `invalid_request` if it is not a cursor of this list. */
export function openCursor(platform: Platform, path: string, order: string, cursor: string): Position {
  const bytes = Buffer.from(FORM.test(cursor) ? cursor : '', 'base64url')
  // The last character has unused bits, so other texts would decode to the same bytes.
  if (bytes.toString('base64url') !== cursor) throw badCursor()
  const place = bytes.subarray(0, PLACE_BYTES)
  if (
    bytes.length !== PLACE_BYTES + MAC_BYTES ||
    !sameHash(bytes.subarray(PLACE_BYTES), sign(platform, path, order, place))
  )
    throw badCursor()
  const id = place.toString('hex', 8).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (!isId(id)) throw badCursor()
  return { at: new Date(Number(place.readBigInt64BE())), id }
}

function sign(platform: Platform, path: string, order: string, place: Buffer): Buffer {
  return keyedHash(platform.keyring.hashKey(cursors), path, order, place.toString('hex')).subarray(0, MAC_BYTES)
}

function badCursor() {
  const message = 'cursor must be the next_cursor of a page of this list, in the same order'
  return invalidField('cursor', 'cursor', message)
}

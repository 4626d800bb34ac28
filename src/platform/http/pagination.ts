import { type SelectQueryBuilder, type Simplify, sql } from 'kysely'
import { Type } from 'typebox'
import { hashPurpose } from '../crypto/keyring.ts'
import { keyedHash, sameHash } from '../crypto/tokens.ts'
import { invalidField } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import { nullable } from '../schema.ts'

const cursors = hashPurpose('cursor')

const MAX_LIMIT = 1000

/** Query parameters of every list; spread into `query`. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT, description: 'Maximum number of rows.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`next_cursor` of the previous page.' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: 'Oldest or newest first.' })),
  include_total: Type.Optional(Type.Boolean({ default: false, description: 'Adds `total`, which requires a count.' })),
}

/** What a list that is always whole returns besides its rows; spread into `reply`. */
export const wholeListReply = {
  has_more: Type.Boolean(),
  next_cursor: nullable(Type.String({ examples: ['AZi28nwafT6bQlofDI5tIXkP3m1vQ2c4v0s1ZQeWmTo'] })),
}

export const wholeList: PageReply = { has_more: false, next_cursor: null }

/** What every other list returns besides its rows; spread into `reply`. */
export const listReply = {
  ...wholeListReply,
  total: Type.Optional(Type.Integer({ minimum: 0 })),
}

export interface ListQuery {
  limit?: number
  cursor?: string
  order?: 'asc' | 'desc'
  include_total?: boolean
}

/** A position in a list: after the row with this time and id. */
interface Position {
  at: Date
  id: string
}

/** One page as requested. */
export interface Page {
  /** Path of the list, to which its cursors are bound. */
  path: string
  query: ListQuery
  limit: number
  order: 'asc' | 'desc'
  after: Position | null
  includeTotal: boolean
}

export interface PageReply {
  has_more: boolean
  next_cursor: string | null
  total?: number
}

/**
 * Reads the query of a list. `path` is the list's own, with parameters filled in (`/v1/users`).
 * Throws `invalid_request` for a cursor of another list, another order or another issuer.
 */
export function readPage(platform: Platform, path: string, query: ListQuery): Page {
  const order = query.order ?? 'asc'
  const after = query.cursor === undefined ? null : openCursor(platform, path, order, query.cursor)
  const includeTotal = query.include_total ?? false
  return { path, query, limit: query.limit ?? MAX_LIMIT, order, after, includeTotal }
}

/**
 * Orders a query by (time, id), starts it after the cursor and takes one row more than requested, so that `finishPage`
 * can tell whether there are more. An index on exactly these columns serves it in either order.
 */
export function takePage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  columns: { at: string; id: string } = { at: 'created_at', id: 'id' },
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

/** What a query has for a page, and in all where that is asked. */
export interface Found<Row> {
  rows: Row[]
  total?: number
}

/** Runs a query as `takePage` asks, and counts what it has in all if the page wants to know. */
export async function findPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  columns?: { at: string; id: string },
): Promise<Found<Simplify<O>>> {
  const rows = await takePage(query, page, columns).execute()
  if (!page.includeTotal) return { rows }
  const counted = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .execute()
  return { rows, total: Number(Object.values(counted[0] ?? {})[0] ?? 0) }
}

/**
 * Drops the surplus row and returns the fields that every list has; sets `Link: rel="next"` (RFC 8288) when there are
 * more. `positionOf` reads the columns that `takePage` ordered by.
 */
export function finishPage<Row>(
  context: { platform: Platform; headers: Record<string, string> },
  page: Page,
  found: { rows: Row[]; total?: number | undefined },
  positionOf: (row: Row) => Position,
): { rows: Row[]; reply: PageReply } {
  const rows = found.rows.slice(0, page.limit)
  const last = rows.at(-1)
  const next =
    found.rows.length > page.limit && last
      ? sealCursor(context.platform, page.path, page.order, positionOf(last))
      : null
  if (next) context.headers.link = `<${nextAddress(context.platform, page, next)}>; rel="next"`
  const counted = found.total === undefined ? {} : { total: found.total }
  return { rows, reply: { has_more: next !== null, next_cursor: next, ...counted } }
}

/** The position of a row in a list ordered by creation time. */
export function byAge(row: { created_at: Date; id: string }): Position {
  return { at: row.created_at, id: row.id }
}

/** Built only from the configured URL: a forged Host header must not decide where a client goes next. */
function nextAddress(platform: Platform, page: Page, cursor: string): string {
  const url = new URL(`${platform.config.baseUrl}/api${page.path}`)
  for (const [name, value] of Object.entries({ ...page.query, cursor })) url.searchParams.set(name, String(value))
  return url.href
}

const PLACE_BYTES = 8 + 16
const MAC_BYTES = 16
const FORM = /^[A-Za-z0-9_-]{54}$/

/** A cursor of a list. Signed, so that clients cannot come to depend on its content and we can change it. */
export function sealCursor(platform: Platform, path: string, order: string, position: Position): string {
  const place = Buffer.alloc(PLACE_BYTES)
  place.writeBigInt64BE(BigInt(position.at.getTime()))
  place.write(position.id.replaceAll('-', ''), 8, 'hex')
  return Buffer.concat([place, sign(platform, path, order, place)]).toString('base64url')
}

/** The position a cursor stands for. Throws `invalid_request` when it is not one of this list. */
export function openCursor(platform: Platform, path: string, order: string, cursor: string): Position {
  const bytes = Buffer.from(FORM.test(cursor) ? cursor : '', 'base64url')
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

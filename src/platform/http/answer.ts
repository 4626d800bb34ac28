import type { Static, TSchema } from 'typebox'
import { csvCell } from '../csv.ts'
import type { RenderedPage } from '../pages/card.ts'

/** Statuses other than 200, with the body of each. */
export type Statuses = { [status: number]: TSchema }

const status = Symbol('status')

/** A response with a status other than 200. */
export interface Answered<N, B> {
  readonly [status]: N
  readonly body: B
}

/** Redirects the browser: 302 for a GET, 303 for a form (RFC 9110 §15.4). */
export interface Redirect {
  /** An absolute http(s) URL. A page's form may redirect to another host only if it is the page's `leadsTo`. */
  redirectTo: string
}

const table = Symbol('table')

/** A response as CSV (RFC 4180), for routes that declare it. */
export interface Table {
  readonly [table]: string
}

/** Sends rows as CSV. The first row has the column names. */
export function asTable(rows: readonly (readonly (string | number | null)[])[]): Table {
  return { [table]: rows.map(csvLine).join('') }
}

/** A row of CSV (RFC 4180). Text that a spreadsheet would run as a formula is escaped. */
export function csvLine(row: readonly (string | number | null)[]): string {
  const cell = (value: string | number | null) => (typeof value === 'string' ? csvCell(value) : String(value ?? ''))
  return `${row.map(cell).join(',')}\r\n`
}

/** The text of such a response, or null for any other value. */
export function tableOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && table in value ? String(value[table]) : null
}

const download = Symbol('download')

/** A response of any length, for routes that declare its types. It is sent in parts, as fast as the client reads. */
export interface Download {
  readonly [download]: { type: string; name: string; pieces: AsyncIterable<string> }
}

/**
 * `name` is the file name. The next part is requested when the previous one was sent, and none after the client has
 * left.
 */
export function asDownload(type: string, name: string, pieces: AsyncIterable<string>): Download {
  return { [download]: { type, name, pieces } }
}

/** The content of such a response, or null for any other value. */
export function downloadOf(value: unknown): Download[typeof download] | null {
  return isDownload(value) ? value[download] : null
}

function isDownload(value: unknown): value is Download {
  return typeof value === 'object' && value !== null && download in value
}

/**
 * The values that a handler may return: the body of a 200, another of the route's statuses, or a redirect or a page if
 * the route declares them.
 */
export type Answer<R extends TSchema, S extends Statuses> =
  | Static<R>
  | { [N in keyof S]: Answered<N, Static<Extract<S[N], TSchema>>> }[keyof S]
  | Redirect
  | RenderedPage
  | Table
  | Download

/** A response with a status that the route declares in `replies`. */
export function answer<N extends number, B>(code: N, body: B): Answered<N, B> {
  return { [status]: code, body }
}

export function statusOf(value: unknown): { code: number; body: unknown } {
  if (typeof value === 'object' && value !== null && status in value && 'body' in value)
    return { code: Number(value[status]), body: value.body }
  return { code: 200, body: value }
}

/** The URL that a response redirects to, or null. Throws if it is not http(s), because a browser might run it. */
export function redirectOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('redirectTo' in value)) return null
  const { protocol, href } = new URL(String(value.redirectTo))
  if (!/^https?:$/.test(protocol)) throw new Error('A redirect may only lead to http(s) URLs')
  return href
}

import type { Static, TSchema } from 'typebox'
import { csvCell } from '../csv.ts'
import type { RenderedPage } from '../pages/page-layout.ts'

/** Statuses other than 200, with the body of each. */
export type Statuses = { [status: number]: TSchema }

const status = Symbol('status')

/** An answer with a status other than 200. */
export interface Answered<N, B> {
  readonly [status]: N
  readonly body: B
}

/** Sends the browser on: 302 from a GET, 303 from a form (RFC 9110 §15.4). */
export interface Redirect {
  /** An absolute http(s) URL. From the form of a page, another host must be its `leadsTo`. */
  redirectTo: string
}

const table = Symbol('table')

/** An answer as CSV (RFC 4180), of a route that declares it. */
export interface Table {
  readonly [table]: string
}

/** Rows as CSV, the first of which has the names. */
export function asTable(rows: readonly (readonly (string | number | null)[])[]): Table {
  return { [table]: rows.map(csvLine).join('') }
}

/** A row as CSV (RFC 4180). What a spreadsheet would take for a formula is made a text. */
export function csvLine(row: readonly (string | number | null)[]): string {
  const cell = (value: string | number | null) => (typeof value === 'string' ? csvCell(value) : String(value ?? ''))
  return `${row.map(cell).join(',')}\r\n`
}

/** The text of such an answer, or null for another. */
export function tableOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && table in value ? String(value[table]) : null
}

const download = Symbol('download')

/** An answer of any length, of a route that declares its types: sent piece by piece, as fast as the client reads. */
export interface Download {
  readonly [download]: { type: string; name: string; pieces: AsyncIterable<string> }
}

/** `name` is that of the file. A piece is asked for when the one before is sent, and none once the client has gone. */
export function asDownload(type: string, name: string, pieces: AsyncIterable<string>): Download {
  return { [download]: { type, name, pieces } }
}

/** What such an answer consists of, or null for another. */
export function downloadOf(value: unknown): Download[typeof download] | null {
  return isDownload(value) ? value[download] : null
}

function isDownload(value: unknown): value is Download {
  return typeof value === 'object' && value !== null && download in value
}

/**
 * What a handler may return: the body of a 200, one of its other statuses, or a redirect or a page if the route declares
 * them.
 */
export type Answer<R extends TSchema, S extends Statuses> =
  | Static<R>
  | { [N in keyof S]: Answered<N, Static<Extract<S[N], TSchema>>> }[keyof S]
  | Redirect
  | RenderedPage
  | Table
  | Download

/** An answer with a status that the route declares in `replies`. */
export function answer<N extends number, B>(code: N, body: B): Answered<N, B> {
  return { [status]: code, body }
}

export function statusOf(value: unknown): { code: number; body: unknown } {
  if (typeof value === 'object' && value !== null && status in value && 'body' in value)
    return { code: Number(value[status]), body: value.body }
  return { code: 200, body: value }
}

/** The URL that an answer redirects to, or null. Throws for one that is not http(s), which a browser might run. */
export function redirectOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('redirectTo' in value)) return null
  const { protocol, href } = new URL(String(value.redirectTo))
  if (!/^https?:$/.test(protocol)) throw new Error('A redirect may only lead to http(s) URLs')
  return href
}

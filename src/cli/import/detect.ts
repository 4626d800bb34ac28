import { CliError } from '../print.ts'
import { type CsvShape, csvRows, findDelimiter, firstRows } from './csv.ts'
import { firebaseColumns } from './firebase.ts'
import { jsonElements } from './json-elements.ts'
import { jsonLines } from './lines.ts'
import { type Format, isObject } from './person.ts'
import { parseJson, type RawRecord } from './records.ts'
import { readBytes, type Source } from './source.ts'

/** How to read the records of a file. */
export type Layout = { kind: 'csv'; shape: CsvShape } | { kind: 'lines' } | { kind: 'document' }

// The key of the user list in documents of Keycloak and Firebase (`users`) and of Cognito (`Users`).
const LIST_NAMES = ['users', 'Users']

/** Detects CSV, one JSON value per line, or a JSON document. Throws CliError for anything else. */
export function findLayout(source: Source, format: Format | 'auto'): Layout {
  const text = source.head.trimStart()
  if (text.startsWith('{')) return isJsonLines(text) ? { kind: 'lines' } : { kind: 'document' }
  if (text.startsWith('[')) return { kind: 'document' }
  if (text.startsWith('<')) throw new CliError(`${source.path} looks like XML or HTML: export CSV or JSON.`)
  return { kind: 'csv', shape: findShape(source.head, format) }
}

function isJsonLines(text: string): boolean {
  const first = parseJson(text.split('\n', 1)[0] ?? '')
  return isObject(first) && !LIST_NAMES.some((name) => Array.isArray(first[name]))
}

function findShape(head: string, format: Format | 'auto'): CsvShape {
  const delimiter = findDelimiter(head)
  const [first = []] = firstRows(head, delimiter, 1)
  if (format === 'firebase' || (format === 'auto' && isFirebaseRow(first)))
    return { delimiter, columns: firebaseColumns, hasHeader: false }
  return { delimiter, columns: first, hasHeader: true }
}

/** Firebase writes no header. A row has an id, an address, whether it is verified, and some twenty more columns. */
function isFirebaseRow([, email = '', verified = '', ...more]: string[]): boolean {
  return more.length >= 20 && (email === '' || email.includes('@')) && ['true', 'false'].includes(verified)
}

/** Reads every record of a file from the beginning. */
export function readRecords(
  source: Source,
  layout: Layout,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<RawRecord> {
  const bytes = readBytes(source, onRead)
  if (layout.kind === 'csv') return csvRows(bytes, layout.shape)
  return layout.kind === 'lines' ? jsonLines(bytes) : jsonElements(bytes, LIST_NAMES)
}

/** The first readable record, or null. */
export async function firstRecord(source: Source, layout: Layout): Promise<Record<string, unknown> | null> {
  for await (const { value } of readRecords(source, layout)) if (isObject(value)) return value
  return null
}

/** Detects the exporting system by keys that only it uses. Otherwise the file has the plain format. */
export function guessFormat(layout: Layout, record: Record<string, unknown> | null): Format {
  if (layout.kind === 'csv') {
    const { columns, hasHeader } = layout.shape
    if (!hasHeader) return 'firebase'
    if (columns.includes('cognito:username')) return 'cognito'
    if (columns.includes('primary_email_address')) return 'clerk'
    return isAuth0Id(record?.['user_id'] ?? record?.['Id']) ? 'auth0' : 'csv'
  }
  const has = (...keys: string[]) => keys.every((key) => record && key in record)
  if (has('localId')) return 'firebase'
  if (has('Username', 'Attributes')) return 'cognito'
  if (has('email_addresses') || has('password_digest', 'password_hasher')) return 'clerk'
  if (has('custom_password_hash') || has('_id', 'connection') || isAuth0Id(record?.['user_id'])) return 'auth0'
  if (has('username', 'enabled')) return 'keycloak'
  return 'ndjson'
}

/** Ids such as `auth0|5dea9f9c82dd7c0e76e4ec93`. In CSV a quote precedes them. */
function isAuth0Id(value: unknown): boolean {
  return typeof value === 'string' && /^'?[a-z][\w-]*\|/.test(value)
}

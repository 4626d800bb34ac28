import type { ImportedHashType } from '../../platform/crypto/password-format.ts'
import { CliError, note } from '../print.ts'
import { fromAuth0 } from './auth0.ts'
import { fromClerk } from './clerk.ts'
import { fromCognito } from './cognito.ts'
import type { Layout } from './detect.ts'
import { firebaseAdapter } from './firebase.ts'
import type { FirebaseHashConfig } from './hashes.ts'
import { fromKeycloak } from './keycloak.ts'
import { isAbsent, withMembership } from './memberships.ts'
import { type Adapter, type Format, isObject, type Person } from './person.ts'
import { assertColumns, mapColumns, plainAdapter } from './plain.ts'
import type { RawRecord } from './records.ts'

export interface AdapterOptions {
  format: Format
  layout: Layout
  /** The first record. Without a header, its keys are used for all records. */
  first: Record<string, unknown> | null
  /** `column=field` */
  map: string[]
  hashType: ImportedHashType | undefined
  firebase: FirebaseHashConfig | null
  withoutPasswords: boolean
}

/** How the records of a file are read. */
export interface Reader {
  /** Converts a record to a person. */
  adapt(record: RawRecord): Person
  /** For CSV and NDJSON: columns that do not match a field. */
  ignoredColumns: string[]
  /** Whether a record names an organization, or has a column for it. */
  namesOrganization(record: Record<string, unknown>): boolean
}

/** Throws CliError if the options do not fit the file. */
export function readerOf(options: AdapterOptions): Reader {
  const { adapter, ignoredColumns = [], fieldOf = (column: string) => column } = findAdapter(options)
  const isPlain = options.format === 'csv' || options.format === 'ndjson'
  const adaptObject: Adapter = (record) => (isPlain ? adapter(record) : withMembership(adapter(record), record))
  const adapt = ({ value, problem }: RawRecord) =>
    isObject(value) ? adaptObject(value) : { fields: {}, unreadable: problem ?? 'The record is not a JSON object.' }
  const namesOrganization = (record: Record<string, unknown>) =>
    Object.entries(record).some(([column, value]) => fieldOf(column) === 'organization' && !isAbsent(value))
  return { adapt, ignoredColumns, namesOrganization }
}

interface Found {
  adapter: Adapter
  ignoredColumns?: string[]
  /** The field of a column, if it differs from the column's name. */
  fieldOf?: (column: string) => string | undefined
}

function findAdapter(options: AdapterOptions): Found {
  const { format, map } = options
  const isPlain = format === 'csv' || format === 'ndjson'
  if (map.length && !isPlain)
    throw new CliError(`--map is for csv and ndjson: the file is read as ${format}, whose fields are known.`, {
      isUsage: true,
    })
  switch (format) {
    case 'csv':
    case 'ndjson':
      return plain(options)
    case 'auth0':
      return { adapter: fromAuth0 }
    case 'clerk':
      return { adapter: fromClerk }
    case 'cognito':
      return { adapter: fromCognito }
    case 'keycloak':
      return { adapter: fromKeycloak }
    case 'firebase':
      return { adapter: firebaseAdapter(options.firebase, options.withoutPasswords) }
  }
}

function plain({ format, layout, first, map, hashType }: AdapterOptions): Found {
  if ((format === 'csv') !== (layout.kind === 'csv'))
    throw new CliError(`The file is not ${format.toUpperCase()}: omit --format, or use ${otherThan(format)}.`, {
      isUsage: true,
    })
  const columns = layout.kind === 'csv' ? layout.shape.columns : Object.keys(first ?? {})
  if (layout.kind === 'csv') assertColumns(columns, map)
  const mapping = mapColumns(columns, map)
  if (mapping.unused.length) note(`Ignored columns: ${mapping.unused.join(', ')}. Import them with --map.`)
  const { fieldOf, unused } = mapping
  return { adapter: plainAdapter(mapping, hashType), ignoredColumns: unused, fieldOf }
}

function otherThan(format: 'csv' | 'ndjson' | Format): string {
  return format === 'csv' ? 'ndjson' : 'csv'
}

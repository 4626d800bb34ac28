import type { ImportedHashType } from '../../platform/crypto/password-format.ts'
import { CliError, note } from '../print.ts'
import { fromAuth0 } from './auth0.ts'
import { fromClerk } from './clerk.ts'
import { fromCognito } from './cognito.ts'
import type { Layout } from './detect.ts'
import { firebaseAdapter } from './firebase.ts'
import type { FirebaseHashConfig } from './hashes.ts'
import { fromKeycloak } from './keycloak.ts'
import { type Adapter, type Format, isObject, type Person } from './person.ts'
import { assertColumns, mapColumns, plainAdapter } from './plain.ts'
import type { RawRecord } from './records.ts'

export interface AdapterOptions {
  format: Format
  layout: Layout
  /** The first record, whose keys are used for all where there is no header. */
  first: Record<string, unknown> | null
  /** `column=field` */
  map: string[]
  hashType: ImportedHashType | undefined
  firebase: FirebaseHashConfig | null
  withoutPasswords: boolean
}

/** The function that turns the records of a file into people. Throws CliError when the options do not fit the file. */
export function adapterOf(options: AdapterOptions): (record: RawRecord) => Person {
  const adapt = findAdapter(options)
  return ({ value, problem }) =>
    isObject(value) ? adapt(value) : { fields: {}, unreadable: problem ?? 'The record is not a JSON object.' }
}

function findAdapter(options: AdapterOptions): Adapter {
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
      return fromAuth0
    case 'clerk':
      return fromClerk
    case 'cognito':
      return fromCognito
    case 'keycloak':
      return fromKeycloak
    case 'firebase':
      return firebaseAdapter(options.firebase, options.withoutPasswords)
  }
}

function plain({ format, layout, first, map, hashType }: AdapterOptions): Adapter {
  if ((format === 'csv') !== (layout.kind === 'csv'))
    throw new CliError(`The file is not ${format.toUpperCase()}: omit --format, or use ${otherThan(format)}.`, {
      isUsage: true,
    })
  const columns = layout.kind === 'csv' ? layout.shape.columns : Object.keys(first ?? {})
  if (layout.kind === 'csv') assertColumns(columns, map)
  const mapping = mapColumns(columns, map)
  if (mapping.unused.length) note(`Ignored columns: ${mapping.unused.join(', ')}. Import them with --map.`)
  return plainAdapter(mapping, hashType)
}

function otherThan(format: 'csv' | 'ndjson' | Format): string {
  return format === 'csv' ? 'ndjson' : 'csv'
}

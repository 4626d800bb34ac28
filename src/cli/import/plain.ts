import type { ImportedHashType } from '../../platform/crypto/password-format.ts'
import { foreignLocale } from '../../platform/messages/locale.ts'
import { CliError } from '../print.ts'
import { withMembership } from './memberships.ts'
import { type Adapter, flagOf, isObject, type Person, personOf, textOf } from './person.ts'

/** The fields of a user, each with common names of columns. */
const fieldNames: Record<string, string[]> = {
  email: ['email', 'mail', 'emailaddress', 'primaryemail', 'primaryemailaddress'],
  emailVerified: ['emailverified', 'verified', 'emailconfirmed', 'isemailverified'],
  displayName: ['displayname', 'name', 'fullname'],
  firstName: ['firstname', 'givenname', 'forename'],
  lastName: ['lastname', 'familyname', 'surname'],
  phone: ['phone', 'phonenumber', 'mobile', 'telephone'],
  jobTitle: ['jobtitle', 'title', 'position'],
  department: ['department'],
  locale: ['locale', 'language', 'preferredlanguage', 'preferredlocale'],
  externalId: ['externalid', 'userid'],
  organization: ['organization', 'suborgid'],
  organizationName: ['organizationname'],
  role: ['role'],
  roles: ['roles', 'roleids'],
  totpSecret: ['totpsecret'],
  metadata: ['metadata'],
  passwordHash: ['passwordhash', 'passworddigest', 'hashedpassword', 'encryptedpassword'],
  passwordHashType: ['passwordhashtype', 'passwordhasher', 'hashtype', 'passwordalgorithm'],
}
const METADATA = 'metadata.'

/** The field of each column. */
export interface Mapping {
  /** The field, or `metadata.<key>`, of a column. */
  fieldOf(column: string): string | undefined
  /** Columns that are not imported. */
  unused: string[]
}

/**
 * Finds the field of each column: from `given` (`column=field`), or else by its name in any spelling.
 * Throws CliError if no column has the address, or `given` is malformed.
 */
export function mapColumns(columns: string[], given: string[]): Mapping {
  const named = new Map(given.map(readPair))
  const taken = new Set(named.values())
  const fieldOf = (column: string) => {
    const field = named.get(column) ?? fieldNamed(column)
    return field !== undefined && taken.has(field) ? named.get(column) : field
  }
  if (!taken.has('email') && !columns.some((column) => fieldOf(column) === 'email'))
    throw new CliError(
      `No column name stands for email addresses; the file has ${listed(columns)}. ` +
        'Name the column: --map "<column>=email".',
      { isUsage: true },
    )
  return { fieldOf, unused: columns.filter((column) => fieldOf(column) === undefined) }
}

/** Throws CliError if `given` names a column that the CSV does not have. */
export function assertColumns(columns: string[], given: string[]): void {
  const missing = given.map(readPair).find(([column]) => !columns.includes(column))
  if (missing)
    throw new CliError(`--map names the column ${missing[0]}; the file has ${listed(columns)}.`, { isUsage: true })
}

function readPair(pair: string): [column: string, field: string] {
  const at = pair.lastIndexOf('=')
  const [column, field] = [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)]
  if (column && (field in fieldNames || (field.startsWith(METADATA) && field !== METADATA))) return [column, field]
  throw new CliError(
    `--map is ${pair}: use column=field with a field of ${Object.keys(fieldNames).join(', ')} or metadata.<key>.`,
    { isUsage: true },
  )
}

function fieldNamed(column: string): string | undefined {
  if (column.startsWith(METADATA) && column !== METADATA) return column
  const name = column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return Object.entries(fieldNames).find(([, names]) => names.includes(name))?.[0]
}

function listed(columns: string[]): string {
  return columns.map((column) => `“${column}”`).join(', ')
}

const readers: Record<string, (value: unknown) => unknown> = {
  emailVerified: flagOf,
  metadata: jsonOf,
  locale: (value) => foreignLocale(value) ?? value,
}

/** Reads records with our own fields. `hashType` applies to hashes without a type. */
export function plainAdapter(mapping: Mapping, hashType: ImportedHashType | undefined): Adapter {
  return (record) => {
    const fields: Record<string, unknown> = {}
    const metadata: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(record)) {
      const field = mapping.fieldOf(column)
      if (field === undefined || field in fields || value === null || value === '') continue
      if (field.startsWith(METADATA)) metadata[field.slice(METADATA.length)] = value
      else fields[field] = readers[field] ? readers[field](value) : value
    }
    const { organization, organizationName, role, roles, ...rest } = fields
    const person = withPassword(withMetadata(rest, metadata), hashType)
    return withMembership(person, { organization, organizationName, role, roles })
  }
}

function withMetadata(fields: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const { metadata } = fields
  if (Object.keys(more).length === 0 || (metadata !== undefined && !isObject(metadata))) return fields
  return { ...fields, metadata: { ...metadata, ...more } }
}

function withPassword(fields: Record<string, unknown>, hashType: ImportedHashType | undefined): Person {
  const { passwordHash, passwordHashType: type, ...rest } = fields
  const text = textOf(passwordHash)
  if (text === undefined) return personOf(passwordHash === undefined ? rest : { ...rest, passwordHash }, null)
  const passwordHashType = type ?? hashType ?? guessHashType(text)
  return { fields: { ...rest, passwordHash: text, ...(passwordHashType ? { passwordHashType } : {}) } }
}

/** Most hashes can be identified by their prefix. */
function guessHashType(text: string): ImportedHashType | undefined {
  const beginnings: [RegExp, ImportedHashType][] = [
    [/^\$2[aby]\$/, 'bcrypt'],
    [/^\$argon2/, 'argon2'],
    [/^\$?scrypt\$/, 'scrypt'],
    [/^\$firebase-scrypt\$/, 'firebase-scrypt'],
    [/^\$?pbkdf2/, 'pbkdf2'],
    [/^\{ssha/i, 'ssha'],
  ]
  return beginnings.find(([beginning]) => beginning.test(text))?.[1]
}

function jsonOf(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value
  } catch {
    return value
  }
}

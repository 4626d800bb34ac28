import { foreignLocale } from '../../platform/messages/locale.ts'
import { scryptHash } from './hashes.ts'
import { type Adapter, flagOf, isObject, metadataOf, personOf, type SourceHash, textOf } from './person.ts'

/**
 * Auth0: the users export (NDJSON or CSV), the export of password hashes that its support makes, and its import format.
 * https://auth0.com/docs/manage-users/user-migration/bulk-user-exports
 * https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0
 * https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples
 */
export const fromAuth0: Adapter = (record) => {
  const user = Object.fromEntries(Object.entries(record).map(([key, value]) => [keyOf(key), withoutGuard(value)]))
  // Newer exports of hashes contain the address only among the identifiers.
  const identifier = Array.isArray(user['identifiers'])
    ? user['identifiers'].filter(isObject).find((each) => each['type'] === 'email')
    : undefined
  const email = textOf(user['email'], identifier?.['value'])
  const name = textOf(user['name'])
  const fields = {
    email,
    emailVerified: flagOf(user['email_verified'] ?? identifier?.['verified']),
    // Auth0 uses the address as the name if there is none.
    displayName: name === email ? undefined : name,
    firstName: textOf(user['given_name']),
    lastName: textOf(user['family_name']),
    phone: textOf(user['phone_number']),
    locale: foreignLocale(user['locale']),
    externalId: textOf(user['user_id'], user['id']) ?? idOfHashExport(user),
    metadata: metadataOf({
      user_metadata: user['user_metadata'] ?? columnsUnder('user_metadata.', user),
      app_metadata: user['app_metadata'] ?? columnsUnder('app_metadata.', user),
    }),
  }
  return personOf(fields, hashOf(user), { inactive: flagOf(user['blocked']) === true })
}

/** Older exports have `Email Verified` instead of `email_verified`. */
function keyOf(key: string): string {
  return key.includes('metadata.') ? key : key.trim().toLowerCase().replaceAll(' ', '_')
}

/** In CSV, every text starts with a quote, as a protection against formulas. */
function withoutGuard(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith("'") ? value.slice(1) : value
}

function columnsUnder(prefix: string, user: Record<string, unknown>): Record<string, unknown> {
  const found = Object.entries(user).filter(([key, value]) => key.startsWith(prefix) && value !== '')
  return Object.fromEntries(found.map(([key, value]) => [key.slice(prefix.length), value]))
}

function idOfHashExport(user: Record<string, unknown>): string | undefined {
  const id = textOf(user['alt_id']) ?? (isObject(user['_id']) ? textOf(user['_id']['$oid']) : undefined)
  return id && `auth0|${id}`
}

function hashOf(user: Record<string, unknown>): SourceHash {
  const bcrypt = textOf(user['passwordhash'], user['password_hash'])
  if (bcrypt) return { type: 'bcrypt', text: bcrypt }
  const custom = user['custom_password_hash']
  if (!isObject(custom) || !isObject(custom['hash'])) return null
  const { algorithm, hash } = custom
  const text = textOf(hash['value']) ?? ''
  switch (algorithm) {
    case 'bcrypt':
      return { type: 'bcrypt', text }
    case 'argon2':
      return { type: 'argon2', text }
    case 'pbkdf2':
      return { type: 'pbkdf2', text }
    case 'ldap':
      return { type: 'ssha', text }
    case 'scrypt':
      return customScrypt(custom, hash)
    default:
      return { problem: `the password is hashed with ${String(algorithm)}, which cannot be imported` }
  }
}

function customScrypt(custom: Record<string, unknown>, hash: Record<string, unknown>): SourceHash {
  const salt = isObject(custom['salt']) ? custom['salt'] : {}
  return scryptHash({
    cost: Number(custom['cost'] ?? 16_384),
    blockSize: Number(custom['blockSize'] ?? 8),
    parallelism: Number(custom['parallelization'] ?? 1),
    salt: bytesOf(salt),
    hash: bytesOf(hash),
  })
}

function bytesOf({ value, encoding }: Record<string, unknown>): Buffer {
  const known = (['hex', 'base64', 'utf8'] as const).find((each) => each === encoding)
  return Buffer.from(textOf(value) ?? '', known ?? 'utf8')
}

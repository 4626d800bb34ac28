import { foreignLocale } from '../../platform/messages/locale.ts'
import { pbkdf2Hash } from './hashes.ts'
import { type Adapter, isObject, metadataOf, personOf, type SourceHash, textOf } from './person.ts'

/**
 * Keycloak: a user in the JSON that `kc.sh export` writes, in a realm file or in a separate file of users.
 * https://www.keycloak.org/server/importExport
 */
export const fromKeycloak: Adapter = (user) => {
  const client = textOf(user['serviceAccountClientId'])
  if (client) return { fields: {}, leftOut: { code: 'service_account', reason: `The service account of ${client}.` } }
  const username = textOf(user['username'])
  const attributes = isObject(user['attributes']) ? user['attributes'] : {}
  const fields = {
    email: textOf(user['email']) ?? (username?.includes('@') ? username : undefined),
    emailVerified: user['emailVerified'],
    firstName: textOf(user['firstName']),
    lastName: textOf(user['lastName']),
    // Set if the realm lets people choose their language.
    locale: foreignLocale(single(attributes['locale'])),
    externalId: textOf(user['id']),
    metadata: metadataOf(Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, single(value)]))),
  }
  return personOf(fields, hashOf(user['credentials']), { inactive: user['enabled'] === false })
}

/** Every attribute is a list, usually with one element. */
function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function hashOf(credentials: unknown): SourceHash {
  const password = Array.isArray(credentials)
    ? credentials.filter(isObject).find((each) => each['type'] === 'password')
    : undefined
  if (!password) return null
  const data = read(password['credentialData'])
  const secret = read(password['secretData'])
  const [value, salt] = [textOf(secret['value']), textOf(secret['salt'])]
  // The Admin REST API leaves out the secret part.
  if (value === undefined) return null
  const algorithm = textOf(data['algorithm']) ?? ''
  const iterations = Number(data['hashIterations'])
  if (algorithm === 'argon2') return argon2(data, iterations, salt ?? '', value)
  if (algorithm === 'bcrypt') return { type: 'bcrypt', text: value }
  const digest = { pbkdf2: 'sha1', 'pbkdf2-sha256': 'sha256', 'pbkdf2-sha512': 'sha512' }[algorithm]
  if (digest) return pbkdf2Hash(digest, iterations, salt ?? '', value)
  return { problem: `the password is hashed with ${algorithm || 'something unnamed'}, which cannot be imported` }
}

/** `PasswordCredentialData.additionalParameters`: each is a list with one string. */
function argon2(data: Record<string, unknown>, iterations: number, salt: string, value: string): SourceHash {
  const parameters = isObject(data['additionalParameters']) ? data['additionalParameters'] : {}
  const parameter = (name: string) => String(single(parameters[name]))
  const version = parameter('version') === '1.0' ? 16 : 19
  const costs = `m=${parameter('memory')},t=${iterations},p=${parameter('parallelism')}`
  return { type: 'argon2', text: `$argon2${parameter('type')}$v=${version}$${costs}$${salt}$${value}` }
}

/** Parses JSON inside JSON. */
function read(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : text
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

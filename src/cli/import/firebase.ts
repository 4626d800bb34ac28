import { CliError } from '../print.ts'
import { type FirebaseHashConfig, firebaseHash } from './hashes.ts'
import { type Adapter, flagOf, metadataOf, personOf, phoneOnly, type SourceHash, textOf } from './person.ts'

/**
 * Firebase: the output of `firebase auth:export`, as JSON or CSV. Its hashes use a modified scrypt and are verified
 * with the project's hash parameters. https://firebase.google.com/docs/cli/auth
 */
export function firebaseAdapter(config: FirebaseHashConfig | null, withoutPasswords: boolean): Adapter {
  return (user) => {
    const fields = {
      email: textOf(user['email']),
      emailVerified: flagOf(user['emailVerified']),
      displayName: textOf(user['displayName']),
      phone: textOf(user['phoneNumber']),
      externalId: textOf(user['localId']),
      metadata: metadataOf({ customClaims: claimsOf(textOf(user['customAttributes'])) }),
    }
    const leftOut = fields.email === undefined ? reasonToLeaveOut(user) : null
    if (leftOut) return { fields: personOf(fields, null).fields, leftOut }
    return personOf(fields, withoutPasswords ? null : hashOf(user, config), {
      inactive: flagOf(user['disabled']) === true,
    })
  }
}

const anonymous = { code: 'anonymous', reason: 'An anonymous person, without an email address.' }

/** For a person without an address. Returns null for people with a provider, which may know an address. */
function reasonToLeaveOut(user: Record<string, unknown>): { code: string; reason: string } | null {
  if (textOf(user['phoneNumber'])) return phoneOnly
  const linked = user['providerUserInfo']
  const hasProvider = Array.isArray(linked) ? linked.length > 0 : providerIds.some((id) => textOf(user[id]))
  return hasProvider ? null : anonymous
}

const providers = ['google', 'facebook', 'twitter', 'github']
const providerIds = providers.map((provider) => `${provider}Id`)

/** The columns of the CSV, which has no header. */
export const firebaseColumns = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...providers.flatMap((provider) => ['Id', 'Email', 'DisplayName', 'PhotoUrl'].map((field) => provider + field)),
  ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
]

function hashOf(user: Record<string, unknown>, config: FirebaseHashConfig | null): SourceHash {
  const [hash, salt] = [textOf(user['passwordHash']), textOf(user['salt'])]
  if (!hash) return null
  if (!config)
    throw new CliError(
      'The file has passwords, which work only with the hash parameters of the project: copy hash_config from the ' +
        'Firebase console (Authentication, Users, ⋮, Password hash parameters) into a file, and name it with ' +
        '--firebase-hash-config; or import without passwords, with --without-passwords.',
      { isUsage: true },
    )
  return firebaseHash(config, salt ?? '', hash)
}

function claimsOf(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads `hash_config { … }` as the console shows it. Throws CliError if a part is missing. */
export function readHashConfig(text: string): FirebaseHashConfig {
  const read = (name: string) => {
    const value = new RegExp(`\\b${name}\\s*:\\s*"?([^\\s",]+)`).exec(text)?.[1]
    if (value === undefined)
      throw new CliError(`The hash parameters lack ${name}: copy all of hash_config from the Firebase console.`)
    return value
  }
  return {
    signerKey: read('base64_signer_key'),
    saltSeparator: read('base64_salt_separator'),
    rounds: read('rounds'),
    memCost: read('mem_cost'),
  }
}

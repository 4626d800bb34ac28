import { firebaseHash, pbkdf2Hash, scryptHash } from './hashes.ts'
import { type Adapter, flagOf, isObject, metadataOf, personOf, type SourceHash, textOf } from './person.ts'

/**
 * Clerk: the dashboard's CSV, with passwords, and the JSON of its CLI and Backend API, without passwords.
 * https://clerk.com/docs/guides/development/migrating/export-from-clerk
 */
export const fromClerk: Adapter = (record) => {
  const { email, emailVerified } = addressOf(record)
  const fields = {
    email,
    emailVerified,
    firstName: textOf(record['first_name']),
    lastName: textOf(record['last_name']),
    phone: phoneOf(record),
    externalId: textOf(record['id']),
    totpSecret: textOf(record['totp_secret']),
    metadata: metadataOf({
      public_metadata: record['public_metadata'],
      private_metadata: record['private_metadata'],
      unsafe_metadata: record['unsafe_metadata'],
    }),
  }
  return personOf(fields, hashOf(textOf(record['password_digest']), textOf(record['password_hasher'])), {
    inactive: flagOf(record['banned']) === true,
  })
}

function addressOf(record: Record<string, unknown>): { email: string | undefined; emailVerified: boolean } {
  const addresses = record['email_addresses']
  if (Array.isArray(addresses)) {
    const all = addresses.filter(isObject)
    const primary = all.find((each) => each['id'] === record['primary_email_address_id']) ?? all[0]
    const verification = isObject(primary?.['verification']) ? primary['verification'] : {}
    return { email: textOf(primary?.['email_address']), emailVerified: verification['status'] === 'verified' }
  }
  const verified = listOf(record['verified_email_addresses'])
  const email = textOf(record['primary_email_address']) ?? verified[0] ?? listOf(addresses)[0]
  return { email, emailVerified: email !== undefined && verified.includes(email) }
}

function phoneOf(record: Record<string, unknown>): string | undefined {
  const numbers = record['phone_numbers']
  if (!Array.isArray(numbers)) return textOf(record['primary_phone_number']) ?? listOf(numbers)[0]
  const all = numbers.filter(isObject)
  const primary = all.find((each) => each['id'] === record['primary_phone_number_id']) ?? all[0]
  return textOf(primary?.['phone_number'])
}

function listOf(value: unknown): string[] {
  return (textOf(value) ?? '').split(/[|,;\s]+/).filter(Boolean)
}

/** The formats in `password_hasher`: https://clerk.com/docs/reference/backend-api, CreateUser. */
function hashOf(digest: string | undefined, hasher: string | undefined): SourceHash {
  if (!digest) return null
  const parts = digest.split('$')
  const [first = '', second = '', third = '', fourth = '', rounds = '', memCost = ''] = parts
  switch (hasher) {
    case 'bcrypt':
      return { type: 'bcrypt', text: digest }
    case 'argon2i':
    case 'argon2id':
      return { type: 'argon2', text: digest }
    case 'pbkdf2_sha256_django':
      return { type: 'pbkdf2', text: digest }
    case 'pbkdf2_sha256':
    case 'pbkdf2_sha512':
      return pbkdf2Hash(hasher.replace('pbkdf2_', ''), second, third, fourth)
    case 'pbkdf2_sha1': {
      const [salt, hash] = [Buffer.from(third), Buffer.from(fourth, 'hex')]
      return pbkdf2Hash('sha1', second, salt.toString('base64'), hash.toString('base64'))
    }
    case 'scrypt_firebase':
      return firebaseHash({ signerKey: third, saltSeparator: fourth, rounds, memCost }, second, first)
    case 'scrypt_werkzeug':
      return werkzeug(first, second, third)
    default:
      return { problem: `the password is hashed with ${hasher ?? 'an unnamed hasher'}, which cannot be imported` }
  }
}

/** `scrypt:32768:8:1$salt$hex` */
function werkzeug(method: string, salt: string, hash: string): SourceHash {
  const [, cost, blockSize, parallelism] = method.split(':').map(Number)
  if (!cost || !blockSize || !parallelism) return { problem: 'the scrypt hash is not in Werkzeug’s format' }
  return scryptHash({ cost, blockSize, parallelism, salt: Buffer.from(salt), hash: Buffer.from(hash, 'hex') })
}

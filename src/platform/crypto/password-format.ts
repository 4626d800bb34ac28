/**
 * How a stored hash is verified (`password_credentials.format`). `argon2id` is our own format, of the peppered
 * password. A different pepper would need a new format.
 */
export const passwordFormats = [
  'argon2id',
  'imported-argon2',
  'bcrypt',
  'scrypt',
  'firebase-scrypt',
  'pbkdf2',
  'ssha',
] as const
export type PasswordFormat = (typeof passwordFormats)[number]

/** Values of `passwordHashType`: the formats of hashes that can be imported. */
export const importedHashTypes = [
  'bcrypt',
  'argon2',
  'argon2id',
  'scrypt',
  'firebase-scrypt',
  'pbkdf2',
  'ssha',
] as const
export type ImportedHashType = (typeof importedHashTypes)[number]

/** A hash and its format. */
export interface HashedPassword {
  hash: string
  format: PasswordFormat
}

/** The cost of argon2id: at least the minimum of OWASP and ASVS, at most what a server can afford. */
export interface PasswordParameters {
  memoryKib: number
  iterations: number
  parallelism: number
}

export const LOWEST_COST: PasswordParameters = { memoryKib: 19_456, iterations: 2, parallelism: 1 }
export const HIGHEST_COST: PasswordParameters = { memoryKib: 1_048_576, iterations: 32, parallelism: 16 }

/** The form of a password that is hashed and checked. It is the same for all keyboards (SP 800-63B §3.1.1.2). */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

/**
 * How a stored hash is verified: the values of `password_credentials.format`. `argon2id` is our own, of the peppered
 * password; another pepper would need another format.
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

/** Values of `passwordHashType`: the formats in which other systems bring their hashes. */
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

/** Cost of argon2id: at least OWASP's and ASVS's minimum, at most what a server can bear. */
export interface PasswordParameters {
  memoryKib: number
  iterations: number
  parallelism: number
}

export const LOWEST_COST: PasswordParameters = { memoryKib: 19_456, iterations: 2, parallelism: 1 }
export const HIGHEST_COST: PasswordParameters = { memoryKib: 1_048_576, iterations: 32, parallelism: 16 }

/** The form that is hashed and judged: a password typed on another keyboard is the same (SP 800-63B §3.1.1.2). */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

import { readFirebase, readImportedHash, readPbkdf2, readScrypt, type ScryptParameters } from './imported-password.ts'
import { type HashedPassword, type ImportedHashType, LOWEST_COST, type PasswordParameters } from './password-format.ts'

// Costs are in MiB of memory × passes of argon2id. Other algorithms are rated by their time compared with argon2id.
const KIB = 1024
const SCRYPT_STEPS = 1024
const BCRYPT_ROUNDS = 4
const PBKDF2_STEPS = { sha1: 2000, sha256: 2000, sha512: 800 }
const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 }

/** The cost of argon2id with these parameters. */
export function costOfArgon2({ memoryKib, iterations }: Pick<PasswordParameters, 'memoryKib' | 'iterations'>): number {
  return (memoryKib * iterations) / KIB
}

/** The lowest cost of our own hashes. */
export const LEAST_COST = costOfArgon2(LOWEST_COST)

/** The cost of verifying a password against a stored hash. Infinity if the hash cannot be read. */
export function costOfHash({ hash, format }: HashedPassword): number {
  switch (format) {
    case 'argon2id':
    case 'imported-argon2':
      return costOfArgon2Text(hash)
    case 'bcrypt':
      return costOfBcrypt(hash)
    case 'scrypt':
      return costOfScrypt(readScrypt(hash))
    case 'firebase-scrypt':
      return costOfScrypt(readFirebase(hash))
    case 'pbkdf2': {
      const read = readPbkdf2(hash)
      return read ? costOfPbkdf2({ ...read, length: read.hash.length }) : Number.POSITIVE_INFINITY
    }
    case 'ssha':
      // Verified together with a computation of that cost.
      return LEAST_COST
  }
}

/** The stored form of an imported hash, or null if it cannot be read or costs more than the limit. */
export function parseImportedHash(type: ImportedHashType, text: string, limit: number): HashedPassword | null {
  const read = readImportedHash(type, text)
  return read && costOfHash(read) <= limit ? read : null
}

/**
 * Reduces the parameters to the limit: first the passes, and then the memory if the minimum of passes still costs too
 * much.
 */
export function withinLimit(parameters: PasswordParameters, limit: number): PasswordParameters {
  if (costOfArgon2(parameters) <= limit) return parameters
  const iterations = Math.max(LOWEST_COST.iterations, Math.floor((limit * KIB) / parameters.memoryKib))
  const memoryKib = Math.min(parameters.memoryKib, Math.floor((limit * KIB) / iterations))
  return { ...parameters, iterations, memoryKib: Math.max(LOWEST_COST.memoryKib, memoryKib) }
}

/** The cost of argon2 with the parameters of a PHC text. */
export function costOfArgon2Text(hash: string): number {
  const [, memory, passes] = /\$m=(\d+),t=(\d+),/.exec(hash) ?? []
  return memory ? costOfArgon2({ memoryKib: Number(memory), iterations: Number(passes) }) : Number.POSITIVE_INFINITY
}

/** The cost of a text in the modular crypt format. */
export function costOfBcrypt(hash: string): number {
  return 2 ** Number(hash.slice(4, 6)) / BCRYPT_ROUNDS
}

export function costOfScrypt(read: ScryptParameters | null): number {
  return read ? (read.cost * read.blockSize * read.parallelism) / SCRYPT_STEPS : Number.POSITIVE_INFINITY
}

/** PBKDF2 computes each block of output separately. */
export function costOfPbkdf2(task: { digest: keyof typeof DIGEST_BYTES; iterations: number; length: number }): number {
  return (task.iterations * Math.ceil(task.length / DIGEST_BYTES[task.digest])) / PBKDF2_STEPS[task.digest]
}

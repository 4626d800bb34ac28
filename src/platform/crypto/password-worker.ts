import { pbkdf2Sync, scryptSync } from 'node:crypto'
import { hashSync, verifySync } from '@node-rs/argon2'
import { compareSync } from 'bcryptjs'

// Runs only in the threads of the password pool. It uses synchronous functions to keep the work in these few threads.
// The asynchronous functions would occupy libuv's threads, which file reads and DNS need.

// Twice what the largest allowed stored hash needs.
const MAX_SCRYPT_BYTES = 256 * 1024 * 1024

// Inputs are text, because argon2's verification does not accept bytes that are not UTF-8.
export interface Argon2Task {
  input: string
  memoryKib: number
  iterations: number
  parallelism: number
}

export interface VerifyTask {
  hash: string
  input: string
}

export interface ScryptTask {
  input: string
  salt: Uint8Array
  /** N of RFC 7914, a power of two. */
  cost: number
  blockSize: number
  parallelism: number
  length: number
}

export interface Pbkdf2Task {
  input: string
  salt: Uint8Array
  digest: 'sha1' | 'sha256' | 'sha512'
  iterations: number
  length: number
}

/** A PHC string of argon2id with a random salt of 16 bytes and a tag of 32. */
export function hashArgon2id(task: Argon2Task): string {
  const { input, memoryKib, iterations, parallelism } = task
  return hashSync(input, { memoryCost: memoryKib, timeCost: iterations, parallelism, outputLen: 32 })
}

export function verifyArgon2({ hash, input }: VerifyTask): boolean {
  return verifySync(hash, input)
}

export function verifyBcrypt({ hash, input }: VerifyTask): boolean {
  return compareSync(Buffer.from(input).toString(), hash)
}

export function deriveScrypt(task: ScryptTask): Uint8Array {
  const { cost, blockSize, parallelism } = task
  const options = { cost, blockSize, parallelization: parallelism, maxmem: MAX_SCRYPT_BYTES }
  return scryptSync(task.input, task.salt, task.length, options)
}

export function derivePbkdf2(task: Pbkdf2Task): Uint8Array {
  return pbkdf2Sync(task.input, task.salt, task.iterations, task.length, task.digest)
}

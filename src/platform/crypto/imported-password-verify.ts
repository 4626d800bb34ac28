import { createCipheriv, createHash, timingSafeEqual } from 'node:crypto'
import type { Platform } from '../platform.ts'
import {
  type ImportedFormat,
  type Pbkdf2Hash,
  readFirebase,
  readPbkdf2,
  readScrypt,
  readSsha,
  type ScryptHash,
} from './imported-password.ts'
import { LOWEST_COST } from './password-format.ts'
import { computePassword } from './password-pool.ts'

/**
 * Verifies a password against an imported hash as the system that made it did: on the text as sent, neither normalised
 * nor peppered.
 */
export async function verifyImported(
  platform: Platform,
  stored: { hash: string; format: ImportedFormat },
  password: string,
): Promise<boolean> {
  const { hash, format } = stored
  switch (format) {
    case 'imported-argon2':
      return computePassword(platform, 'verifyArgon2', { hash, input: password })
    case 'bcrypt':
      return computePassword(platform, 'verifyBcrypt', { hash, input: password })
    case 'scrypt':
      return verifyScrypt(platform, known(readScrypt(hash)), password)
    case 'firebase-scrypt':
      return verifyFirebase(platform, hash, password)
    case 'pbkdf2':
      return verifyPbkdf2(platform, known(readPbkdf2(hash)), password)
    case 'ssha':
      return verifySsha(platform, hash, password)
  }
}

function known<T>(parsed: T | null): T {
  if (parsed === null) throw new Error('A stored password hash does not match its format')
  return parsed
}

function deriveScrypt(platform: Platform, scrypt: ScryptHash, task: { input: string; salt: Buffer; length: number }) {
  const { cost, blockSize, parallelism } = scrypt
  return computePassword(platform, 'deriveScrypt', { ...task, cost, blockSize, parallelism })
}

async function verifyScrypt(platform: Platform, scrypt: ScryptHash, password: string): Promise<boolean> {
  const { salt, hash } = scrypt
  const derived = await deriveScrypt(platform, scrypt, { input: password, salt, length: hash.length })
  return timingSafeEqual(derived, hash)
}

/** github.com/firebase/scrypt: the hash is the project's signer key, encrypted with the derived key. */
async function verifyFirebase(platform: Platform, text: string, password: string): Promise<boolean> {
  const firebase = known(readFirebase(text))
  const salt = Buffer.concat([firebase.salt, firebase.separator])
  const key = await deriveScrypt(platform, firebase, { input: password, salt, length: 32 })
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const encrypted = Buffer.concat([cipher.update(firebase.signerKey), cipher.final()])
  return timingSafeEqual(encrypted, firebase.hash)
}

async function verifyPbkdf2(platform: Platform, pbkdf2: Pbkdf2Hash, password: string): Promise<boolean> {
  const { digest, iterations, salt, hash } = pbkdf2
  const task = { input: password, salt, digest, iterations, length: hash.length }
  return timingSafeEqual(await computePassword(platform, 'derivePbkdf2', task), hash)
}

// It is so cheap that its timing would stand out: a computation of the usual cost is added.
const USUAL_WORK = { ...LOWEST_COST, input: 'nobody' }

async function verifySsha(platform: Platform, text: string, password: string): Promise<boolean> {
  const { digest, salt, hash } = known(readSsha(text))
  await computePassword(platform, 'hashArgon2id', USUAL_WORK)
  return timingSafeEqual(createHash(digest).update(password).update(salt).digest(), hash)
}

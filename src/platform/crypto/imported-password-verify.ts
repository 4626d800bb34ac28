import { createCipheriv, createHash, timingSafeEqual } from 'node:crypto'
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
import { computePassword, type Hasher } from './password-pool.ts'

/**
 * Verifies a password against an imported hash in the way of the system that made the hash: the text is neither
 * normalised nor peppered.
 */
export async function verifyImported(
  hasher: Hasher,
  stored: { hash: string; format: ImportedFormat },
  password: string,
): Promise<boolean> {
  const { hash, format } = stored
  switch (format) {
    case 'imported-argon2':
      return computePassword(hasher, 'verifyArgon2', { hash, input: password })
    case 'bcrypt':
      return computePassword(hasher, 'verifyBcrypt', { hash, input: password })
    case 'scrypt':
      return verifyScrypt(hasher, known(readScrypt(hash)), password)
    case 'firebase-scrypt':
      return verifyFirebase(hasher, hash, password)
    case 'pbkdf2':
      return verifyPbkdf2(hasher, known(readPbkdf2(hash)), password)
    case 'ssha':
      return verifySsha(hasher, hash, password)
  }
}

function known<T>(parsed: T | null): T {
  if (parsed === null) throw new Error('A stored password hash does not match its format')
  return parsed
}

function deriveScrypt(hasher: Hasher, scrypt: ScryptHash, task: { input: string; salt: Buffer; length: number }) {
  const { cost, blockSize, parallelism } = scrypt
  return computePassword(hasher, 'deriveScrypt', { ...task, cost, blockSize, parallelism })
}

async function verifyScrypt(hasher: Hasher, scrypt: ScryptHash, password: string): Promise<boolean> {
  const { salt, hash } = scrypt
  const derived = await deriveScrypt(hasher, scrypt, { input: password, salt, length: hash.length })
  return timingSafeEqual(derived, hash)
}

/** github.com/firebase/scrypt: the hash is the project's signer key, encrypted with a key derived from the password. */
async function verifyFirebase(hasher: Hasher, text: string, password: string): Promise<boolean> {
  const firebase = known(readFirebase(text))
  const salt = Buffer.concat([firebase.salt, firebase.separator])
  const key = await deriveScrypt(hasher, firebase, { input: password, salt, length: 32 })
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const encrypted = Buffer.concat([cipher.update(firebase.signerKey), cipher.final()])
  return timingSafeEqual(encrypted, firebase.hash)
}

async function verifyPbkdf2(hasher: Hasher, pbkdf2: Pbkdf2Hash, password: string): Promise<boolean> {
  const { digest, iterations, salt, hash } = pbkdf2
  const task = { input: password, salt, digest, iterations, length: hash.length }
  return timingSafeEqual(await computePassword(hasher, 'derivePbkdf2', task), hash)
}

// This hash is so cheap that its timing would stand out, so a computation of the usual cost is added.
const USUAL_WORK = { ...LOWEST_COST, input: 'nobody' }

async function verifySsha(hasher: Hasher, text: string, password: string): Promise<boolean> {
  const { digest, salt, hash } = known(readSsha(text))
  await computePassword(hasher, 'hashArgon2id', USUAL_WORK)
  return timingSafeEqual(createHash(digest).update(password).update(salt).digest(), hash)
}

import { readBase64, writeBase64 } from './base64.ts'
import type { HashedPassword, ImportedHashType, PasswordFormat } from './password-format.ts'

/** Formats of imported passwords. */
export type ImportedFormat = Exclude<PasswordFormat, 'argon2id'>

export interface ScryptParameters {
  /** The parameter N of RFC 7914. */
  cost: number
  blockSize: number
  parallelism: number
}

interface SaltedHash {
  salt: Buffer
  hash: Buffer
}

export interface ScryptHash extends ScryptParameters, SaltedHash {}

export interface FirebaseHash extends ScryptHash {
  separator: Buffer
  signerKey: Buffer
}

export const digests = ['sha1', 'sha256', 'sha512'] as const

export interface Pbkdf2Hash extends SaltedHash {
  digest: (typeof digests)[number]
  iterations: number
}

export interface SshaHash extends SaltedHash {
  digest: (typeof digests)[number]
}

// Limits on text and memory. `costOfHash` limits the computation.
const MAX_TEXT = 1024
const MAX_BCRYPT_COST = 31
const MAX_ARGON2_KIB = 262_144
const MAX_SCRYPT_BYTES = 128 * 1024 * 1024
const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 }

/**
 * The canonical stored form of an imported hash, or null if it is malformed or needs too much memory.
 *
 * - bcrypt: `$2a$`, `$2b$` or `$2y$` of the modular crypt format
 * - argon2, argon2id: PHC string of argon2i, argon2d or argon2id without key or data; m ≤ 256 MiB
 * - scrypt: `$scrypt$ln=16,r=8,p=1$salt$hash` (PHC, passlib) or Django's `scrypt$N$salt$r$p$hash`; up to 128 MiB
 * - firebase-scrypt: `$firebase-scrypt$mem_cost=14,rounds=8,salt_separator=…,signer_key=…$salt$hash`. The signer key,
 *   a secret of the Firebase project, is part of each hash, because Firebase encrypts it with the password.
 * - pbkdf2: `$pbkdf2-sha256$i=29000$salt$hash`, with or without `i=` (passlib) and `,l=` (PHC); `$pbkdf2$` is SHA-1;
 *   or Django's `pbkdf2_sha256$iterations$salt$hash`
 * - ssha: `{SSHA}`, `{SSHA256}` or `{SSHA512}` and the base64 of digest and salt, as in LDAP
 *
 * Salts, hashes and keys are base64, standard or URL-safe, padded or not. Django's salts are text.
 */
export function readImportedHash(type: ImportedHashType, text: string): HashedPassword | null {
  if (text.length > MAX_TEXT) return null
  switch (type) {
    case 'bcrypt':
      return isBcrypt(text) ? { hash: text, format: 'bcrypt' } : null
    case 'argon2':
    case 'argon2id':
      return stored('imported-argon2', readArgon2(text))
    case 'scrypt':
      return stored('scrypt', writeScrypt(readScrypt(text) ?? readDjangoScrypt(text)))
    case 'firebase-scrypt':
      return stored('firebase-scrypt', writeFirebase(readFirebase(text)))
    case 'pbkdf2':
      return stored('pbkdf2', writePbkdf2(readPbkdf2(text) ?? readDjangoPbkdf2(text)))
    case 'ssha':
      return stored('ssha', writeSsha(readSsha(text)))
  }
}

function stored(format: ImportedFormat, hash: string | null): HashedPassword | null {
  return hash === null ? null : { hash, format }
}

function isBcrypt(text: string): boolean {
  // The last characters of salt and hash carry only two and four bits, so only these characters are valid.
  const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/.exec(text)?.[1])
  return cost >= 4 && cost <= MAX_BCRYPT_COST
}

const ARGON2 = /^\$(argon2(?:i|d|id))\$(?:v=(16|19)\$)?m=(\d{1,7}),t=(\d{1,4}),p=(\d{1,3})\$([^$]+)\$([^$]+)$/

function readArgon2(text: string): string | null {
  const [, variant = '', version = '16', m = '', t = '', p = '', saltText = '', hashText = ''] = ARGON2.exec(text) ?? []
  const salt = readBase64(saltText, 8, 48)
  const hash = readBase64(hashText, 12, 64)
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (!salt || !hash || passes < 1 || lanes < 1 || lanes > 16 || memory < 8 * lanes) return null
  if (memory > MAX_ARGON2_KIB) return null
  return `$${variant}$v=${version}$m=${memory},t=${passes},p=${lanes}$${writeBase64(salt)}$${writeBase64(hash)}`
}

function withinScrypt({ cost, blockSize, parallelism }: ScryptParameters): boolean {
  const isPowerOfTwo = Number.isInteger(Math.log2(cost)) && cost > 1
  // RFC 7914 §6: N below 2^(128 r / 8).
  const isAllowed = blockSize >= 1 && parallelism >= 1 && Math.log2(cost) < 16 * blockSize
  const bytes = 128 * blockSize * (cost + parallelism)
  return isPowerOfTwo && isAllowed && bytes <= MAX_SCRYPT_BYTES + 2 ** 20
}

const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([^$]+)\$([^$]+)$/

export function readScrypt(text: string): ScryptHash | null {
  const [, ln, r, p, salt = '', hash = ''] = SCRYPT.exec(text) ?? []
  const parameters = { cost: 2 ** Number(ln), blockSize: Number(r), parallelism: Number(p) }
  return scryptOf(parameters, readBase64(salt, 1, 256), hash)
}

/** Django's form: `scrypt$N$salt$r$p$hash`. */
function readDjangoScrypt(text: string): ScryptHash | null {
  const [, cost, salt = '', r, p, hash = ''] =
    /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,3})\$(\d{1,3})\$([^$]+)$/.exec(text) ?? []
  const parameters = { cost: Number(cost), blockSize: Number(r), parallelism: Number(p) }
  return scryptOf(parameters, Buffer.from(salt), hash)
}

function scryptOf(
  parameters: Pick<ScryptHash, 'cost' | 'blockSize' | 'parallelism'>,
  salt: Buffer | null,
  hashText: string,
): ScryptHash | null {
  const hash = readBase64(hashText, 16, 128)
  if (!salt || !hash || !withinScrypt(parameters)) return null
  return { ...parameters, salt, hash }
}

function writeScrypt(scrypt: ScryptHash | null): string | null {
  if (!scrypt) return null
  const { cost, blockSize, parallelism, salt, hash } = scrypt
  return `$scrypt$ln=${Math.log2(cost)},r=${blockSize},p=${parallelism}$${writeBase64(salt)}$${writeBase64(hash)}`
}

const FIREBASE =
  /^\$firebase-scrypt\$mem_cost=(\d{1,2}),rounds=(\d{1,3}),salt_separator=([^,$]*),signer_key=([^,$]+)\$([^$]+)\$([^$]+)$/

export function readFirebase(text: string): FirebaseHash | null {
  const [, memCost, rounds, separatorText = '', keyText = '', saltText = '', hashText = ''] = FIREBASE.exec(text) ?? []
  const separator = readBase64(separatorText, 0, 64)
  const signerKey = readBase64(keyText, 16, 128)
  const parameters = { cost: 2 ** Number(memCost), blockSize: Number(rounds), parallelism: 1 }
  const scrypt = scryptOf(parameters, readBase64(saltText, 1, 256), hashText)
  if (!separator || !signerKey || !scrypt || scrypt.hash.length !== signerKey.length) return null
  return { ...scrypt, separator, signerKey }
}

function writeFirebase(firebase: FirebaseHash | null): string | null {
  if (!firebase) return null
  const { cost, blockSize, separator, signerKey, salt, hash } = firebase
  const parameters = `mem_cost=${Math.log2(cost)},rounds=${blockSize}`
  const secrets = `salt_separator=${writeBase64(separator)},signer_key=${writeBase64(signerKey)}`
  return `$firebase-scrypt$${parameters},${secrets}$${writeBase64(salt)}$${writeBase64(hash)}`
}

const PBKDF2 = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,7})(?:,l=\d{1,3})?\$([^$]+)\$([^$]+)$/

export function readPbkdf2(text: string): Pbkdf2Hash | null {
  const [, digest = 'sha1', iterations, salt = '', hash = ''] = PBKDF2.exec(text) ?? []
  return pbkdf2Of(digest, Number(iterations), readBase64(salt, 1, 256), hash)
}

function readDjangoPbkdf2(text: string): Pbkdf2Hash | null {
  const [, digest = '', iterations, salt = '', hash = ''] =
    /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,7})\$([^$]{1,128})\$([^$]+)$/.exec(text) ?? []
  return pbkdf2Of(digest, Number(iterations), Buffer.from(salt), hash)
}

function pbkdf2Of(name: string, iterations: number, salt: Buffer | null, hashText: string): Pbkdf2Hash | null {
  const digest = digests.find((known) => known === name)
  const hash = readBase64(hashText, 16, 128)
  if (!digest || !salt || !hash || !(iterations >= 1)) return null
  return { digest, iterations, salt, hash }
}

function writePbkdf2(pbkdf2: Pbkdf2Hash | null): string | null {
  if (!pbkdf2) return null
  const { digest, iterations, salt, hash } = pbkdf2
  return `$pbkdf2-${digest}$i=${iterations}$${writeBase64(salt)}$${writeBase64(hash)}`
}

export function readSsha(text: string): SshaHash | null {
  const [, size, body = ''] = /^\{SSHA(256|512)?\}(.+)$/i.exec(text) ?? []
  const digest = digests.find((known) => known === `sha${size ?? 1}`) ?? 'sha1'
  const length = DIGEST_BYTES[digest]
  // Digest and salt are concatenated. A digest without a salt would be {SHA}, which rainbow tables cover.
  const bytes = readBase64(body, length + 1, length + 64)
  return bytes && { digest, hash: bytes.subarray(0, length), salt: bytes.subarray(length) }
}

function writeSsha(ssha: SshaHash | null): string | null {
  if (!ssha) return null
  const name = ssha.digest === 'sha1' ? 'SSHA' : ssha.digest.replace('sha', 'SSHA')
  return `{${name}}${Buffer.concat([ssha.hash, ssha.salt]).toString('base64')}`
}

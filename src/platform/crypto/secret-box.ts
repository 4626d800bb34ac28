import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * The place where a sealed value is stored. It is authenticated as associated data, so a value that was moved to
 * another row, column, table or account cannot be opened.
 */
export interface SealedPlace {
  table: string
  column: string
  /** The key of the row. */
  row: string
  /** The account that the row belongs to, or null for the deployment's own rows. */
  accountId: string | null
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D §8.2.2): nonce, ciphertext, tag. */
export function encrypt(key: CipherKey, plain: Buffer, associated: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Opens what `encrypt` made. Throws if key, place or bytes differ. */
export function decrypt(key: CipherKey, sealed: Buffer, associated: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('Sealed value is too short')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(associated).setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

/** Length-prefixed, so that no two places have the same encoding. */
export function associatedData(place: SealedPlace): Buffer {
  const parts = [place.table, place.column, place.row, place.accountId ?? '']
  return Buffer.from(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''))
}

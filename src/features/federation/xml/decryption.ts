import { constants, createDecipheriv, privateDecrypt } from 'node:crypto'
import { xmlNamespaces as ns, SHA1, SHA256, SHA512 } from './names.ts'
import { attributeOf, childrenOf, onlyChild, type XmlElement } from './read.ts'
import { XmlRefusal } from './refusal.ts'

// CBC is left out: with it, an attacker who can submit messages for decryption could read their content (padding
// oracle).
const CIPHERS = new Map<string, Cipher>([
  [`${ns.encryption11}aes128-gcm`, { name: 'aes-128-gcm', keyBytes: 16 }],
  [`${ns.encryption11}aes192-gcm`, { name: 'aes-192-gcm', keyBytes: 24 }],
  [`${ns.encryption11}aes256-gcm`, { name: 'aes-256-gcm', keyBytes: 32 }],
])

interface Cipher {
  name: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm'
  keyBytes: number
}

const [IV_BYTES, TAG_BYTES] = [12, 16]
const OAEP_HASHES = new Map([
  [SHA1, 'sha1'],
  [SHA256, 'sha256'],
  [SHA512, 'sha512'],
])

/**
 * Decrypts an encrypted element (XML Encryption 1.1). Accepts only AES-GCM, with its key encrypted by RSA-OAEP for
 * one of these private keys. Throws the same XmlRefusal whichever step fails.
 */
export function decryptElement(encrypted: XmlElement, privateKeys: string[]): Buffer {
  const data = onlyChild(encrypted, ns.encryption, 'EncryptedData')
  const wrapped = data && findEncryptedKey(encrypted, data)
  if (!data || !wrapped) throw undecryptable()
  const cipher = CIPHERS.get(algorithmOf(data) ?? '')
  if (!cipher) throw refusedAlgorithm(algorithmOf(data))
  const oaepHash = oaepHashOf(wrapped)
  const [key, sealed] = [cipherValueOf(wrapped), cipherValueOf(data)]
  for (const privateKey of privateKeys) {
    const contentKey = unwrap(key, privateKey, oaepHash)
    const plain = contentKey?.length === cipher.keyBytes ? open(cipher.name, contentKey, sealed) : null
    if (plain) return plain
  }
  throw undecryptable()
}

/** The encrypted key is inside the encrypted data, or next to it. */
function findEncryptedKey(encrypted: XmlElement, data: XmlElement): XmlElement | null {
  const keyInfo = onlyChild(data, ns.signature, 'KeyInfo')
  const keys = [
    ...(keyInfo ? childrenOf(keyInfo, ns.encryption, 'EncryptedKey') : []),
    ...childrenOf(encrypted, ns.encryption, 'EncryptedKey'),
  ]
  return keys.length === 1 ? (keys[0] ?? null) : null
}

function algorithmOf(element: XmlElement): string | null {
  const method = onlyChild(element, ns.encryption, 'EncryptionMethod')
  return method && attributeOf(method, 'Algorithm')
}

/** The hash for OAEP. The mask's hash must be the same, since node:crypto has only one option for both. */
function oaepHashOf(wrapped: XmlElement): string {
  const method = onlyChild(wrapped, ns.encryption, 'EncryptionMethod')
  const algorithm = algorithmOf(wrapped)
  const digest = method && onlyChild(method, ns.signature, 'DigestMethod')
  const hash = OAEP_HASHES.get((digest && attributeOf(digest, 'Algorithm')) ?? SHA1)
  if (algorithm === `${ns.encryption}rsa-oaep-mgf1p` && hash === 'sha1') return hash
  const mask = method && onlyChild(method, ns.encryption11, 'MGF')
  const maskAlgorithm = (mask && attributeOf(mask, 'Algorithm')) ?? `${ns.encryption11}mgf1sha1`
  if (algorithm === `${ns.encryption11}rsa-oaep` && hash && maskAlgorithm === `${ns.encryption11}mgf1${hash}`)
    return hash
  throw refusedAlgorithm(algorithm)
}

function cipherValueOf(element: XmlElement): Buffer {
  const data = onlyChild(element, ns.encryption, 'CipherData')
  const value = data && onlyChild(data, ns.encryption, 'CipherValue')
  return Buffer.from(value?.text ?? '', 'base64')
}

function unwrap(wrapped: Buffer, key: string, oaepHash: string): Buffer | null {
  try {
    return privateDecrypt({ key, oaepHash, padding: constants.RSA_PKCS1_OAEP_PADDING }, wrapped)
  } catch {
    return null
  }
}

function open(name: Cipher['name'], key: Buffer, sealed: Buffer): Buffer | null {
  if (sealed.length < IV_BYTES + TAG_BYTES) return null
  try {
    const decipher = createDecipheriv(name, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

function refusedAlgorithm(algorithm: string | null): XmlRefusal {
  return new XmlRefusal(
    'algorithm',
    `An element is encrypted by an algorithm that is not accepted: ${(algorithm ?? '').slice(0, 100)}`,
  )
}

function undecryptable(): XmlRefusal {
  return new XmlRefusal('decryption', 'An element was not encrypted for a current certificate of the service.')
}

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

/** How an authenticator, real or fake, answers. Anything absent is correct. */
export interface Answering {
  origin: string
  /** Fingerprint, face or PIN; default true. */
  userVerified?: boolean
  userPresent?: boolean
  counter?: number
  /** Whether it may be synchronized, and is. */
  backup?: { eligible: boolean; state: boolean }
  rpId?: string
  type?: string
  challenge?: string
  crossOrigin?: boolean
  /** In the answer to a sign-in; null to leave it out. */
  userHandle?: string | null
}

interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

interface RequestOptions {
  challenge: string
  rpId: string
}

/** A passkey in software: what a browser and an authenticator would answer, with any part of it wrong. */
export interface SoftwarePasskey {
  id: string
  make(options: CreationOptions, how: Answering): RegistrationJson
  use(options: RequestOptions, how: Answering): AssertionJson
}

export type RegistrationJson = ReturnType<typeof registrationOf>
export type AssertionJson = ReturnType<typeof assertionOf>

export const AAGUID = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd'

export function newPasskey(options: { algorithm?: Algorithm; credentialId?: Buffer } = {}): SoftwarePasskey {
  const { algorithm = 'ES256', credentialId = randomBytes(32) } = options
  const { publicKey, privateKey } = makeKeys(algorithm)
  const id = credentialId.toString('base64url')
  let userHandle: string | null = null
  return {
    id,
    make(creation, how) {
      userHandle = creation.user.id
      const attested = Buffer.concat([
        Buffer.from(AAGUID.replaceAll('-', ''), 'hex'),
        uint16(credentialId.length),
        credentialId,
        cbor(coseKey(publicKey, algorithm)),
      ])
      const authData = authenticatorData(creation.rp.id, how, attested)
      return registrationOf(id, clientData('webauthn.create', creation.challenge, how), authData)
    },
    use(request, how) {
      const json = clientData('webauthn.get', request.challenge, how)
      const authData = authenticatorData(request.rpId, how)
      const signed = Buffer.concat([authData, createHash('sha256').update(json).digest()])
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey)
      const handle = how.userHandle === undefined ? userHandle : how.userHandle
      return assertionOf(id, json, authData, signature, handle)
    },
  }
}

function registrationOf(id: string, json: Buffer, authData: Buffer) {
  const attestation = new Map<Cbor, Cbor>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: json.toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    },
    clientExtensionResults: {},
  }
}

function assertionOf(id: string, json: Buffer, authData: Buffer, signature: Buffer, userHandle: string | null) {
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: json.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    },
    clientExtensionResults: {},
  }
}

function clientData(type: string, challenge: string, how: Answering): Buffer {
  const { origin, crossOrigin = false } = how
  return Buffer.from(
    JSON.stringify({ type: how.type ?? type, challenge: how.challenge ?? challenge, origin, crossOrigin }),
  )
}

/** WebAuthn L3 §6.1 */
function authenticatorData(rpId: string, how: Answering, attested?: Buffer): Buffer {
  const { userPresent = true, userVerified = true, backup = { eligible: false, state: false } } = how
  const flags =
    (userPresent ? 1 : 0) |
    (userVerified ? 4 : 0) |
    (backup.eligible ? 8 : 0) |
    (backup.state ? 16 : 0) |
    (attested ? 64 : 0)
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(how.counter ?? 0)
  const hash = createHash('sha256')
    .update(how.rpId ?? rpId)
    .digest()
  return Buffer.concat([hash, Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)])
}

function makeKeys(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

/** RFC 9053 */
function coseKey(key: KeyObject, algorithm: Algorithm): Map<Cbor, Cbor> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  if (algorithm === 'ES256')
    return new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
  if (algorithm === 'EdDSA')
    return new Map<Cbor, Cbor>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ])
  return new Map<Cbor, Cbor>([
    [1, 3],
    [3, -257],
    [-1, bytes(n)],
    [-2, bytes(e)],
  ])
}

type Cbor = number | string | Buffer | Map<Cbor, Cbor>

/** As much of RFC 8949 as WebAuthn needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(length)])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

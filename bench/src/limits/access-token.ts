import { generateKeyPairSync, hash, sign, verify } from 'node:crypto'
import { newId } from '../../../src/platform/ids.ts'
import type { Directory } from './callers.ts'
import { Refusal } from './joined.ts'

export const ISSUER = 'http://127.0.0.1:40000'
export const TOKEN_SECONDS = 3600

/** Whom an access token is for. */
export interface Holder {
  directory: Directory
  sessionId: string
  authAccountId: string
  userId: string
  email: string
  role: string
  organizationSlug: string
  amr: string[]
  authenticatedAtSeconds: number
}

/** What a token says that its introspection does not read anew. */
export interface VerifiedToken {
  sessionId: string
  organizationId: string
  issuedAtSeconds: number
  expiresAtSeconds: number
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const head = encode({ alg: 'ES256', typ: 'at+jwt', kid: newId() })

/** Signs a token with the claims of the product's. */
export function signAccessToken(holder: Holder): string {
  const { directory } = holder
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = {
    iss: ISSUER,
    sub: holder.authAccountId,
    aud: directory.account_id,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + TOKEN_SECONDS,
    jti: newId(),
    sid: holder.sessionId,
    org_id: directory.organization_id,
    org_slug: holder.organizationSlug,
    directory_user_id: holder.userId,
    email: holder.email,
    email_verified: true,
    role: holder.role,
    roles: [],
    permissions: [],
    amr: holder.amr,
    aal: 'aal1',
    auth_time: holder.authenticatedAtSeconds,
    env: directory.environment_slug,
    connection_id: null,
  }
  const input = `${head}.${encode(claims)}`
  // By `dsaEncoding: 'ieee-p1363'` the signature costs twice as much.
  return `${input}.${toPlain(sign('sha256', Buffer.from(input), privateKey)).toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** r and s of a DER signature, 32 bytes each (RFC 7518 §3.4). */
function toPlain(der: Buffer): Buffer {
  const plain = Buffer.alloc(64)
  const rEnd = 4 + der.readUInt8(3)
  placeInteger(der.subarray(4, rEnd), plain.subarray(0, 32))
  placeInteger(der.subarray(rEnd + 2), plain.subarray(32))
  return plain
}

// DER leaves out leading zeros, and adds one where the first bit is set.
function placeInteger(integer: Buffer, place: Buffer): void {
  const digits = integer.subarray(-32)
  digits.copy(place, 32 - digits.length)
}

const verified = new Map<string, VerifiedToken>()

/** What a token says, whose signature is verified when it is first seen. Throws `Refusal`. */
export function verifyAccessToken(token: string): VerifiedToken {
  const digest = hash('sha256', token, 'base64url')
  const known = verified.get(digest) ?? checkToken(token)
  verified.set(digest, known)
  if (known.expiresAtSeconds * 1000 <= Date.now()) throw new Refusal(404, 'Expired')
  return known
}

function checkToken(token: string): VerifiedToken {
  const [header, payload = '', signature = ''] = token.split('.')
  const isOurs = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (header !== head || !isOurs) throw new Refusal(404, 'Not one of ours')
  const { sid, org_id, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return { sessionId: sid, organizationId: org_id, issuedAtSeconds: iat, expiresAtSeconds: exp }
}

import { FederationFailure } from '../federation/federation.ts'

/** Algorithms for ID tokens. Only signatures: never `none`, and never a MAC, since the client knows its key. */
const ALGORITHMS = new Set([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
])

/** The used fields of a discovery document (OpenID Connect Discovery §3, RFC 9207 §3). */
export interface Discovery {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  userinfo_endpoint?: string
  /** OpenID Connect RP-Initiated Logout §2.1 */
  end_session_endpoint?: string
  id_token_signing_alg_values_supported: string[]
  authorization_response_iss_parameter_supported: boolean
}

export type Jwk = Record<string, string | string[]>

export interface KeySet {
  keys: Jwk[]
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'end_session_endpoint']
/** The largest document that is parsed; more would take too long. Documents of large providers have some 30 KB. */
export const MAX_DOCUMENT_BYTES = 128 * 1024
const MAX_URL_LENGTH = 2048
// Google publishes two keys, Microsoft about ten.
const MAX_KEYS = 30
/** The stored members of a key and their maximum length: `n` has room for RSA with 8192 bits, `x` and `y` for P-521. */
const KEY_MEMBERS = { kty: 20, kid: 300, alg: 20, use: 20, n: 1400, e: 20, crv: 20, x: 100, y: 100 }
const MAX_OPERATIONS = 10

/** Reads a discovery document. Throws FederationFailure, also for a document with another issuer (ASVS 10.5.3). */
export function readDiscovery(body: Buffer, issuer: string): Discovery {
  const document = readObject(body, 'discovery')
  if (document['issuer'] !== issuer) throw invalid('The discovery document is of another issuer.')
  const isPlain = ENDPOINTS.some((name) => String(document[name]).startsWith('http:'))
  if (isPlain && issuer.startsWith('https:')) throw invalid('The discovery document has addresses without https.')
  const algorithms = readTexts(document['id_token_signing_alg_values_supported'])
  return {
    issuer,
    authorization_endpoint: readEndpoint(document, 'authorization_endpoint'),
    token_endpoint: readEndpoint(document, 'token_endpoint'),
    jwks_uri: readEndpoint(document, 'jwks_uri'),
    ...(isAddress(document['userinfo_endpoint']) ? { userinfo_endpoint: document['userinfo_endpoint'] } : {}),
    ...(isAddress(document['end_session_endpoint']) ? { end_session_endpoint: document['end_session_endpoint'] } : {}),
    id_token_signing_alg_values_supported: algorithms.filter((name) => ALGORITHMS.has(name)),
    authorization_response_iss_parameter_supported: document['authorization_response_iss_parameter_supported'] === true,
  }
}

/** Reads the public keys of a JWK set (RFC 7517 §5) that can sign ID tokens. Throws FederationFailure. */
export function readKeySet(body: Buffer): KeySet {
  const { keys } = readObject(body, 'keys')
  if (!Array.isArray(keys)) throw invalid('The keys are not a JWK set.')
  const read: Jwk[] = []
  // Stops after `MAX_KEYS`, since a provider could publish tens of thousands.
  for (const key of keys) if (read.length < MAX_KEYS && isRecord(key) && isSigning(key)) read.push(cutDown(key))
  return { keys: read }
}

/** Other keys cannot sign: a published `oct` would be a public secret, and `enc` keys are for encryption. */
function isSigning(key: Record<string, unknown>): boolean {
  return ['RSA', 'EC', 'OKP'].includes(String(key['kty'])) && key['use'] !== 'enc'
}

function cutDown(key: Record<string, unknown>): Jwk {
  const members = Object.entries(KEY_MEMBERS).flatMap(([name, maxLength]): [string, string | string[]][] => {
    const value = key[name]
    return typeof value === 'string' && value.length <= maxLength ? [[name, value]] : []
  })
  const operations = readTexts(key['key_ops']).slice(0, MAX_OPERATIONS)
  return Object.fromEntries(operations.length > 0 ? [...members, ['key_ops', operations]] : members)
}

function readObject(body: Buffer, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (isRecord(value)) return value
  } catch {}
  throw invalid(`The provider publishes no JSON object (${what}).`)
}

function readEndpoint(document: Record<string, unknown>, name: string): string {
  const value = document[name]
  if (isAddress(value)) return value
  throw invalid(`The discovery document has no ${name}.`)
}

function isAddress(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_URL_LENGTH && /^https?:\/\//.test(value) && URL.canParse(value)
  )
}

function readTexts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.filter((item): item is string => typeof item === 'string' && item.length <= 100).slice(0, 50)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(detail: string): FederationFailure {
  return new FederationFailure('response_invalid', detail)
}

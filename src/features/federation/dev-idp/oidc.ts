import { createPrivateKey, hash, randomUUID } from 'node:crypto'
import { boundedMap } from '../../../platform/bounded-map.ts'
import type { Fields } from '../../../platform/http/media.ts'
import type { PageFile } from '../../../platform/pages/pages.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { isOwnUrl, providerUrl } from './addresses.ts'
import { type Fault, providerTime } from './faults.ts'
import { type DevKey, devKey, expiredKey, publicJwk } from './keys.ts'
import type { DevPerson } from './people.ts'

/** The data of an authorization request, and the person who signed in. */
interface Granted {
  domain: string
  clientId: string
  redirectUri: string
  nonce: string | null
  challenge: string | null
  person: DevPerson
  fault: Fault
  atMs: number
}

const CODE_SECONDS = 60
const MAX_CODES = 1000

// Kept in this process only, since development runs a single process.
const codes = perPlatform(() => boundedMap<Granted>(MAX_CODES))

export function json(status: number, body: object): PageFile {
  return { status, contentType: 'application/json', content: JSON.stringify(body) }
}

/** The provider's metadata (OpenID Connect Discovery §3). */
export function oidcMetadata(platform: Platform, domain: string): PageFile {
  const issuer = providerUrl(platform, domain)
  return json(200, {
    issuer,
    authorization_endpoint: `${issuer}/oidc/authorize`,
    token_endpoint: `${issuer}/oidc/token`,
    jwks_uri: `${issuer}/oidc/jwks`,
    end_session_endpoint: `${issuer}/oidc/logout`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'email', 'profile', 'groups'],
    claims_supported: ['sub', 'email', 'email_verified', 'given_name', 'family_name', 'groups', 'oid'],
    authorization_response_iss_parameter_supported: true,
  })
}

export async function oidcKeys(platform: Platform): Promise<PageFile> {
  return json(200, { keys: [publicJwk(await devKey(platform))] })
}

/** Whether a query is a sign-in request from this service. */
export function isAuthorization(platform: Platform, fields: Fields): boolean {
  const { client_id: clientId, redirect_uri: redirectUri, response_type: type } = fields
  return type === 'code' && Boolean(clientId) && redirectUri !== undefined && isOwnUrl(platform, redirectUri)
}

/**
 * Ends a sign-in request. Returns the address that the browser goes back to (OpenID Connect Core §3.1.2.5, RFC 9207).
 */
export function authorize(
  platform: Platform,
  domain: string,
  { fields, person, fault }: { fields: Fields; person: DevPerson; fault: Fault },
): string {
  const { client_id: clientId = '', redirect_uri: redirectUri = '', state, nonce = null } = fields
  const url = new URL(redirectUri)
  url.searchParams.set('iss', providerUrl(platform, domain))
  if (state !== undefined) url.searchParams.set('state', state)
  if (fault === 'cancelled') {
    url.searchParams.set('error', 'access_denied')
    return url.href
  }
  const code = randomUUID()
  const challenge = fields['code_challenge'] ?? null
  const atMs = providerTime(platform).getTime()
  codes(platform).set(code, { domain, clientId, redirectUri, nonce, challenge, person, fault, atMs })
  url.searchParams.set('code', code)
  return url.href
}

/** Exchanges a code for an ID token (RFC 6749 §4.1.3, RFC 7636 §4.6). Accepts any client and any secret. */
export async function exchange(platform: Platform, domain: string, fields: Fields): Promise<PageFile> {
  const granted = take(platform, fields['code'] ?? '')
  const verifier = fields['code_verifier'] ?? ''
  const isProved = granted?.challenge === null || hash('sha256', verifier, 'base64url') === granted?.challenge
  if (granted?.domain !== domain || granted.redirectUri !== fields['redirect_uri'] || !isProved)
    return json(400, { error: 'invalid_grant', error_description: 'The code is unknown, used or expired.' })
  const key = await (granted.fault === 'unknown_certificate' ? expiredKey(platform) : devKey(platform))
  const idToken = await signIdToken(platform, granted, key)
  return json(200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token: idToken })
}

function take(platform: Platform, code: string): Granted | null {
  const granted = codes(platform).get(code)
  codes(platform).delete(code)
  const isLive = granted && providerTime(platform).getTime() - granted.atMs < CODE_SECONDS * 1000
  return isLive ? granted : null
}

async function signIdToken(platform: Platform, { domain, clientId, nonce, person, fault }: Granted, key: DevKey) {
  const { SignJWT } = await import('jose/jwt/sign')
  const { subject, email, firstName, lastName, groups } = person
  const now = Math.floor(providerTime(platform, fault).getTime() / 1000)
  const claims = {
    ...(nonce === null ? {} : { nonce }),
    ...(fault === 'missing_email' ? {} : { email, email_verified: true, preferred_username: email }),
    ...{ oid: subject, given_name: firstName, family_name: lastName, name: `${firstName} ${lastName}`, groups },
    auth_time: now,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: key.id })
    .setIssuer(providerUrl(platform, domain))
    .setSubject(subject)
    .setAudience(fault === 'wrong_audience' ? 'another-application' : clientId)
    .setIssuedAt(now)
    .setExpirationTime(now + 300)
    .sign(createPrivateKey(key.privateKeyPem))
}

/** Where the browser goes after a logout (OpenID Connect RP-Initiated Logout §3). Null: it stays. */
export function oidcLogoutUrl(platform: Platform, fields: Fields): string | null {
  const { post_logout_redirect_uri: target, state } = fields
  if (target === undefined || !isOwnUrl(platform, target)) return null
  const url = new URL(target)
  if (state !== undefined) url.searchParams.set('state', state)
  return url.href
}

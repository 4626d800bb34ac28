import type { JWTPayload } from 'jose'
import { decodeJwt } from 'jose/jwt/decode'
import { looksLikeApiKey } from '../../../platform/crypto/api-key.ts'
import { looksLikeRefreshToken } from '../../../platform/crypto/refresh-token.ts'
import { verifyAccessToken, wasVerified } from '../../../platform/crypto/signing-keys.ts'
import { type ErrorDetails, httpErrors } from '../../../platform/errors.ts'
import type { Platform } from '../../../platform/platform.ts'
import { bearerToken } from '../../../platform/tenancy/authenticate.ts'
import type { Authenticator, Credentials, UserCaller } from '../../../platform/tenancy/caller.ts'
import { resolveReach, teamReach } from '../../../platform/tenancy/directory.ts'
import { accountOfTeam } from '../../access/claims/claims.ts'
import { environmentOfIssuer, homeEnvironment, type Issuing } from './issuers.ts'
import { findLiveToken, type LiveToken } from './tokens.ts'

/**
 * Authenticates end users, and members of the account's own team, with an access token that is sent as Bearer token
 * (RFC 6750 §2.1). The session is read for each request, so a revocation takes effect at once. Throws
 * `access_token_missing`, `access_token_invalid`.
 */
export function userAuthenticator(platform: Platform): Authenticator<UserCaller> {
  return async ({ headers, lookUp }) => {
    const token = bearerToken(headers)
    if (token === null) throw httpErrors.accessTokenMissing({ headers: challenge() })
    const verify = () => verifyToken(platform, token)
    const verified = await (wasVerified(platform, token) ? verify() : lookUp(verify))
    const live = verified && (await findLiveAccessToken(platform, token, verified))
    if (!live) throw httpErrors.accessTokenInvalid({ ...invalidToken, ...describeOther(token) })
    return toCaller(live)
  }
}

/** The live session of the account's own team that a token belongs to; null for any other token. */
export async function findTeamSession(
  platform: Platform,
  token: string,
  lookUp: Credentials['lookUp'],
): Promise<LiveToken | null> {
  // The unverified audience is only used to save a look-up for tokens of end users.
  if (accountOfTeam(readClaims(token)?.aud) === null) return null
  const verify = () => verifyToken(platform, token)
  const verified = await (wasVerified(platform, token) ? verify() : lookUp(verify))
  return verified && isOfTeam(verified) ? findLiveAccessToken(platform, token, verified) : null
}

/** If no token was presented, the challenge has no error code (RFC 6750 §3). */
function challenge(error?: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="watchword"${error ? `, error="${error}"` : ''}` }
}

const invalidToken: ErrorDetails = { headers: challenge('invalid_token') }

/** Explains what was sent instead of an access token, if its form shows that. */
function describeOther(presented: string): ErrorDetails {
  const sent = looksLikeApiKey(presented) ? 'An API key' : looksLikeRefreshToken(presented) ? 'A refresh token' : null
  if (sent === null) return {}
  return {
    detail: `${sent} was sent, but this route requires an access token. Send an access token as Authorization: Bearer.`,
  }
}

interface Verified extends Issuing {
  claims: JWTPayload
}

async function verifyToken(platform: Platform, token: string): Promise<Verified | null> {
  const issuing = await issuingOf(platform, token)
  const claims = issuing && (await verifyAccessToken(platform, issuing.environmentId, token))
  return claims ? { ...issuing, claims } : null
}

/** Whether the token is for the team of the account whose key signed it. */
function isOfTeam({ accountId, claims }: Pick<Verified, 'accountId' | 'claims'>): boolean {
  return accountOfTeam(claims.aud) === accountId
}

async function findLiveAccessToken(
  platform: Platform,
  token: string,
  { accountId, environmentId, claims }: Verified,
): Promise<LiveToken | null> {
  // The signature proves the environment, so the claims can be trusted.
  const environment = { accountId, environmentId, environmentSlug: String(claims['env']), organizationId: null }
  const isTeam = isOfTeam({ accountId, claims })
  const directory = isTeam ? await teamReach(platform, environment) : await resolveReach(platform, environment, null)
  const live = directory && (await findLiveToken({ platform, reach: directory }, token))
  return live?.kind === 'access_token' ? live : null
}

/**
 * The environment that a token claims to be from. Not trustworthy until the signature is verified with the
 * environment's keys.
 */
async function issuingOf(platform: Platform, token: string): Promise<Issuing | null> {
  const issuer = readClaims(token)?.iss ?? null
  // Base URL: the issuer of an access token begins with it.
  const { baseUrl } = platform.config
  if (issuer === null || !issuer.startsWith(baseUrl)) return null
  if (issuer === baseUrl) return homeEnvironment(platform)
  const [, accountId = '', name = ''] =
    /^\/accounts\/([0-9a-f-]{36})\/([a-z0-9-]{1,63})$/.exec(issuer.slice(baseUrl.length)) ?? []
  return environmentOfIssuer(platform, accountId, name)
}

function readClaims(token: string): JWTPayload | null {
  try {
    return decodeJwt(token)
  } catch {
    return null
  }
}

/**
 * The values come from the token, not from the session: the user may have authenticated again since the token was
 * issued.
 */
function authenticationOf({ claims }: LiveToken): Pick<UserCaller, 'amr' | 'aal' | 'authenticatedAt'> {
  const amr: unknown = claims?.['amr']
  return {
    amr: Array.isArray(amr) ? amr.map(String) : [],
    aal: String(claims?.['aal']),
    authenticatedAt: new Date(Number(claims?.['auth_time']) * 1000),
  }
}

function toCaller(live: LiveToken): UserCaller {
  const { directory, sessionId, session } = live
  return {
    kind: 'user',
    actor: { type: 'user', id: session.user_id },
    accountId: directory.accountId,
    environmentId: directory.environmentId,
    environmentSlug: directory.environmentSlug,
    organizationId: directory.organizationId,
    directory,
    userId: session.auth_account_id,
    directoryUserId: session.user_id,
    sessionId,
    connectionId: session.connection_id,
    isImpersonated: live.claims?.['act'] !== undefined,
    ...authenticationOf(live),
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import { httpErrors } from '../errors.ts'

/** The verified caller. Comes from the key alone: ids in a body are targets, never principals. */
export interface Principal {
  apiKeyId: string
  accountId: string
  environmentId: string
  environmentSlug: string
  /** The key's only organization; null for an org-wide key. */
  organizationId: string | null
  scopes: readonly string[]
  requestsPerSecond: number | null
  expiresAt: Date | null
}

/** Looks a presented key up. Takes the same time for an unknown key as for a wrong secret. */
export type FindApiKey = (presented: string, ip: string | null) => Promise<Principal | null>

const CHALLENGE = { 'www-authenticate': 'Bearer realm="watchword"' }

/**
 * One credential, in one place: `X-API-Key`, or `Authorization: Bearer` (RFC 6750 §2.1).
 * Throws `api_key_missing`, `api_key_invalid`, `api_key_expired`, `api_key_conflict`.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  ip: string | null,
  findApiKey: FindApiKey,
  now: Date,
): Promise<Principal> {
  const presented = presentedKey(headers)
  if (presented === null)
    throw httpErrors.apiKeyMissing({ headers: CHALLENGE, detail: 'Send your API key in the header X-API-Key.' })
  const principal = await findApiKey(presented, ip)
  if (!principal) throw httpErrors.apiKeyInvalid({ headers: CHALLENGE })
  if (principal.expiresAt && principal.expiresAt <= now) throw httpErrors.apiKeyExpired({ headers: CHALLENGE })
  return principal
}

function presentedKey(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-api-key']
  const bearer = bearerToken(headers)
  if (Array.isArray(own)) throw httpErrors.credentialConflict()
  if (own !== undefined && bearer !== null && own !== bearer) throw httpErrors.credentialConflict()
  const key = own ?? bearer
  return key === null || key === '' ? null : key
}

/** The token of an `Authorization: Bearer` header, or null. */
export function bearerToken(headers: IncomingHttpHeaders): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '')
  return match?.[1] ?? null
}

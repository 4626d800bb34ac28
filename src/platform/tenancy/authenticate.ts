import type { IncomingHttpHeaders } from 'node:http'
import { httpErrors } from '../errors.ts'
import type { Authenticator, Credentials, KeyCaller } from './caller.ts'

/** Looks up an API key. An unknown key takes as long as a wrong secret. */
export type FindApiKey = (presented: string, by: Presenting) => Promise<KeyCaller | null>

/** The client that sends a key, and when. */
export type Presenting = Pick<Credentials, 'ip' | 'lookUp'> & { now: Date }

/** The challenge in a 401 response (RFC 9110 §11.6.1). */
export const CHALLENGE = { 'www-authenticate': 'Bearer realm="watchword"' }

/**
 * The authenticator of API keys. It accepts one credential in one place: `X-API-Key` or `Authorization: Bearer` (RFC
 * 6750 §2.1).
 * Throws `api_key_missing`, `api_key_invalid`, `api_key_expired`, `api_key_conflict`.
 */
export function keyAuthenticator(findApiKey: FindApiKey): Authenticator<KeyCaller> {
  return async ({ headers, ip, lookUp }, now) => {
    const presented = keyOf(headers)
    if (presented === null)
      throw httpErrors.apiKeyMissing({ headers: CHALLENGE, detail: headers.authorization ? NOT_BEARER : NO_KEY })
    const caller = await findApiKey(presented, { ip, lookUp, now })
    if (!caller) throw httpErrors.apiKeyInvalid({ headers: CHALLENGE })
    const { expiresAt } = caller.bounds
    if (expiresAt && expiresAt <= now) throw httpErrors.apiKeyExpired({ headers: CHALLENGE })
    return caller
  }
}

const NO_KEY = 'Send your API key in the header X-API-Key.'
const NOT_BEARER =
  'The header Authorization lacks the word Bearer before the key. Send Authorization: Bearer <key>, or send the key as X-API-Key.'

function keyOf(headers: IncomingHttpHeaders): string | null {
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

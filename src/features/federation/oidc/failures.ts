import { readErrorField } from '../../../platform/errors.ts'
import { OutboundFailure } from '../../../platform/outbound/http.ts'
import { FederationFailure } from '../federation/federation.ts'

/**
 * What went wrong at a provider, as one of the fixed codes. The detail has words of the library and error codes of the
 * standards, never a text of the provider, which anybody may have put there. Returns what is no failure of a provider as
 * it is.
 */
export function toFailure(error: unknown): unknown {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof FederationFailure) return cause
    if (cause instanceof OutboundFailure) return new FederationFailure('idp_unreachable', cause.detail)
  }
  const code = readErrorField(error, 'code')
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
    case 'OAUTH_RESPONSE_BODY_ERROR':
      return refusedByProvider(readErrorField(error, 'error'))
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return new FederationFailure('idp_error', 'The provider refused the credentials.')
    default:
      return readErrorField(error, 'name') === 'ClientError'
        ? new FederationFailure('response_invalid', describe(error))
        : error
  }
}

/** `error` of RFC 6749 §4.1.2.1 and §5.2, and of OpenID Connect Core §3.1.2.6. */
export function refusedByProvider(given: unknown): FederationFailure {
  const known = typeof given === 'string' && ERRORS.has(given) ? given : 'another error'
  return new FederationFailure(CANCELLED.includes(known) ? 'access_denied' : 'idp_error', `The provider said ${known}.`)
}

/** The second is Apple’s. */
const CANCELLED = ['access_denied', 'user_cancelled_authorize']
const ERRORS = new Set([
  ...CANCELLED,
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
])

/** The library’s own words: they name a claim or a parameter, and quote no value. */
function describe(error: unknown): string {
  const cause = readErrorField(error, 'cause')
  const message = cause instanceof Error ? cause.message : readErrorField(error, 'message')
  return String(message).slice(0, 200)
}

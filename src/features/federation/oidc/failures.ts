import { readErrorField } from '../../../platform/errors.ts'
import { OutboundFailure } from '../../../platform/outbound/http.ts'
import { FederationFailure } from '../federation/federation.ts'

/**
 * Translates a provider's failure into one of the fixed codes. The detail consists of the library's words and the
 * standards' error codes. It never contains the provider's text, which anyone may have written. Returns any other
 * error unchanged.
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

/** Maps `error` of RFC 6749 §4.1.2.1 and §5.2, and of OpenID Connect Core §3.1.2.6. */
export function refusedByProvider(given: unknown): FederationFailure {
  const known = typeof given === 'string' && ERRORS.has(given) ? given : 'another error'
  return new FederationFailure(CANCELLED.includes(known) ? 'access_denied' : 'idp_error', `The provider said ${known}.`)
}

/** The second code is Apple’s. */
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

/** The library’s own message, which names a claim or parameter and quotes no value. */
function describe(error: unknown): string {
  const cause = readErrorField(error, 'cause')
  const message = cause instanceof Error ? cause.message : readErrorField(error, 'message')
  return String(message).slice(0, 200)
}

import { FederationFailure } from './errors.ts'

const SHARED = 'The browser came back to the shared redirect URI, and not to that of the sign-in.'
const OTHER = 'The browser came back to another redirect URI than that of the sign-in.'

/**
 * Refuses a sign-in whose answer did not arrive at its own redirect URI: the code in it may be of another provider, and the
 * token request would hand it over (mix-up, RFC 9700 §4.4). The URIs are named by connection or provider, the shared one by
 * null. Throws FederationFailure.
 */
export function assertArrivedAt(arrived: string | null, own: string | null): void {
  if (arrived !== own) throw new FederationFailure('response_invalid', arrived === null ? SHARED : OTHER)
}

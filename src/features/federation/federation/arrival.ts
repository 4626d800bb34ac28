import { FederationFailure } from './errors.ts'

const SHARED = 'The browser came back to the shared redirect URI, and not to that of the sign-in.'
const OTHER = 'The browser came back to another redirect URI than that of the sign-in.'

/**
 * Refuses a sign-in if the browser did not arrive at its own redirect URI. The code could come from another provider,
 * and the token request would then reveal it (mix-up attack, RFC 9700 §4.4). A redirect URI is given as the id of the
 * connection or the name of the provider; null stands for the shared URI. Throws FederationFailure.
 */
export function assertArrivedAt(arrived: string | null, own: string | null): void {
  if (arrived !== own) throw new FederationFailure('response_invalid', arrived === null ? SHARED : OTHER)
}

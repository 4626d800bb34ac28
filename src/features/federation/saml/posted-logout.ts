/**
 * A logout message that a provider sends through the browser: in a form, or in a query that is signed exactly as it
 * was sent.
 */
export interface PostedLogout {
  connectionId: string
  message: string
  relayState: string | null
  query: { octets: string | null; algorithm: string; signature: string } | null
}

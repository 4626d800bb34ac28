/** A message of a logout, as a provider has a browser bring it: by a form, or by a query that is signed as it was sent. */
export interface PostedLogout {
  connectionId: string
  message: string
  relayState: string | null
  query: { octets: string | null; algorithm: string; signature: string } | null
}

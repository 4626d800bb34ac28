/** Who caused something, and in which request. */
export interface Origin {
  requestId: string | null
  actor: { type: 'api_key' | 'user' | 'scim' | 'system' | 'cli'; id: string | null }
  /** The end user behind a request of the customer's backend, when it says so. */
  endUser: {
    ip: string | null
    userAgent: string | null
    /** The token that a passed challenge gave to the person's device. */
    trustedDevice?: string | null
  }
  /** Types recorded so far: a route that declares an event and records none fails in tests. */
  recorded: string[]
}

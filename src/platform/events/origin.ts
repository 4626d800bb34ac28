interface Actor {
  type: 'api_key' | 'user' | 'scim' | 'system' | 'cli'
  id: string | null
}

interface Person {
  id: string
  name: string | null
}

/** Who caused something, and with which request. */
export interface Origin {
  requestId: string | null
  /** The caller, whose rights and limits apply. */
  actor: Actor
  /** The user who proved their identity with this request and is therefore the actor of its events. */
  provenUserId?: string
  /** The person that the customer's backend acts for, if it names one. Recorded, and never used for a decision. */
  onBehalfOf?: Person
  /**
   * The API key that accompanied the access token of a user, who is the actor. Recorded, and never used for a decision.
   */
  backend?: Actor
  /** The end user behind a request of the customer's backend, if it says so. */
  endUser: {
    ip: string | null
    userAgent: string | null
    /** The token that the person's device got for a passed challenge. */
    trustedDevice?: string | null
  }
  /** The types of events recorded so far. In tests, a route fails that declares an event and records none. */
  recorded: string[]
}

/** The same work, with the user who proved their identity as the actor of its events. */
export function asProvenUser<W extends { origin: Origin }>(work: W, userId: string): W {
  return { ...work, origin: { ...work.origin, provenUserId: userId } }
}

/** The cause in an event. `via` is the caller through which a user signed in, or the backend that sent a user's request. */
export function causeOf({ actor, provenUserId, backend, onBehalfOf }: Origin): Cause {
  const person = onBehalfOf ?? null
  if (provenUserId === undefined || (actor.type === 'user' && actor.id === provenUserId))
    return { actor, via: backend ?? null, onBehalfOf: person }
  return { actor: { type: 'user', id: provenUserId }, via: actor.id === null ? null : actor, onBehalfOf: person }
}

interface Cause {
  actor: Actor
  via: Actor | null
  onBehalfOf: Person | null
}

interface Actor {
  type: 'api_key' | 'user' | 'scim' | 'system' | 'cli'
  id: string | null
}

interface Person {
  id: string
  name: string | null
}

/** Who caused something, and in which request. */
export interface Origin {
  requestId: string | null
  /** The caller. Rules and limits go by it. */
  actor: Actor
  /** The user who has proved who they are by this request: the actor of its events. */
  provenUserId?: string
  /** The person that the customer's backend acts for, if it says so. Recorded, and never used for a decision. */
  onBehalfOf?: Person
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

/** The same work, whose events have as actor the user who has proved who they are. */
export function asProvenUser<W extends { origin: Origin }>(work: W, userId: string): W {
  return { ...work, origin: { ...work.origin, provenUserId: userId } }
}

/** Who an event says caused it. `via`: the caller, where a user signed in through it. */
export function causeOf({ actor, provenUserId, onBehalfOf }: Origin): Cause {
  const person = onBehalfOf ?? null
  if (provenUserId === undefined || (actor.type === 'user' && actor.id === provenUserId))
    return { actor, via: null, onBehalfOf: person }
  return { actor: { type: 'user', id: provenUserId }, via: actor.id === null ? null : actor, onBehalfOf: person }
}

interface Cause {
  actor: Actor
  via: Actor | null
  onBehalfOf: Person | null
}

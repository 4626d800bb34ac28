import type { Deadline } from '../db/lanes.ts'
import type { Origin } from '../events/origin.ts'
import type { RateState } from '../limits/rate-limit.ts'
import type { Platform } from '../platform.ts'
import type { Authenticators, Caller, ManagerCaller, ScimCaller } from '../tenancy/caller.ts'
import type { AccountScope, Directory, Reach } from '../tenancy/directory.ts'
import type { AnonymousTraffic } from './anonymous.ts'
import type { IsOriginAllowed } from './cors.ts'
import type { Route } from './route.ts'

export interface Pipeline {
  platform: Platform
  authenticators: Authenticators
  isOriginAllowed: IsOriginAllowed
  limitKey(caller: ManagerCaller, nowMs: number): RateState | null
  /** Counts a request of a provisioning client. Throws `rate_limited`. */
  limitScim(caller: ScimCaller): Promise<void>
  anonymous: AnonymousTraffic
}

/** What the pipeline knows of one request. */
export interface RequestState {
  route: Route | null
  /** The path is that route's, the method is not. */
  otherMethodOf: Route | null
  caller: Caller | null
  /** When the caller was looked up, in milliseconds since 1970; 0 where there is none. */
  identifiedAtMs: number
  /** Where it works; which of the three it is, its route says. */
  place: Directory | Reach | AccountScope | null
  /** How long it may wait for the database; null without bound. */
  deadline: Deadline | null
  origin: Origin
  /** Error code of the answer, for the log. */
  code: string | null
}

export function startRequest(requestId: string, endUser: Origin['endUser']): RequestState {
  const origin: Origin = { requestId, actor: { type: 'system', id: null }, endUser, recorded: [] }
  return {
    route: null,
    otherMethodOf: null,
    caller: null,
    identifiedAtMs: 0,
    place: null,
    deadline: null,
    origin,
    code: null,
  }
}

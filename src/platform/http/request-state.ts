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

/** The pipeline's data about one request. */
export interface RequestState {
  route: Route | null
  /** A route with the request's path and another method. */
  otherMethodOf: Route | null
  caller: Caller | null
  /** When the caller was looked up, in milliseconds since 1970. 0 if there is no caller. */
  identifiedAtMs: number
  /** Where the handler works. The route determines which of the three it is. */
  place: Directory | Reach | AccountScope | null
  /** How long the request may wait for the database, or null for no limit. */
  deadline: Deadline | null
  origin: Origin
  /** The error code of the response, for the log. */
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

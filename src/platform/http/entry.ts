import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, busy, httpErrors } from '../errors.ts'
import { rateHeaders } from '../limits/rate-limit.ts'
import { authorize, mayReadOwnTeam } from '../tenancy/authorize.ts'
import {
  type Authenticators,
  type Caller,
  type Callers,
  isManager,
  type ManagerCaller,
  type UserCaller,
} from '../tenancy/caller.ts'
import { readActingFor } from './acting-for.ts'
import type { Peer } from './anonymous.ts'
import { clientAddress } from './client-address.ts'
import { allowReading, assertOriginAllowed } from './cors.ts'
import { refuseOtherSites } from './cross-site.ts'
import { seenEndUser, statedEndUser } from './end-user.ts'
import { mediaOf } from './media.ts'
import type { Pipeline } from './request-state.ts'
import type { Route } from './route.ts'

/**
 * Refuses a GET with a body (RFC 9110 §9.3.1). The body is not read, so a field in it, such as an organization, would
 * be silently ignored and the response would not be what the client asked for.
 */
function refuseUnreadBody({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD') return
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  throw httpErrors.invalidRequest({ detail: `A ${method} request must not have a body. Send parameters in the query.` })
}

// A body may take half a minute to arrive, and a route's `prepare` may wait for another server.
const CALLER_HOLDS_MS = 1000

/**
 * Identifies the caller of a route and checks whether it may call.
 * - `onRequest`: the steps before a byte of the body is read.
 * - `renew`: identifies the caller again if that was more than a second ago. A caller acts with the rights that it has
 *   when its body has arrived, not those that it had when it began to send (ASVS 5.0 §8.3.2).
 */
export function compileEntry(route: Route, pipeline: Pipeline) {
  const { platform } = pipeline
  const medium = mediaOf(route.media)
  // Base URL: a form from another origin is refused.
  const ownOrigin = new URL(platform.config.baseUrl).origin
  const { identify, authorizeCaller } = compileCaller(route, pipeline, ownOrigin)
  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { state } = request
    state.route = route
    allowReading(route.cors, request, reply)
    refuseUnreadBody(request)
    if (route.auth !== 'key') state.origin.endUser = seenEndUser(request, peerOf(request).ip)
    const { accept } = request.headers
    const isReadable =
      accept === undefined ||
      route.tolerant ||
      medium.suits(accept) ||
      (route.csv && /text\/csv/i.test(accept)) ||
      Object.keys(route.downloads).some((type) => accept.toLowerCase().includes(type))
    if (route.media === 'form' && route.body && !route.crossSite) refuseOtherSites(request, ownOrigin)
    if (route.auth === 'public' || route.auth === 'page') {
      if (!isReadable) throw httpErrors.notAcceptable()
      return
    }
    // A refusal now is better than a response after the caller has given up.
    if (!route.longRunning && platform.database.isBusy()) throw busy()
    // Process clock: a cached key expires, and its requests are counted, without a database query.
    const now = platform.clock.now()
    const caller = await identify(route.auth, request, now)
    if (!isReadable) throw httpErrors.notAcceptable()
    const counted = await authorizeCaller(caller, request, now)
    if (caller.kind === 'scim') await pipeline.limitScim(caller)
    const rate = counted && pipeline.limitKey(counted, now.getTime())
    if (rate) reply.headers(rateHeaders(rate))
  }

  async function renew(request: FastifyRequest): Promise<void> {
    if (route.auth === 'public' || route.auth === 'page') return
    const now = platform.clock.now()
    if (now.getTime() - request.state.identifiedAtMs < CALLER_HOLDS_MS) return
    request.state.caller = null
    await authorizeCaller(await identify(route.auth, request, now), request, now)
  }

  return { onRequest, renew }
}

/** Throws `api_key_mismatch` for a key that cannot act on the user. */
function assertReaches(backend: ManagerCaller, user: UserCaller): void {
  if (backend.accountId !== user.accountId || backend.environmentId !== user.environmentId)
    throw httpErrors.apiKeyMismatch({ detail: 'The API key and the access token are of different environments.' })
  if (backend.organizationId !== null && backend.organizationId !== user.organizationId)
    throw httpErrors.apiKeyMismatch({ detail: 'The API key is limited to an organization that is not the user’s.' })
}

/** Identifies the caller of a route, and refuses callers that may not call it. */
function compileCaller(route: Route, pipeline: Pipeline, ownOrigin: string) {
  const { platform } = pipeline
  async function identify(kind: keyof Authenticators, request: FastifyRequest, now: Date): Promise<Caller> {
    const { state } = request
    const caller = await authenticate(pipeline, kind, request, { peer: peerOf(request), now })
    state.caller = caller
    // Process clock: when this process authenticated the caller.
    state.identifiedAtMs = platform.clock.now().getTime()
    return caller
  }

  /** Returns the caller whose rate limit the request counts towards, or null. */
  async function authorizeCaller(caller: Caller, request: FastifyRequest, now: Date): Promise<ManagerCaller | null> {
    request.state.origin.actor = caller.actor
    if (!isManager(caller)) {
      await authorizeNonManager(caller, request)
      return caller.kind === 'user' ? authorizeBackend(caller, request, now) : null
    }
    if (!mayReadOwnTeam(route, caller, namedIn(request.query)))
      authorize(caller, lesserScopeOf(route, caller) ?? route.scope ?? 'any key')
    if (caller.kind === 'key') {
      // For team members and end users the caller is already the person who acts, so the header is ignored.
      const onBehalfOf = readActingFor(request.headers)
      if (onBehalfOf) request.state.origin.onBehalfOf = onBehalfOf
    }
    return caller
  }

  async function authorizeNonManager(caller: Exclude<Caller, ManagerCaller>, request: FastifyRequest): Promise<void> {
    // An application that checks tokens with a route for users must not accept a member of its account's team as a
    // user.
    if (caller.directory.kind === 'console' && !route.team)
      throw httpErrors.accessTokenInvalid({
        headers: { 'www-authenticate': 'Bearer realm="watchword", error="invalid_token"' },
      })
    if (route.cors === 'origins')
      await assertOriginAllowed(request, caller.directory, ownOrigin, pipeline.isOriginAllowed)
    if (caller.kind === 'user' && caller.isImpersonated && route.method !== 'GET')
      throw httpErrors.impersonationReadOnly()
  }

  /**
   * Checks the API key beside the access token of a user, if there is one. The key adds no rights. It proves that a backend
   * sent the request, so that the backend can state the user's address. A wrong key is refused: ignoring it would record the
   * address of the backend as the user's. Throws what the authenticator of keys throws, and `api_key_mismatch`.
   */
  async function authorizeBackend(user: UserCaller, request: FastifyRequest, now: Date): Promise<ManagerCaller | null> {
    const key = request.headers['x-api-key']
    if (key === undefined) return null
    const presented = { headers: { 'x-api-key': key }, query: null }
    const backend = await authenticate(pipeline, 'key', presented, { peer: peerOf(request), now })
    // Before the check, so that the log line of a refusal names the key.
    request.state.origin.backend = backend.actor
    assertReaches(backend, user)
    // A trusted device replaces a second factor at a sign-in, and no route for users signs them in.
    request.state.origin.endUser = { ...statedEndUser(request), trustedDevice: null }
    return backend
  }

  return { identify, authorizeCaller }
}

/** The lesser scope of the route, if the caller lacks the route's own scope and has this one. */
function lesserScopeOf({ lesserScope }: Route, { grants }: ManagerCaller) {
  return lesserScope && grants.has(lesserScope) ? lesserScope : null
}

/** Whether a route needs no credential. */
export function isAnonymous({ auth }: Route): boolean {
  return auth === 'public' || auth === 'page'
}

/** Whether a path parameter is empty, as in `/v1/users//sessions`. The router accepts that as a name. */
export function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return typeof params === 'object' && params !== null && Object.values(params).includes('')
}

export function peerOf(request: FastifyRequest): Peer {
  return { ip: clientAddress(request), isGone: () => request.raw.socket.destroyed }
}

/**
 * Applies the limit of a client network to pages, public routes and unknown paths, before anything else. Probes have
 * no limit. Returns null, or the refusal after its delay.
 */
export function refuseNetwork({ platform, anonymous }: Pipeline, request: FastifyRequest): Promise<ApiError> | null {
  const { route } = request.routeOptions?.config ?? {}
  if (route && !hasEmptyParameter(request) && (!isAnonymous(route) || route.probe)) return null
  // Process clock: this process counts the requests of a network without a database query.
  const refusal = anonymous.count(peerOf(request), platform.clock.now().getTime())
  return refusal && anonymous.delay(refusal)
}

/**
 * Authenticates the caller. Unless the credential was valid a moment ago, the lookup counts as an anonymous request,
 * so that made-up credentials do not slow down other callers. Throws the refusal of the credential, or `rate_limited`.
 */
async function authenticate<K extends keyof Authenticators>(
  { authenticators, anonymous }: Pipeline,
  kind: K,
  { headers, query }: Pick<FastifyRequest, 'headers' | 'query'>,
  { peer, now }: { peer: Peer; now: Date },
): Promise<Callers[K]> {
  const lookUp = <T>(find: () => Promise<T>) => anonymous.lookUp(peer, now.getTime(), find)
  try {
    return await authenticators[kind]({ headers, ip: peer.ip, subOrgId: namedIn(query), lookUp }, now)
  } catch (error) {
    if (!(error instanceof ApiError) || error.definition.status >= 500) throw error
    // The credential was right, and only the environment is unknown.
    if (error.definition.code === httpErrors.environmentNotFound.code) throw error
    throw await anonymous.fail(peer, now.getTime(), error)
  }
}

function namedIn(query: unknown): string | null {
  const named: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'subOrgId') : null
  return typeof named === 'string' ? named : null
}

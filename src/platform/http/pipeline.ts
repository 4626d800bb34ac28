import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, busy, httpErrors } from '../errors.ts'
import type { Origin } from '../events.ts'
import type { Platform } from '../platform.ts'
import { isServiceEnabled } from '../services.ts'
import type { AnonymousTraffic, Peer } from './anonymous.ts'
import { redirectOf, statusOf } from './answer.ts'
import { authorize } from './authorize.ts'
import type { Authenticators, Caller, KeyCaller } from './caller.ts'
import { clientAddress, isLocal } from './client-address.ts'
import { allowReading, assertOriginAllowed, type IsOriginAllowed } from './cors.ts'
import { refuseOtherSites } from './cross-site.ts'
import {
  type AccountScope,
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  namedOrganization,
  type Reach,
  resolveAccount,
  resolveReach,
} from './directory.ts'
import { runOnce, type SentOnce } from './idempotency.ts'
import { isKept, selectKept } from './kept.ts'
import { mediaOf } from './media.ts'
import { errorsOf } from './openapi-errors.ts'
import { readPageAnswer } from './pages.ts'
import { type RateState, rateHeaders } from './rate-limit.ts'
import type { RequestContext, Route } from './route.ts'
import { compileValidator } from './validate.ts'

export interface Pipeline {
  platform: Platform
  authenticators: Authenticators
  isOriginAllowed: IsOriginAllowed
  limitKey(caller: KeyCaller, nowMs: number): RateState | null
  anonymous: AnonymousTraffic
}

/** What the pipeline knows of one request. */
export interface RequestState {
  route: Route | null
  caller: Caller | null
  directory: Directory | Reach | AccountScope | null
  origin: Origin
  /** Error code of the answer, for the log. */
  code: string | null
}

export function startRequest(requestId: string, endUser: Origin['endUser']): RequestState {
  const origin: Origin = { requestId, actor: { type: 'system', id: null }, endUser, recorded: [] }
  return { route: null, caller: null, directory: null, origin, code: null }
}

/**
 * The steps of a request, in this order: authenticate, authorize (before a byte of the body is read), directory,
 * service, validate, idempotency, handler, reply filter.
 */
export function compileRoute(route: Route, pipeline: Pipeline) {
  const { platform } = pipeline
  const validate = {
    params: compileValidator(route.params, 'params'),
    query: compileValidator(route.query, 'query'),
    body: route.body ? compileValidator(route.body, 'body') : null,
  }
  return {
    onRequest: compileAdmission(route, pipeline),

    async preHandler(request: FastifyRequest) {
      const { caller } = request.state
      const body = request.body === undefined && route.body ? {} : request.body
      if (caller) request.state.directory = await resolve(route, platform, caller, { query: request.query, body })
      validate.params(request.params)
      validate.query(request.query)
      if (validate.body) validate.body(body)
      else if (body !== undefined) throw httpErrors.invalidRequest({ detail: 'This route takes no body.' })
      request.body = body
    },

    async handler(request: FastifyRequest, reply: FastifyReply) {
      const { caller } = request.state
      const context = contextOf(request, platform)
      const input = { params: request.params, query: request.query, body: request.body }
      const key = request.headers['idempotency-key']
      try {
        if (route.idempotency && typeof key === 'string' && caller?.kind === 'key') {
          const sent = { key, url: request.url, body: request.body }
          const answer = await runOnce({ platform, db: platform.db, caller }, route, sent, async (db) => {
            const given = statusOf(await route.handle({ ...context, db }, input))
            return { status: given.code, headers: context.headers, body: serialize(route, reply, given) }
          })
          if (!answer.replayed) checkEvents(route, platform, context.origin)
          return sendKept(route, reply, answer)
        }
        const handle = () => route.handle(context, input)
        const takesTurn = isAnonymous(route) && !route.probe
        const answer = statusOf(await (takesTurn ? pipeline.anonymous.run(peerOf(request), handle) : handle()))
        checkEvents(route, platform, context.origin)
        return send(route, reply.headers(context.headers), answer)
      } catch (error) {
        throw platform.strict && route.auth !== 'page' ? undeclared(route, error) : error
      }
    },
  }
}

/**
 * Nobody reads the body of a GET: what it says, such as an organization, would be passed over in silence, and the answer
 * be that of another request (RFC 9110 §9.3.1).
 */
function refuseUnreadBody({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD') return
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  throw httpErrors.invalidRequest({ detail: `A ${method} has no body: send parameters in the query.` })
}

/** The steps before a byte of the body is read. */
function compileAdmission(route: Route, pipeline: Pipeline) {
  const { platform } = pipeline
  const medium = mediaOf(route.media)
  const ownOrigin = new URL(platform.config.baseUrl).origin
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { state } = request
    state.route = route
    allowReading(route.cors, request, reply)
    refuseUnreadBody(request)
    const peer = peerOf(request)
    if (route.auth !== 'key') state.origin.endUser = browserOf(request, peer.ip)
    const { accept } = request.headers
    const isReadable = accept === undefined || route.tolerant || medium.suits(accept)
    if (route.media === 'form' && route.body && !route.crossSite) refuseOtherSites(request, ownOrigin)
    if (route.auth === 'public' || route.auth === 'page') {
      if (!isReadable) throw httpErrors.notAcceptable()
      return
    }
    // A refusal now is better than an answer after the caller has given up.
    if (platform.database.pool.waitingCount > MAX_WAITING) throw busy()
    const now = platform.clock.now()
    const caller = await authenticate(pipeline, route.auth, request, peer)
    state.caller = caller
    if (!isReadable) throw httpErrors.notAcceptable()
    state.origin.actor = caller.actor
    if (caller.kind === 'key') {
      authorize(caller, route.scope ?? 'any key')
      const rate = pipeline.limitKey(caller, now.getTime())
      if (rate) reply.headers(rateHeaders(rate))
    } else if (route.cors === 'origins')
      await assertOriginAllowed(request, caller.directory, ownOrigin, pipeline.isOriginAllowed)
  }
}

// Requests that wait for a connection to the database.
const MAX_WAITING = 500

/** Whether a route asks for no credential. */
function isAnonymous({ auth }: Route): boolean {
  return auth === 'public' || auth === 'page'
}

function peerOf(request: FastifyRequest): Peer {
  return { ip: clientAddress(request), isGone: () => request.raw.socket.destroyed }
}

/**
 * The limit of a client network on what needs no credential, checked before anything else: pages, public routes, and
 * whatever no route takes. Probes have none. Returns the refusal once it is due, or null.
 */
export function refuseNetwork({ platform, anonymous }: Pipeline, request: FastifyRequest): Promise<ApiError> | null {
  const { route, otherMethod } = request.routeOptions?.config ?? {}
  if (route && !otherMethod && (!isAnonymous(route) || route.probe)) return null
  const refusal = anonymous.count(peerOf(request), platform.clock.now().getTime())
  return refusal && anonymous.delay(refusal)
}

/**
 * Who calls. What is presented is looked up among the anonymous, unless it was right a moment ago: of made-up
 * credentials nobody else notices anything. Throws the refusal of the credential, or `rate_limited`.
 */
async function authenticate(
  { authenticators, anonymous, platform }: Pipeline,
  kind: keyof Authenticators,
  { headers }: FastifyRequest,
  peer: Peer,
): Promise<Caller> {
  const now = platform.clock.now()
  const lookUp = <T>(find: () => Promise<T>) => anonymous.lookUp(peer, now.getTime(), find)
  try {
    return await authenticators[kind]({ headers, ip: peer.ip, lookUp }, now)
  } catch (error) {
    if (!(error instanceof ApiError) || error.definition.status >= 500) throw error
    throw await anonymous.fail(peer, now.getTime(), error)
  }
}

/** The end user's own browser or device, when the request does not come through a customer's backend. */
function browserOf(request: FastifyRequest, ip: string): Origin['endUser'] {
  return { ip, userAgent: request.headers['user-agent']?.slice(0, 512) ?? null }
}

async function resolve(route: Route, platform: Platform, caller: Caller, sent: { query: unknown; body: unknown }) {
  if (caller.kind !== 'key') {
    await requireService(route, platform, caller.directory)
    return caller.directory
  }
  const organizationId = namedOrganization(caller, sent.query, sent.body)
  if (route.directory === 'account') return resolveAccount(platform, caller, organizationId)
  if (route.directory === 'reach') {
    const reach = await resolveReach(platform, caller, organizationId)
    await requireService(route, platform, reach.directory)
    return reach
  }
  if (organizationId === null && route.method !== 'GET' && route.directory === 'one')
    throw httpErrors.subOrgRequired({
      detail: 'This key reaches every organization: name one in subOrgId, in the query or the body.',
    })
  const directory = organizationId
    ? await directoryOfOrganization(platform, caller, organizationId)
    : await accountDirectory(platform, caller)
  await requireService(route, platform, directory)
  return directory
}

async function requireService(route: Route, platform: Platform, directory: Directory | null): Promise<void> {
  if (!route.service || !directory || (await isServiceEnabled({ platform, directory }, route.service))) return
  throw httpErrors.serviceDisabled({
    detail: `The service ${route.service} is not enabled here.`,
    extra: { service: route.service },
  })
}

/** What handlers of every kind of route work with; each sees what its kind has. */
function contextOf(
  request: FastifyRequest,
  platform: Platform,
): RequestContext & Pick<RequestState, 'caller' | 'directory'> {
  const { caller, directory, origin, route } = request.state
  return {
    platform,
    origin,
    db: platform.db,
    requestId: request.id,
    host: () => request.hostname.toLowerCase(),
    headers: {},
    isLocal: route?.auth === 'page' && isLocal(request),
    ifMatch: request.headers['if-match'] ?? null,
    caller,
    directory,
  }
}

/** The text of an answer, by the serializer of its status. */
function serialize(route: Route, reply: FastifyReply, { code, body }: Given): string {
  assertDeclared(route, code)
  return code === 204 ? '' : String(reply.code(code).serialize(body))
}

function sendKept(route: Route, reply: FastifyReply, { status, headers, body, replayed }: SentOnce) {
  reply.code(status).headers(headers)
  if (replayed) reply.header('idempotent-replayed', 'true')
  if (status === 204) return reply.send()
  return reply
    .type(mediaOf(route.media).type)
    .serializer((text: unknown) => String(text))
    .send(body)
}

interface Given {
  code: number
  body: unknown
}

/** Sends an answer in the format of its route; plain JSON goes through the compiled serializer of its status. */
function send(route: Route, reply: FastifyReply, { code, body }: Given): unknown {
  if (isKept(body)) {
    const kept = selectKept(body, reply.request.headers)
    return reply.code(kept.status).headers(kept.headers).send(kept.body)
  }
  const location = route.redirects ? redirectOf(body) : null
  if (location !== null) return reply.redirect(location, route.method === 'GET' ? 302 : 303)
  if (route.auth === 'page') {
    const page = readPageAnswer(body)
    return page ? reply.code(page.status).headers(page.headers).send(page.content) : reply.callNotFound()
  }
  assertDeclared(route, code)
  if (code === 200 && route.media === 'json') return body
  reply.code(code)
  if (code === 204) return reply.send()
  return route.media === 'json'
    ? reply.send(body)
    : reply.type(mediaOf(route.media).type).send(reply.serialize(Object(body)))
}

function assertDeclared(route: Route, code: number): void {
  if (!(code in route.replies))
    throw new Error(`${route.method} ${route.path} answered ${code}, which it does not declare`)
}

/** In tests: a route does what it declares. */
function checkEvents(route: Route, platform: Platform, origin: Origin): void {
  if (!platform.strict) return
  const always = route.events.map(({ type }) => type)
  const declared = new Set([...always, ...route.maybeEvents.map(({ type }) => type)])
  const missing = always.length > 0 && !always.some((type) => origin.recorded.includes(type))
  const foreign = origin.recorded.filter((type) => !declared.has(type))
  if (missing || foreign.length)
    throw new Error(
      `${route.method} ${route.path} declares ${[...declared].join()} and recorded ${origin.recorded.join()}`,
    )
}

function undeclared(route: Route, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { code } = error.definition
  if (errorsOf(route).some((factory) => factory.code === code)) return error
  return new Error(`${route.method} ${route.path} threw ${code}, which it does not declare`, { cause: error })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, httpErrors } from '../errors.ts'
import type { Origin } from '../events.ts'
import type { Platform } from '../platform.ts'
import { authenticate, type FindApiKey, type Principal } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { clientAddress } from './client-address.ts'
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
import { claimIdempotencyKey, type Idempotent, keepsReplies } from './idempotency.ts'
import { type RateState, rateHeaders } from './rate-limit.ts'
import type { RequestContext, Route, ServiceId } from './route.ts'
import { compileValidator } from './validate.ts'

export interface Pipeline {
  platform: Platform
  findApiKey: FindApiKey
  isServiceEnabled(directory: Directory, service: ServiceId): Promise<boolean>
  limitKey(principal: Principal, nowMs: number): RateState | null
}

/** What the pipeline knows of one request. */
export interface RequestState {
  route: Route | null
  principal: Principal | null
  directory: Directory | Reach | AccountScope | null
  origin: Origin
  /** Error code of the answer, for the log. */
  code: string | null
}

export function startRequest(requestId: string, endUser: Origin['endUser']): RequestState {
  const origin: Origin = { requestId, actor: { type: 'system', id: null }, endUser, recorded: [] }
  return { route: null, principal: null, directory: null, origin, code: null }
}

const MAX_WAITING_FOR_CONNECTION = 500

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
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      const { state } = request
      state.route = route
      if (route.auth === 'public') {
        state.origin.endUser = { ip: clientAddress(request), userAgent: request.headers['user-agent'] ?? null }
        return
      }
      refuseOverload(platform)
      const now = platform.clock.now()
      const principal = await authenticate(request.headers, clientAddress(request), pipeline.findApiKey, now)
      authorize(principal, route.scope ?? 'any key')
      const rate = pipeline.limitKey(principal, now.getTime())
      if (rate) reply.headers(rateHeaders(rate))
      state.principal = principal
      state.origin.actor = { type: 'api_key', id: principal.apiKeyId }
    },

    async preHandler(request: FastifyRequest) {
      const { principal } = request.state
      const body = request.body === undefined && route.body ? {} : request.body
      if (principal) request.state.directory = await resolve(route, pipeline, principal, request.query, body)
      validate.params(request.params)
      validate.query(request.query)
      if (validate.body) validate.body(body)
      else if (body !== undefined) throw httpErrors.invalidRequest({ detail: 'This route takes no body.' })
      request.body = body
    },

    async handler(request: FastifyRequest, reply: FastifyReply) {
      const { principal } = request.state
      const key = request.headers['idempotency-key']
      const idempotent =
        principal && typeof key === 'string' && keepsReplies(route)
          ? await claimIdempotencyKey(platform, principal, route, { key, url: request.url, body: request.body })
          : null
      if (idempotent?.state === 'replay') return replay(reply, idempotent)
      const context = contextOf(request, platform)
      const input = { params: request.params, query: request.query, body: request.body }
      try {
        const answer = await route.handle(context, input)
        checkEvents(route, platform, context.origin)
        reply.headers(context.headers)
        if (idempotent) await idempotent.keep(200, reply.serialize(answer as object).toString())
        return answer
      } catch (error) {
        await idempotent?.release()
        throw platform.strict ? undeclared(route, error) : error
      }
    },
  }
}

/** A bounded queue: beyond it a refusal now is better than an answer after the caller has given up. */
function refuseOverload(platform: Platform): void {
  if (platform.database.pool.waitingCount > MAX_WAITING_FOR_CONNECTION)
    throw httpErrors.unavailable({ detail: 'The service is busy: try again.', headers: { 'retry-after': '1' } })
}

async function resolve(route: Route, pipeline: Pipeline, principal: Principal, query: unknown, body: unknown) {
  const { platform } = pipeline
  const organizationId = namedOrganization(principal, query, body)
  if (route.directory === 'account') return resolveAccount(platform, principal, organizationId)
  if (route.directory === 'reach') {
    const reach = await resolveReach(platform, principal, organizationId)
    await requireService(route, pipeline, reach.directory)
    return reach
  }
  if (organizationId === null && route.method !== 'GET' && route.directory === 'one')
    throw httpErrors.subOrgRequired({ detail: 'This key reaches every organization: name one as subOrgId.' })
  const directory = organizationId
    ? await directoryOfOrganization(platform, principal, organizationId)
    : await accountDirectory(platform, principal)
  await requireService(route, pipeline, directory)
  return directory
}

async function requireService(route: Route, pipeline: Pipeline, directory: Directory | null): Promise<void> {
  if (!route.service || !directory || (await pipeline.isServiceEnabled(directory, route.service))) return
  throw httpErrors.serviceDisabled({
    detail: `The service ${route.service} is not enabled here.`,
    extra: { service: route.service },
  })
}

function contextOf(request: FastifyRequest, platform: Platform): RequestContext {
  const { principal, directory, origin } = request.state
  const ifMatch = request.headers['if-match'] ?? null
  const { id: requestId } = request
  const host = request.hostname.toLowerCase()
  const context: RequestContext = { platform, origin, db: platform.db, requestId, host, headers: {}, ifMatch }
  return principal ? Object.assign(context, { principal, directory }) : context
}

function replay(reply: FastifyReply, kept: Extract<Idempotent, { state: 'replay' }>) {
  return reply
    .code(kept.status)
    .header('idempotent-replayed', 'true')
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((text: unknown) => String(text))
    .send(kept.reply)
}

/** Tests: what a route declares is what it does. */
function checkEvents(route: Route, platform: Platform, origin: Origin): void {
  if (!platform.strict) return
  const missing = route.events.length > 0 && !route.events.some((type) => origin.recorded.includes(type))
  const foreign = origin.recorded.filter((type) => !route.events.includes(type) && !route.maybeEvents.includes(type))
  if (missing || foreign.length)
    throw new Error(
      `${route.method} ${route.path} declares ${route.events.join()} and recorded ${origin.recorded.join()}`,
    )
}

const PIPELINE_CODES = new Set(Object.values(httpErrors).map((factory) => factory.code))

function undeclared(route: Route, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { code } = error.definition
  if (PIPELINE_CODES.has(code) || route.errors.some((factory) => factory.code === code)) return error
  return new Error(`${route.method} ${route.path} threw ${code}, which it does not declare`, { cause: error })
}

import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { httpErrors } from '../errors.ts'
import type { Origin } from '../events/origin.ts'
import { newRequestId } from '../ids.ts'
import { keyLimiter } from '../limits/rate-limit.ts'
import type { Metrics } from '../observability/metrics.ts'
import { traceOf } from '../observability/trace.ts'
import { compileSerializer, serializerSchema } from '../openapi/reply-schema.ts'
import type { Platform } from '../platform.ts'
import type { Directory } from '../tenancy/directory.ts'
import { limitAnonymous } from './anonymous.ts'
import { answerPreflight } from './cors.ts'
import { statedEndUser } from './end-user.ts'
import { hasEmptyParameter, refuseNetwork } from './entry.ts'
import { mediaOf } from './media.ts'
import { findMedia, type MediumOf } from './medium-of.ts'
import { allowOf, methodsByPath, otherMethods, routedPaths, routedUrl, urlOf } from './other-method.ts'
import { compileRoute } from './pipeline.ts'
import { noteProblem, routeNameOf, toProblem } from './problem.ts'
import { rootPathOf } from './public-url.ts'
import { type Pipeline, type RequestState, startRequest } from './request-state.ts'
import type { Route } from './route.ts'

/** A request that was answered, for observers of one kind of caller. */
export interface Observed {
  method: string
  /** The URL as it was sent. */
  url: string
  route: string
  body: unknown
  status: number
  /** The error code of a refusal. */
  code: string | null
  answer: string
  origin: Origin
}

export interface ServerParts extends Omit<Pipeline, 'limitKey' | 'anonymous'> {
  /** Called for every request of a provisioning client before it is answered. */
  observeScim(directory: Directory, seen: Observed): Promise<void>
  routes: Route[]
  metrics: Metrics
  /** In tests: different limits for slow clients. */
  patience?: Patience
}

/** How long a client may take to send, in milliseconds. */
interface Patience {
  headersMs: number
  requestMs: number
  /** The interval of checks. Limits may be exceeded by up to this time. */
  checkMs: number
}

const PATIENCE: Patience = { headersMs: 10_000, requestMs: 30_000, checkMs: 2000 }

// Twice the largest body of any route. Refused bodies up to this size are read to their end.
const READ_AWAY = 10 * 1024 * 1024
const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

/** Builds the public HTTP server, which passes every route through the same pipeline. Does not listen. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const { platform, metrics, patience = PATIENCE } = parts
  const { config } = platform
  const pipeline: Pipeline = {
    ...parts,
    limitKey: keyLimiter(config.keyRequestsPerSecond),
    anonymous: limitAnonymous(config.networkRequestsPerSecond),
  }
  const refusing = { platform, mediumOf: findMedia(parts.routes) }
  const app = Fastify({
    logger: false,
    trustProxy: config.trustProxy.length ? config.trustProxy : false,
    bodyLimit: 1024 * 1024,
    // Clients that send headers and bodies too slowly are cut off (slowloris).
    requestTimeout: patience.requestMs,
    // Clients that do not read the response are cut off too.
    connectionTimeout: 30_000,
    http: { headersTimeout: patience.headersMs, connectionsCheckingInterval: patience.checkMs },
    keepAliveTimeout: 65_000,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId()
    },
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    clientErrorHandler: (_error, socket) => refuseUnreadable(config.baseUrl, socket),
    frameworkErrors: async (error, request, reply) =>
      answerProblem(refusing, (await refuseNetwork(pipeline, request)) ?? error, request, reply),
  })
  app.decorateRequest('state', null as unknown as RequestState)
  app.setSerializerCompiler(compileSerializer)
  addBodyParser(app, refusing.mediumOf)
  // Base URL: decides on HSTS, and is part of a problem's type before there is a request.
  const headers = securityHeaders(config.baseUrl)
  const findOther = otherMethods(parts.routes)
  app.addHook('onRequest', (request, reply, done) => {
    request.state = startRequest(request.id, statedEndUser(request))
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    const ambiguous = isAmbiguous(request) ? httpErrors.invalidRequest({ detail: 'Send one Host header.' }) : undefined
    const other = request.is404 ? findOther(request) : null
    request.state.otherMethodOf = other?.route ?? null
    const refusal = refuseNetwork(pipeline, request)
    if (refusal !== null) refusal.then(done, done)
    else done(ambiguous ?? other?.refusal ?? (hasEmptyParameter(request) ? httpErrors.notFound() : undefined))
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = routeNameOf(request)
    const durationMs = reply.elapsedTime
    if (request.state.deadline && reply.raw.writableFinished) request.state.deadline.isOver = true
    metrics.observeRequest(request.method, route, reply.statusCode, durationMs)
    if (platform.log.writes('info')) platform.log.info(requestLine(request, reply, route, durationMs), 'request')
    done()
  })
  app.setErrorHandler((error, request, reply) => answerProblem(refusing, error, request, reply))
  app.setNotFoundHandler((request, reply) => answerProblem(refusing, httpErrors.notFound(), request, reply))
  // The first address that people open.
  app.get('/', (_request, reply) => reply.redirect('/docs'))
  addRoutes(app, parts.routes, pipeline, parts.observeScim)
  return app
}

function addRoutes(
  app: FastifyInstance,
  routes: Route[],
  pipeline: Pipeline,
  observeScim: ServerParts['observeScim'],
): void {
  for (const route of routes) {
    const compiled = compileRoute(route, pipeline)
    const response = responsesOf(route)
    if (route.cors === 'origins' && route.auth !== 'user')
      throw new Error(`${route.method} ${route.path}: only a route of an end user has origins that may call it`)
    for (const path of routedPaths(route))
      app.route({
        method: route.method,
        // Load balancers and link checkers use HEAD (RFC 9110 §9.1). It runs the same pipeline without a body.
        exposeHeadRoute: route.method === 'GET',
        url: urlOf(path),
        bodyLimit: route.bodyLimit,
        config: { route },
        schema: { response },
        onRequest: compiled.onRequest,
        preHandler: compiled.preHandler,
        handler: compiled.handler,
        ...(route.auth === 'scim' ? { onSend: observer(observeScim) } : {}),
      })
  }
  for (const [path, served] of methodsByPath(routes)) {
    const { cors } = served.route
    const allow = allowOf(served)
    if (cors !== 'none') app.options(urlOf(path), (request, reply) => answerPreflight(cors, allow, request, reply))
  }
}

function observer(observe: ServerParts['observeScim']) {
  return async (request: FastifyRequest, reply: FastifyReply, answer: unknown) => {
    const { state, method, url, body } = request
    const { caller, route, code } = state
    if (caller?.kind === 'scim' && route)
      await observe(caller.directory, {
        ...{ method, url, body, code, route: route.path, status: reply.statusCode, origin: state.origin },
        answer: typeof answer === 'string' ? answer : '',
      })
    return answer
  }
}

/** RFC 9112 §3.2: if a request has two hosts, a proxy may have used the one that this service ignores. */
function isAmbiguous({ raw }: FastifyRequest): boolean {
  const { rawHeaders } = raw
  // Uses a loop instead of building a list, because this runs for every request.
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++
  return hosts > 1
}

function requestLine(
  { id, method, state, headers }: FastifyRequest,
  reply: FastifyReply,
  route: string,
  durationMs: number,
) {
  const { caller, code, origin } = state
  return {
    requestId: id,
    ...traceOf(headers),
    method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(caller ? { caller: caller.kind, [caller.kind === 'key' ? 'apiKeyId' : 'actorId']: caller.actor.id } : {}),
    ...(origin.backend?.id ? { apiKeyId: origin.backend.id } : {}),
    ...(code ? { code } : {}),
  }
}

function responsesOf(route: Route) {
  return Object.fromEntries(Object.entries(route.replies).map(([code, schema]) => [code, serializerSchema(schema)]))
}

/**
 * The only body parser. Parser and validator see the same value, and only types of the route's medium reach a handler.
 */
/** RFC 2046 §5.2.1. */
const MESSAGE_TYPE = /^message\/rfc822\s*(;|$)/i

function addBodyParser(app: FastifyInstance, mediumOf: MediumOf): void {
  app.removeAllContentTypeParsers()
  // Naming a common type avoids parsing the header.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, (request, text, done) => {
    const { route } = request.routeOptions.config
    const medium = route?.media ?? mediumOf(request)
    const { 'content-type': type = '' } = request.headers
    try {
      refuseEncoding(request)
      const field = MESSAGE_TYPE.test(type) ? (route?.messageField ?? null) : null
      done(null, field === null ? mediaOf(medium).read(type, text.toString()) : { [field]: text.toString() })
    } catch (error) {
      done(error instanceof Error ? error : new Error('The body could not be read'))
    }
  })
}

/** Compressed bodies are refused (RFC 9110 §15.5.16), because a few bytes may expand to gigabytes. */
function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return
  throw httpErrors.unsupportedMediaType({ detail: 'Send the body uncompressed, without Content-Encoding.' })
}

interface Refusing {
  platform: Platform
  mediumOf: MediumOf
}

/** Sends a refusal in the format of the request's medium. */
function answerProblem(
  { platform, mediumOf }: Refusing,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const problem = noteProblem(platform, error, request)
  const { headers, text } = mediaOf(mediumOf(request)).refuse(problem, request.id, rootPathOf(platform))
  // When a body is refused, the framework closes the connection. A proxy that is still sending would then report a
  // broken pipe instead of the response.
  if (Number(request.headers['content-length']) <= READ_AWAY) reply.removeHeader('connection')
  reply
    .code(problem.status)
    .headers({ 'x-request-id': request.id, 'cache-control': 'no-store', ...problem.headers, ...headers })
    .serializer((body: unknown) => String(body))
    .send(text)
}

/** Refuses what is not HTTP or arrives too slowly. There is no request yet, so the framework cannot respond. */
function refuseUnreadable(baseUrl: string, socket: Socket): void {
  if (!socket.writable) return
  const requestId = newRequestId()
  const { status, body } = toProblem(
    httpErrors.invalidRequest({ detail: 'The request is not valid HTTP, or was sent too slowly.' }),
    baseUrl,
    requestId,
  )
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    // Anything that the client still sends is ignored.
    () => socket.destroy(),
  )
}

function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
}

import { isIP, type Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { httpErrors } from '../errors.ts'
import { newRequestId } from '../ids.ts'
import type { Metrics } from '../metrics.ts'
import type { Platform } from '../platform.ts'
import type { FindApiKey } from './authenticate.ts'
import type { Directory } from './directory.ts'
import { addPages, type Page } from './pages.ts'
import { compileRoute, type Pipeline, type RequestState, startRequest } from './pipeline.ts'
import { noteProblem, toProblem } from './problem.ts'
import { keyLimiter } from './rate-limit.ts'
import { serializerSchema } from './reply-schema.ts'
import type { Method, Route, ServiceId } from './route.ts'

export interface ServerParts {
  platform: Platform
  routes: Route[]
  pages: Page[]
  metrics: Metrics
  findApiKey: FindApiKey
  isServiceEnabled(directory: Directory, service: ServiceId): Promise<boolean>
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/
const JSON_TYPE = /^application\/json(\s*;\s*charset=utf-8)?$/i
const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

/** Builds the public HTTP server: every route of the table behind the one pipeline. Does not listen. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const { platform, metrics } = parts
  const { config } = platform
  const app = Fastify({
    logger: false,
    trustProxy: config.trustProxy.length ? config.trustProxy : false,
    bodyLimit: 1024 * 1024,
    // Slow headers and bodies are cut off (slowloris).
    connectionTimeout: 0,
    requestTimeout: 30_000,
    http: { headersTimeout: 10_000 },
    keepAliveTimeout: 65_000,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId()
    },
    routerOptions: { maxParamLength: 200 },
    clientErrorHandler: (_error, socket) => refuseUnreadable(config.baseUrl, socket),
    frameworkErrors: (error, request, reply) => answerProblem(platform, error, request, reply),
  })
  const pipeline: Pipeline = { ...parts, limitKey: keyLimiter(config.keyRequestsPerSecond) }
  app.decorateRequest('state', null as unknown as RequestState)
  addBodyParser(app)
  const headers = securityHeaders(config.baseUrl)
  app.addHook('onRequest', (request, reply, done) => {
    request.state = startRequest(request.id, endUserOf(request))
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    if (!acceptsJson(request.headers.accept) && request.routeOptions.config.route) done(httpErrors.notAcceptable())
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { principal, route: known } = request.state
    const route = known?.path ?? request.routeOptions.url ?? 'none'
    const durationMs = reply.elapsedTime
    metrics.observeRequest(request.method, route, reply.statusCode, durationMs)
    platform.log.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(principal ? { apiKeyId: principal.apiKeyId } : {}),
        ...(request.state.code ? { code: request.state.code } : {}),
      },
      'request',
    )
    done()
  })
  app.setErrorHandler((error, request, reply) => answerProblem(platform, error, request, reply))
  app.setNotFoundHandler((request, reply) => answerProblem(platform, httpErrors.notFound(), request, reply))
  addPages(app, parts.pages, platform)
  // Where people look first.
  app.get('/', (_request, reply) => reply.redirect('/docs'))
  addRoutes(app, parts.routes, pipeline)
  return app
}

/** Every path a route answers at: versioned ones under `/api` and at the root. */
export function servedPaths(route: Route): string[] {
  return [route.path, ...route.aliases].flatMap((path) => (path.startsWith('/v1/') ? [path, `/api${path}`] : [path]))
}

function addRoutes(app: FastifyInstance, routes: Route[], pipeline: Pipeline): void {
  const taken = new Map<string, Set<Method>>()
  for (const route of routes) {
    const compiled = compileRoute(route, pipeline)
    for (const path of servedPaths(route)) {
      const methods = taken.get(path) ?? new Set()
      taken.set(path, methods.add(route.method))
      app.route({
        method: route.method,
        // Load balancers and link checkers ask with HEAD (RFC 9110 §9.1): the same pipeline, no body.
        exposeHeadRoute: route.method === 'GET',
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        bodyLimit: route.bodyLimit,
        config: { route },
        schema: { response: { 200: serializerSchema(route.reply) } },
        onRequest: compiled.onRequest,
        preHandler: compiled.preHandler,
        handler: compiled.handler,
      })
    }
  }
  for (const [path, methods] of taken) refuseOtherMethods(app, path, methods)
}

/** 405 with `Allow` where the path is known (RFC 9110 §15.5.6). */
function refuseOtherMethods(app: FastifyInstance, path: string, methods: Set<Method>): void {
  const allow = [...methods].join(', ')
  app.route({
    method: METHODS.filter((method) => !methods.has(method)),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: (_request, _reply, done) =>
      done(httpErrors.methodNotAllowed({ headers: { allow }, detail: `Use ${allow}.` })),
    handler: () => undefined,
  })
}

/**
 * Only `application/json`: parser and validator see the same value, and no other type reaches a handler unvalidated.
 * An empty body counts as `{}`, as clients send it for actions.
 */
function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const refuse = () => httpErrors.unsupportedMediaType({ detail: 'Send the body as application/json.' })
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined)
    const type = request.headers['content-type']
    if (type !== 'application/json' && !JSON_TYPE.test(type ?? '')) return done(refuse())
    try {
      done(null, JSON.parse(text.toString()))
    } catch {
      done(httpErrors.invalidJson())
    }
  })
  // An empty body needs no type.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) =>
    text === '' ? done(null, undefined) : done(refuse()),
  )
}

function answerProblem(platform: Platform, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = noteProblem(platform, error, request)
  reply
    .code(problem.status)
    .headers({ 'x-request-id': request.id, 'cache-control': 'no-store', ...problem.headers })
    .header('content-type', 'application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problem.body)
}

/** A request that is no HTTP, or too slow in coming: there is no request to answer through the framework. */
function refuseUnreadable(baseUrl: string, socket: Socket): void {
  if (!socket.writable) return
  const { status, body } = toProblem(
    httpErrors.invalidRequest({ detail: 'This is not HTTP.' }),
    baseUrl,
    newRequestId(),
  )
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
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

function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '*/*' || /\*\/\*|application\/(\*|json|problem\+json)/i.test(accept)
}

/** Who the customer's backend acts for. Used only once its key is verified. */
function endUserOf(request: FastifyRequest) {
  const ip = request.headers['x-end-user-ip']
  const userAgent = request.headers['x-end-user-agent']
  const trustedDevice = request.headers['x-trusted-device']
  return {
    ip: typeof ip === 'string' && isIP(ip) ? ip : null,
    userAgent: typeof userAgent === 'string' ? userAgent.slice(0, 512) : null,
    trustedDevice: typeof trustedDevice === 'string' ? trustedDevice : null,
  }
}

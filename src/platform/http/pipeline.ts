import type { FastifyReply, FastifyRequest } from 'fastify'
import { pauseDeadline, resumeDeadline, startDeadline } from '../db/deadline.ts'
import { untilDeadline } from '../db/lanes.ts'
import { ApiError, type FieldError, httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { authorizeWrite } from '../tenancy/account-writes.ts'
import { type Caller, isManager } from '../tenancy/caller.ts'
import { resolveDirectory } from '../tenancy/resolve-directory.ts'
import type { AccountWork, ReachWork, Work } from '../work.ts'
import { statusOf } from './answer.ts'
import { isLocal } from './client-address.ts'
import { asDeclaredError, checkEvents } from './declared.ts'
import { compileEntry, isAnonymous, peerOf } from './entry.ts'
import { runOnce } from './idempotency.ts'
import type { Pipeline, RequestState } from './request-state.ts'
import type { KeyedContext, RequestContext, Route } from './route.ts'
import { send, sendKept, serialize } from './send.ts'
import type { DirectoryMode } from './tenant-fields.ts'
import { compileValidator, isEmpty } from './validate.ts'

/**
 * The steps of a request, in this order: authenticate, authorize (both before a byte of the body is read), find the
 * directory, check the service, validate, idempotency, check the rule for a write of the account's records, handler,
 * reply filter.
 */
export function compileRoute(route: Route, pipeline: Pipeline) {
  const { onRequest, renew } = compileEntry(route, pipeline)
  const { platform } = pipeline
  const resolve = compileResolver(route, platform)
  const answer = compileAnswer(route, pipeline, renew)
  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const deadline = route.longRunning ? null : startDeadline(platform.database.requestMs)
      request.state.deadline = deadline
      await untilDeadline(deadline, () => onRequest(request, reply))
      // Receiving the body does not count toward the deadline.
      if (deadline) pauseDeadline(deadline)
    },

    async preHandler(request: FastifyRequest): Promise<void> {
      const { deadline } = request.state
      if (deadline) resumeDeadline(deadline)
      await untilDeadline(deadline, async () => {
        await renew(request)
        await resolve(request)
      })
    },

    handler: (request: FastifyRequest, reply: FastifyReply) =>
      untilDeadline(request.state.deadline, () => answer(request, reply)),
  }
}

/** The steps from `prepare` to the response. `renew` looks up the caller again if that was done a while ago. */
function compileAnswer(route: Route, pipeline: Pipeline, renew: (request: FastifyRequest) => Promise<void>) {
  const { platform } = pipeline
  const handle = compileHandler(route)

  async function renewCaller(request: FastifyRequest, context: HandlerContext): Promise<Caller | null> {
    const before = context.caller
    await renew(request)
    context.caller = request.state.caller
    // The directory was resolved for the caller's earlier rights.
    if (context.caller?.organizationId !== before?.organizationId)
      throw httpErrors.insufficientScope({
        detail: 'Your rights changed while the request was waiting. Send the request again.',
      })
    return context.caller
  }

  /** Runs the route's `prepare`, which may wait for another server. */
  async function prepare(request: FastifyRequest, context: HandlerContext, input: HandlerInput): Promise<unknown> {
    const prepared = await route.prepare?.(context, input)
    await renewCaller(request, context)
    return prepared
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller } = request.state
    const context: HandlerContext = {
      ...contextOf(request, platform),
      renewCaller: () => renewCaller(request, context),
    }
    const input = { params: request.params, query: request.query, body: request.body }
    const key = request.headers['idempotency-key']
    try {
      if (route.idempotency && typeof key === 'string' && caller && isManager(caller)) {
        const sent = { key, url: request.url, body: request.body }
        const answer = await runOnce({ platform, db: platform.db, caller }, route, sent, {
          prepare: () => prepare(request, context, input),
          renewCaller: () => renewCaller(request, context),
          async run(db, prepared) {
            const given = statusOf(await handle({ ...context, db }, input, prepared))
            return { status: given.code, headers: context.headers, body: serialize(route, reply, given) }
          },
        })
        if (!answer.replayed) checkEvents(route, platform, context.origin)
        return sendKept(route, reply, answer)
      }
      const answering = route.prepare
        ? async () => handle(context, input, await prepare(request, context, input))
        : () => handle(context, input)
      const takesTurn = isAnonymous(route) && !route.probe
      const answer = statusOf(await (takesTurn ? pipeline.anonymous.run(peerOf(request), answering) : answering()))
      checkEvents(route, platform, context.origin)
      return send(route, reply.headers(context.headers), answer, platform)
    } catch (error) {
      throw platform.strict && route.auth !== 'page' ? asDeclaredError(route, error) : error
    }
  }
}

/** The steps between body and handler: finds the directory that the request names, and validates the request. */
function compileResolver(route: Route, platform: Platform) {
  const validate = {
    params: compileValidator(route.params, 'params'),
    query: compileValidator(route.query, 'query'),
    body: route.body ? compileValidator(route.body, 'body') : null,
  }
  return async (request: FastifyRequest): Promise<void> => {
    const { caller } = request.state
    const body = request.body === undefined && route.body ? {} : request.body
    const check = () => {
      validate.params(request.params)
      validate.query(request.query)
      if (validate.body) validate.body(body)
      else if (body !== undefined && !(route.method !== 'DELETE' && isEmpty(body)))
        throw httpErrors.invalidRequest({ detail: 'This route does not accept a body.' })
      request.body = validate.body ? body : undefined
    }
    if (caller)
      try {
        request.state.place = await resolveDirectory(route, platform, caller, { query: request.query, body, check })
      } catch (error) {
        throw withMisspelt(error, [() => validate.query(request.query), () => validate.body?.(body)])
      }
    check()
  }
}

/** The route's handler. Before it runs, the rule for a write of the account's records is checked. */
function compileHandler(route: Route): Route['handle'] {
  const { ownerOf } = route
  if (!ownerOf) return (work, input, prepared) => route.handle(work, input, prepared)
  return async (work: RequestContext & Partial<KeyedContext<'account'>>, input, prepared) => {
    const { platform, caller } = work
    if (!caller || !work.account) throw new Error(`${route.operation} writes an account and has no caller`)
    const account = await authorizeWrite(platform, caller, work.account, await ownerOf(work, input))
    return route.handle(Object.assign({}, work, { account }), input, prepared)
  }
}

/**
 * Adds other faults to the error for a missing organization, because `subOrgId` may be misspelt or the body may not be
 * an object.
 */
function withMisspelt(error: unknown, checks: (() => void)[]): unknown {
  if (!(error instanceof ApiError) || error.definition.code !== httpErrors.subOrgRequired.code) return error
  const strange = checks.flatMap(faultsOf).filter(({ field, code }) => code === 'unknown_property' || field === '')
  if (strange.length === 0) return error
  const detail = [error.details.detail, ...strange.slice(0, 3).map(({ message }) => message)]
  const text = detail.map((sentence = '') => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`)).join(' ')
  return httpErrors.subOrgRequired({ detail: text, errors: strange })
}

function faultsOf(check: () => void): FieldError[] {
  try {
    check()
  } catch (error) {
    if (error instanceof ApiError) return error.details.errors ?? []
    throw error
  }
  return []
}

type HandlerContext = ReturnType<typeof contextOf> & { renewCaller(): Promise<Caller | null> }
type HandlerInput = Parameters<Route['handle']>[1]

/** The context for handlers of every kind of route. The types show each handler only what its kind has. */
function contextOf(request: FastifyRequest, platform: Platform): RequestContext & Pick<RequestState, 'caller'> {
  const { caller, place, origin, route } = request.state
  return {
    platform,
    origin,
    db: platform.db,
    requestId: request.id,
    host: () => request.hostname.toLowerCase(),
    queryText: () => request.url.split('?').slice(1).join('?'),
    headers: {},
    isLocal: route?.auth === 'page' && isLocal(request),
    accept: request.headers.accept ?? '',
    acceptLanguage: request.headers['accept-language'] ?? '',
    ifMatch: request.headers['if-match'] ?? null,
    ifNoneMatch: request.headers['if-none-match'] ?? null,
    caller,
    [route ? placeName(route.directory) : 'directory']: place,
  }
}

/** The name under which a handler finds its directory, reach or account. */
function placeName(mode: DirectoryMode): keyof (Work & ReachWork & AccountWork) {
  return mode === 'reach' || mode === 'account' ? mode : 'directory'
}

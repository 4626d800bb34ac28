import type { IncomingRequest } from './request.ts'
import { checkRequirements, type Requirements } from './requirements.ts'
import {
  type EventHandler,
  type Refusal,
  readDelivery,
  readOwnSession,
  receiveWebhook,
  refusalOf,
  refusalOfSession,
} from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'
import { keysOf } from './webhooks.ts'

export type { Refusal } from './respond.ts'

/** The parts of an Express request that this package needs. */
export interface ExpressRequest extends IncomingRequest, AsyncIterable<Uint8Array> {
  headers: Record<string, string | string[] | undefined>
  /** The body that a parser has read, if there is one. */
  body?: unknown
}

/** The parts of an Express response that this package needs. */
export interface ExpressResponse {
  locals: Record<string, unknown>
  headersSent?: boolean
  append(name: string, value: string): unknown
  set(name: string, value: string): unknown
  status(code: number): { json(body: unknown): unknown; end(): unknown }
}

export type ExpressHandler<Req = ExpressRequest, Res = ExpressResponse> = (
  req: Req,
  res: Res,
  next: (error?: unknown) => void,
) => Promise<void>

export type ExpressErrorHandler<Req, Res> = (
  error: unknown,
  req: Req,
  res: Res,
  next: (error?: unknown) => void,
) => Promise<void>

/** How your application responds to refused requests. */
export interface Responses<Req, Res> {
  /**
   * Responds to a request without a session, for example with a redirect to the sign-in. By default it is handled like
   * other refusals.
   */
  signedOut?: ((req: Req, res: Res) => unknown) | undefined
  /** Responds to a refusal, for example with a page. By default, sends its status with its body as JSON. */
  refused?: ((req: Req, res: Res, refusal: Refusal) => unknown) | undefined
  /** Receives the error behind a 503, for your log. Default: `console.error`. */
  report?: ((error: unknown) => void) | undefined
}

/**
 * Admits requests with a session, refreshes it and sets `res.locals.session`. Requests without a session get 401 or go
 * to `signedOut`. Changes that come from another site get 403. While Watchword is unreachable, every request gets 503.
 * For Express 5.
 */
export function requireSession<Req extends IncomingRequest, Res extends ExpressResponse>(
  sessions: Sessions,
  responses: Responses<Req, Res> = {},
): ExpressHandler<Req, Res> {
  return async (req, res, next) => {
    const { session, setCookie, refusal } = await readOwnSession(sessions, req)
    if (session) {
      keep(res, setCookie)
      res.locals['session'] = session
      next()
    } else await refuse(req, res, { refusal, setCookie }, responses)
  }
}

/** Lets requests pass whose user has the permission, or all of a list. Others get 403. Put it behind {@link requireSession}. */
export function requirePermission<Req extends IncomingRequest, Res extends ExpressResponse>(
  permission: string | readonly string[],
  responses: Responses<Req, Res> = {},
): ExpressHandler<Req, Res> {
  return requireOfSession({ permission }, responses)
}

/**
 * Lets requests pass whose user signed in or stepped up within so many seconds. Others get 403 with the code `step_up_required`. Put it
 * behind {@link requireSession}.
 */
export function requireRecent<Req extends IncomingRequest, Res extends ExpressResponse>(
  seconds: number,
  responses: Responses<Req, Res> = {},
): ExpressHandler<Req, Res> {
  return requireOfSession({ recent: seconds }, responses)
}

function requireOfSession<Req extends IncomingRequest, Res extends ExpressResponse>(
  requirements: Requirements,
  responses: Responses<Req, Res>,
): ExpressHandler<Req, Res> {
  checkRequirements(requirements)
  return async (req, res, next) => {
    const refusal = refusalOfSession(sessionOf(res), requirements)
    if (refusal) await refuse(req, res, { refusal, setCookie: null }, responses)
    else next()
  }
}

/**
 * Admits changes only from a page of your application. For routes without {@link requireSession}, such as the routes
 * of the sign-in.
 */
export function requireSameOrigin<Req extends IncomingRequest, Res extends ExpressResponse>(
  sessions: Sessions,
  responses: Responses<Req, Res> = {},
): ExpressHandler<Req, Res> {
  return async (req, res, next) => {
    try {
      sessions.assertSameOrigin(req)
    } catch (error) {
      return watchwordErrors(sessions, responses)(error, req, res, next)
    }
    next()
  }
}

/**
 * Handles Watchword's errors that your handlers throw. Put it after your routes.
 * - An error that the person can fix: Watchword's status, with its `code` and `detail`.
 * - An ended session: 401, and the browser's cookie is removed.
 * - Watchword refuses your API key or is unreachable: 503.
 * - Any other error: passed to the next error handler.
 */
export function watchwordErrors<Req extends IncomingRequest, Res extends ExpressResponse>(
  sessions: Sessions,
  responses: Responses<Req, Res> = {},
): ExpressErrorHandler<Req, Res> {
  // Express recognizes an error handler by its four parameters.
  return async (error, req, res, next) => {
    const found = res.headersSent ? null : await refusalOf(error, sessions, req)
    if (found) await refuse(req, res, found, responses)
    else next(error)
  }
}

function keep(res: ExpressResponse, setCookie: string | null): void {
  if (setCookie === null) return
  res.append('set-cookie', setCookie)
  res.set('cache-control', 'no-store')
}

async function refuse<Req, Res extends ExpressResponse>(
  req: Req,
  res: Res,
  { refusal, setCookie }: { refusal: Refusal; setCookie: string | null },
  // biome-ignore lint/suspicious/noConsole: the log of the application, unless it names another one.
  { signedOut, refused, report = console.error }: Responses<Req, Res>,
): Promise<void> {
  const { status, body, cause } = refusal
  keep(res, setCookie)
  if (status === 503) report(cause)
  if (status === 401 && signedOut) await signedOut(req, res)
  else if (refused) await refused(req, res, refusal)
  else res.status(status).json(body)
}

/** The session that {@link requireSession} has found. Throws if the route has no `requireSession`. */
export function sessionOf(res: Pick<ExpressResponse, 'locals'>): ActiveSession {
  const session = res.locals['session'] as ActiveSession | undefined
  if (!session) throw new Error('Put requireSession before this handler.')
  return session
}

/**
 * Receives the deliveries of a webhook. `handle` gets each event, possibly more than once, so remember its `id`. After
 * `handle` has returned, the response is 204. If it throws, Watchword sends the event again. Put this before body
 * parsers, or after `express.raw`.
 */
export function webhook(
  secret: string | readonly string[],
  handle: EventHandler,
  // biome-ignore lint/suspicious/noConsole: the log of the application, unless it names another one.
  { report = console.error }: Pick<Responses<ExpressRequest, ExpressResponse>, 'report'> = {},
): ExpressHandler {
  keysOf(secret)
  return async (req, res) => {
    const body = await rawBodyOf(req)
    if (body === null) {
      res.status(413).end()
      return
    }
    const refusal = await receiveWebhook({ headers: req.headers, body }, secret, handle)
    if (refusal?.cause) report(refusal.cause)
    if (refusal) res.status(refusal.status).json(refusal.body)
    else res.status(204).end()
  }
}

/**
 * The body as it arrived, or null if it is too large. A body that a parser has changed is returned too, and then
 * refused.
 */
async function rawBodyOf(req: ExpressRequest): Promise<Uint8Array | null> {
  if (req.body !== undefined) return req.body as Uint8Array
  return readDelivery(req)
}

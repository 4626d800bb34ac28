import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import { type Refusal, readDelivery, readOwnSession, receiveWebhook, refusalOf } from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

export type { Refusal } from './respond.ts'

/** What this needs of a request of Express. */
export interface ExpressRequest extends IncomingRequest, AsyncIterable<Uint8Array> {
  headers: Record<string, string | string[] | undefined>
  /** What a body parser has left, if there is one. */
  body?: unknown
}

/** What this needs of a response of Express. */
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

/** How an application answers requests that are refused. */
export interface Responses<Req, Res> {
  /** The response to a request without a session, such as a redirect to the sign-in. Default: as to other refusals. */
  signedOut?: ((req: Req, res: Res) => unknown) | undefined
  /** The response to a refusal, such as a page. Default: its status, with its body as JSON. */
  refused?: ((req: Req, res: Res, refusal: Refusal) => unknown) | undefined
  /** Gets the error behind a 503, for your log. Default: `console.error`. */
  report?: ((error: unknown) => void) | undefined
}

/**
 * Lets requests pass that have a session, as `res.locals.session`, and refreshes it. Others get 401, or go to `signedOut`.
 * A change that comes from another site gets 403, and every request 503 while Watchword is unreachable. For Express 5.
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

/**
 * Lets a change pass only if it comes from a page of your application. For routes without {@link requireSession}, such as those of the
 * sign-in.
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
 * Answers errors of Watchword that your handlers throw. What the person can mend is answered as Watchword did, with its `code` and
 * `detail`; a session that has ended with 401, and the browser forgets it. If Watchword refuses your API key or is unreachable, the
 * answer is 503. Other errors go on to the next error handler. Put it after your routes.
 */
export function watchwordErrors<Req extends IncomingRequest, Res extends ExpressResponse>(
  sessions: Sessions,
  responses: Responses<Req, Res> = {},
): ExpressErrorHandler<Req, Res> {
  // Express knows an error handler by its four parameters.
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

/** The session that {@link requireSession} has found. Throws where it does not stand before. */
export function sessionOf(res: Pick<ExpressResponse, 'locals'>): ActiveSession {
  const session = res.locals['session'] as ActiveSession | undefined
  if (!session) throw new Error('Put requireSession before this handler.')
  return session
}

/**
 * Receives the deliveries of a webhook. `handle` gets each event, perhaps more than once: remember its `id`. The response is 204
 * once it has returned; if it throws, Watchword sends the event again. Put it before body parsers, or behind `express.raw`.
 */
export function webhook(
  secret: string | readonly string[],
  handle: (event: AnyEvent) => void | Promise<void>,
): ExpressHandler {
  return async (req, res) => {
    const body = await rawBodyOf(req)
    if (body === null) {
      res.status(413).end()
      return
    }
    const refusal = await receiveWebhook({ headers: req.headers, body }, secret, handle)
    if (refusal) res.status(refusal.status).json(refusal.body)
    else res.status(204).end()
  }
}

/** The body as it arrived, or null if it is too large. What a parser has made of it is handed on, and refused. */
async function rawBodyOf(req: ExpressRequest): Promise<Uint8Array | null> {
  if (req.body !== undefined) return req.body as Uint8Array
  return readDelivery(req)
}

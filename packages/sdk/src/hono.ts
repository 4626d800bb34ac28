import { receiveDelivery } from './fetch.ts'
import type { IncomingRequest } from './request.ts'
import { checkRequirements, type Requirements } from './requirements.ts'
import {
  type EventHandler,
  type Refusal,
  readOwnSession,
  refusalOf,
  refusalOfOrigin,
  refusalOfSession,
  setsCookie,
  withCookie,
} from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'
import { keysOf } from './webhooks.ts'

export type { Refusal } from './respond.ts'

/** The parts of a Hono context that this package needs. */
export interface HonoContext {
  req: { raw: Request }
  res: Response
  header(name: string, value: string, options?: { append?: boolean }): void
  redirect(location: string): Response
}

/** How your application responds to refused requests. */
export interface Responses<C> {
  /** The end user's address, for example `(c) => getConnInfo(c).remote.address`. */
  ip?: (c: C) => string | undefined
  /**
   * Responds to a request without a session, for example with a redirect to the sign-in. By default it is handled like
   * other refusals.
   */
  signedOut?: (c: C) => Response | Promise<Response>
  /** Responds to a refusal, for example with a page. By default, sends its status with its body as JSON. */
  refused?: (c: C, refusal: Refusal) => Response | Promise<Response>
  /** Receives the error behind a 503, for your log. Default: `console.error`. */
  report?: (error: unknown) => void
}

type Middleware<C> = (c: C, next: () => Promise<void>) => Promise<Response | undefined>

const found = new WeakMap<object, ActiveSession>()

/**
 * Admits requests with a session and refreshes it. Handlers read it with `sessionOf(c)`. Requests without a session
 * get 401 or the response of `signedOut`. Changes that come from another site get 403. While Watchword is unreachable,
 * every request gets 503.
 */
export function requireSession<C extends HonoContext>(sessions: Sessions, responses: Responses<C> = {}): Middleware<C> {
  return async (c, next) => {
    const { session, setCookie, refusal } = await readOwnSession(sessions, requestOf(c, responses))
    if (!session) return refuse(c, { refusal, setCookie }, responses)
    found.set(c, session)
    await next()
    if (setCookie !== null && !setsCookie(c.res.headers, setCookie)) {
      // Set after the handler, because a handler that returns its own `Response` discards headers that were set
      // before.
      c.header('set-cookie', setCookie, { append: true })
      c.header('cache-control', 'no-store')
    }
    return undefined
  }
}

/** Lets requests pass whose user has the permission, or all of a list. Others get 403. Put it behind {@link requireSession}. */
export function requirePermission<C extends HonoContext>(
  permission: string | readonly string[],
  responses: Responses<C> = {},
): Middleware<C> {
  return requireOfSession({ permission }, responses)
}

/**
 * Lets requests pass whose user signed in or stepped up within so many seconds. Others get 403 with the code `step_up_required`. Put it
 * behind {@link requireSession}.
 */
export function requireRecent<C extends HonoContext>(seconds: number, responses: Responses<C> = {}): Middleware<C> {
  return requireOfSession({ recent: seconds }, responses)
}

function requireOfSession<C extends HonoContext>(requirements: Requirements, responses: Responses<C>): Middleware<C> {
  checkRequirements(requirements)
  return async (c, next) => {
    const refusal = refusalOfSession(sessionOf(c), requirements)
    if (refusal) return refuse(c, { refusal, setCookie: null }, responses)
    await next()
    return undefined
  }
}

/**
 * Admits changes only from a page of your application. For routes without {@link requireSession}, such as the routes
 * of the sign-in.
 */
export function requireSameOrigin<C extends HonoContext>(
  sessions: Sessions,
  responses: Responses<C> = {},
): Middleware<C> {
  return async (c, next) => {
    const refusal = refusalOfOrigin(sessions, requestOf(c, responses))
    if (refusal) return refuse(c, { refusal, setCookie: null }, responses)
    await next()
    return undefined
  }
}

/**
 * Handles Watchword's errors that your handlers throw. For `onError`.
 * - An error that the person can fix: Watchword's status, with its `code` and `detail`.
 * - An ended session: 401, and the browser's cookie is removed.
 * - Watchword refuses your API key or is unreachable: 503.
 * - Any other error: `otherwise` responds. By default the error is reported and the response is 500.
 */
export function watchwordErrors<C extends HonoContext>(
  sessions: Sessions,
  responses: Responses<C> & { otherwise?: (error: Error, c: C) => Response | Promise<Response> } = {},
): (error: Error, c: C) => Promise<Response> {
  return async (error, c) => {
    const answer = await refusalOf(error, sessions, requestOf(c, responses))
    if (answer) return refuse(c, answer, responses)
    if (responses.otherwise) return responses.otherwise(error, c)
    // Hono's `HTTPException`.
    if ('getResponse' in error && typeof error.getResponse === 'function') return error.getResponse()
    reportBy(responses)(error)
    return new Response('Internal Server Error', { status: 500 })
  }
}

function requestOf<C extends HonoContext>(c: C, { ip }: Responses<C>): IncomingRequest {
  const { headers, method } = c.req.raw
  return { headers, method, ip: ip?.(c) }
}

async function refuse<C extends HonoContext>(
  c: C,
  { refusal, setCookie }: { refusal: Refusal; setCookie: string | null },
  responses: Responses<C>,
): Promise<Response> {
  const { status, body, cause } = refusal
  const { signedOut, refused } = responses
  if (status === 503) reportBy(responses)(cause)
  if (status === 401 && signedOut) return withCookie(await signedOut(c), setCookie)
  return withCookie(refused ? await refused(c, refusal) : Response.json(body, { status }), setCookie)
}

// biome-ignore lint/suspicious/noConsole: the log of the application, unless it names another one.
const reportBy = ({ report = console.error }: { report?: (error: unknown) => void }) => report

/** The session that {@link requireSession} has found. Throws if the route has no `requireSession`. */
export function sessionOf(c: HonoContext): ActiveSession {
  const session = found.get(c)
  if (!session) throw new Error('Put requireSession before this handler.')
  return session
}

/**
 * Receives the deliveries of a webhook. `handle` gets each event, possibly more than once, so remember its `id`. After
 * `handle` has returned, the response is 204. If it throws, Watchword sends the event again.
 */
export function webhook(
  secret: string | readonly string[],
  handle: EventHandler,
): (c: HonoContext) => Promise<Response> {
  keysOf(secret)
  return async (c) => receiveDelivery(c.req.raw, secret, handle)
}

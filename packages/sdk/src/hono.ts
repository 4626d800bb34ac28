import { receiveDelivery } from './fetch.ts'
import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import { type Refusal, readOwnSession, refusalOf, refusalOfOrigin, setsCookie, withCookie } from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

export type { Refusal } from './respond.ts'

/** What this needs of a context of Hono. */
export interface HonoContext {
  req: { raw: Request }
  res: Response
  header(name: string, value: string, options?: { append?: boolean }): void
  redirect(location: string): Response
}

/** How an application answers requests that are refused. */
export interface Responses<C> {
  /** The address of the end user, such as `(c) => getConnInfo(c).remote.address`. */
  ip?: (c: C) => string | undefined
  /** The response to a request without a session, such as a redirect to the sign-in. Default: as to other refusals. */
  signedOut?: (c: C) => Response | Promise<Response>
  /** The response to a refusal, such as a page. Default: its status, with its body as JSON. */
  refused?: (c: C, refusal: Refusal) => Response | Promise<Response>
  /** Gets the error behind a 503, for your log. Default: `console.error`. */
  report?: (error: unknown) => void
}

type Middleware<C> = (c: C, next: () => Promise<void>) => Promise<Response | undefined>

const found = new WeakMap<object, ActiveSession>()

/**
 * Lets requests pass that have a session, as `sessionOf(c)`, and refreshes it. Others get 401, or what `signedOut` returns. A change
 * that comes from another site gets 403, and every request 503 while Watchword is unreachable.
 */
export function requireSession<C extends HonoContext>(sessions: Sessions, responses: Responses<C> = {}): Middleware<C> {
  return async (c, next) => {
    const { session, setCookie, refusal } = await readOwnSession(sessions, requestOf(c, responses))
    if (!session) return refuse(c, { refusal, setCookie }, responses)
    found.set(c, session)
    await next()
    if (setCookie !== null && !setsCookie(c.res.headers, setCookie)) {
      // Afterwards: a handler that returns a `Response` of its own discards what was set before.
      c.header('set-cookie', setCookie, { append: true })
      c.header('cache-control', 'no-store')
    }
    return undefined
  }
}

/**
 * Lets a change pass only if it comes from a page of your application. For routes without {@link requireSession}, such as those of the
 * sign-in.
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
 * For `onError`: answers errors of Watchword that your handlers throw. What the person can mend is answered as Watchword did, with its
 * `code` and `detail`; a session that has ended with 401, and the browser forgets it. If Watchword refuses your API key or is
 * unreachable, the answer is 503. `otherwise` answers other errors. By default they are reported, with 500 as the answer.
 */
export function watchwordErrors<C extends HonoContext>(
  sessions: Sessions,
  responses: Responses<C> & { otherwise?: (error: Error, c: C) => Response | Promise<Response> } = {},
): (error: Error, c: C) => Promise<Response> {
  return async (error, c) => {
    const answer = await refusalOf(error, sessions, requestOf(c, responses))
    if (answer) return refuse(c, answer, responses)
    if (responses.otherwise) return responses.otherwise(error, c)
    // The `HTTPException` of Hono.
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

/** The session that {@link requireSession} has found. Throws where it does not stand before. */
export function sessionOf(c: HonoContext): ActiveSession {
  const session = found.get(c)
  if (!session) throw new Error('Put requireSession before this handler.')
  return session
}

/**
 * Receives the deliveries of a webhook. `handle` gets each event, perhaps more than once: remember its `id`. The response is 204
 * once it has returned; if it throws, Watchword sends the event again.
 */
export function webhook(
  secret: string | readonly string[],
  handle: (event: AnyEvent) => void | Promise<void>,
): (c: HonoContext) => Promise<Response> {
  return async (c) => receiveDelivery(c.req.raw, secret, handle)
}

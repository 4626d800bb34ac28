import { receiveDelivery } from './fetch.ts'
import type { AnyEvent } from './gen/schemas.gen.ts'
import { readOwnSession, withCookie } from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

/** What this needs of a context of Hono. */
export interface HonoContext {
  req: { raw: Request }
  header(name: string, value: string, options?: { append?: boolean }): void
  redirect(location: string): Response
}

export interface RequireSessionOptions<C> {
  /** The address of the end user, such as `(c) => getConnInfo(c).remote.address`. */
  ip?: (c: C) => string | undefined
  /** The response to a request without a session. Default: 401. */
  signedOut?: (c: C) => Response | Promise<Response>
}

const found = new WeakMap<object, ActiveSession>()

/**
 * Lets requests pass that have a session, as `sessionOf(c)`, and refreshes it. Others get 401, or what `signedOut` returns. A change
 * that comes from another site gets 403, and every request 503 while Watchword is unreachable.
 */
export function requireSession<C extends HonoContext>(
  sessions: Sessions,
  { ip, signedOut }: RequireSessionOptions<C> = {},
): (c: C, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (c, next) => {
    const { headers, method } = c.req.raw
    const { session, setCookie, refusal } = await readOwnSession(sessions, { headers, method, ip: ip?.(c) })
    if (!session) {
      const isSignedOut = refusal.status === 401 && signedOut
      const response = isSignedOut ? await signedOut(c) : Response.json(refusal.body, { status: refusal.status })
      return withCookie(response, setCookie)
    }
    found.set(c, session)
    await next()
    if (setCookie !== null) {
      // Afterwards: a handler that returns a `Response` of its own discards what was set before.
      c.header('set-cookie', setCookie, { append: true })
      c.header('cache-control', 'no-store')
    }
    return undefined
  }
}

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

import { ConnectionError, WatchwordError } from './errors.ts'
import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import {
  type ActiveSession,
  CrossSiteError,
  type ReadSession,
  type Sessions,
  SessionUnavailableError,
} from './sessions.ts'
import { TokenError } from './tokens.ts'
import { verifyWebhook, WebhookError } from './webhooks.ts'

/** What a request that is refused is answered with. */
export interface Refusal {
  status: number
  /** JSON for a page of yours: after a refusal of Watchword its problem. */
  body: { code: string; detail: string }
  /** With 503: the error, which the person should not see. */
  cause?: unknown
}

interface Passed extends ReadSession {
  session: ActiveSession
  refusal: null
}

interface Refused extends ReadSession {
  session: null
  refusal: Refusal
}

/** The refusal of a change that does not come from a page of the application, or null. */
export function refusalOfOrigin(sessions: Sessions, request: IncomingRequest): Refusal | null {
  try {
    sessions.assertSameOrigin(request)
    return null
  } catch (error) {
    if (!(error instanceof CrossSiteError)) throw error
    return crossSite(error)
  }
}

/** Reads the session of a request that comes from a page of the application. Other requests get a refusal. */
export async function readOwnSession(sessions: Sessions, request: IncomingRequest): Promise<Passed | Refused> {
  const foreign = refusalOfOrigin(sessions, request)
  if (foreign) return { session: null, setCookie: null, refusal: foreign }
  try {
    const { session, setCookie } = await sessions.read(request)
    if (session) return { session, setCookie, refusal: null }
    return { session, setCookie, refusal: NOT_SIGNED_IN }
  } catch (error) {
    if (!(error instanceof SessionUnavailableError)) throw error
    return { session: null, setCookie: error.setCookie, refusal: unavailable(error, error.code) }
  }
}

/** Whether a response sets the cookie already, such as that of a handler that signed the person out. It must stay the last one. */
export function setsCookie(headers: Headers, setCookie: string): boolean {
  const name = setCookie.slice(0, setCookie.indexOf('=') + 1)
  return headers.getSetCookie().some((one) => one.startsWith(name))
}

/** The response with the `Set-Cookie` of a session, if there is one and the response has none of that name. */
export function withCookie(response: Response, setCookie: string | null): Response {
  if (setCookie === null || setsCookie(response.headers, setCookie)) return response
  // The headers of a response may be immutable, as those of `Response.redirect` are.
  const copy = new Response(response.body, response)
  copy.headers.append('set-cookie', setCookie)
  copy.headers.set('cache-control', 'no-store')
  return copy
}

const NOT_SIGNED_IN: Refusal = { status: 401, body: { code: 'not_signed_in', detail: 'Sign in first.' } }

const crossSite = ({ code, message }: CrossSiteError): Refusal => ({ status: 403, body: { code, detail: message } })

const unavailable = (cause: unknown, code = 'unavailable'): Refusal => ({
  status: 503,
  body: { code, detail: 'Please try again.' },
  cause,
})

/** The longest body of a delivery. Deliveries are far smaller, but anyone can send a body, and it is read before its signature is checked. */
export const MAX_DELIVERY_BYTES = 1024 * 1024

/** The chunks of a body as one, or null if it is longer than any delivery. */
export async function readDelivery(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | null> {
  const read: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > MAX_DELIVERY_BYTES) return null
    read.push(chunk)
  }
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of read) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

/** What an error of this package is answered with, or null if it is another error. Ends a session that is over at Watchword. */
export async function refusalOf(
  error: unknown,
  sessions: Sessions,
  request: IncomingRequest,
): Promise<{ refusal: Refusal; setCookie: string | null } | null> {
  if (error instanceof CrossSiteError) return { refusal: crossSite(error), setCookie: null }
  if (error instanceof SessionUnavailableError)
    return { refusal: unavailable(error, error.code), setCookie: error.setCookie }
  const isUnreachable = error instanceof TokenError && error.code.endsWith('_unavailable')
  if (error instanceof ConnectionError || isUnreachable) return { refusal: unavailable(error), setCookie: null }
  if (!(error instanceof WatchwordError)) return null
  if (error.code === 'access_token_invalid')
    return { refusal: NOT_SIGNED_IN, setCookie: (await sessions.end(request)).setCookie }
  const refusal = error.isInternal ? unavailable(error) : { status: error.status, body: error.problem }
  return { refusal, setCookie: null }
}

/** Verifies a delivery and hands its event on. Returns the refusal of one that is not genuine. What the handler throws is thrown. */
export async function receiveWebhook(
  request: Pick<IncomingRequest, 'headers'> & { body: string | Uint8Array | ArrayBuffer },
  secret: string | readonly string[],
  handle: (event: AnyEvent) => void | Promise<void>,
): Promise<Refusal | null> {
  let event: AnyEvent
  try {
    event = await verifyWebhook(request.body, request.headers, secret)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return { status: 400, body: { code: error.code, detail: error.message } }
  }
  await handle(event)
  return null
}

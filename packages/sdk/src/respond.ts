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

/** The response to a refused request. */
export interface Refusal {
  status: number
  /** JSON for your page. If Watchword refused, its problem. */
  body: { code: string; detail: string }
  /** For a 503: the error, which the person should not see. */
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

/** Reads the session of a request from a page of the application. Refuses other requests. */
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

/**
 * Whether a response already sets the cookie, for example because its handler signed the person out. That value must
 * remain the last one.
 */
export function setsCookie(headers: Headers, setCookie: string): boolean {
  const name = setCookie.slice(0, setCookie.indexOf('=') + 1)
  return headers.getSetCookie().some((one) => one.startsWith(name))
}

/** The response with a session's `Set-Cookie`, if there is one and the response sets no cookie with that name. */
export function withCookie(response: Response, setCookie: string | null): Response {
  if (setCookie === null || setsCookie(response.headers, setCookie)) return response
  // A response's headers may be immutable, for example those of `Response.redirect`.
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

/**
 * The longest body of a delivery. Deliveries are much smaller, but anyone can send a body, which is read before its
 * signature is checked.
 */
export const MAX_DELIVERY_BYTES = 1024 * 1024

/** Joins the chunks of a body. Returns null if it is longer than any delivery. */
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

/**
 * The response to an error of this package, or null for any other error. Ends a session that has ended at Watchword.
 */
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

/**
 * Verifies a delivery and passes on its event. Returns a refusal if the delivery is not genuine. An error of the
 * handler is thrown.
 */
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

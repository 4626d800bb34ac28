import { ConnectionError, WatchwordError } from './errors.ts'
import type { IncomingRequest } from './request.ts'
import { assertAllowed, ForbiddenError, type Requirements } from './requirements.ts'
import {
  type ActiveSession,
  CrossSiteError,
  type ReadSession,
  type Sessions,
  SessionUnavailableError,
} from './sessions.ts'
import { TokenError } from './tokens.ts'
import { type DeliveredEvent, verifyWebhook, WebhookError } from './webhooks.ts'

/** The response to a refused request. */
export interface Refusal {
  status: number
  /**
   * JSON for a page of yours. `title` says in a few English words what is wrong, and `detail` what a developer can do about it. After a
   * refusal of Watchword, it also has `request_id`, and the members of the code, such as `retry_after`.
   */
  body: { code: string; title: string; detail: string; [member: string]: unknown }
  /** With 503, and if a webhook is registered in the wrong place: the error, for your log. */
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

const NOT_SIGNED_IN: Refusal = {
  status: 401,
  body: { code: 'not_signed_in', title: 'Not signed in', detail: 'Sign in first.' },
}

const crossSite = ({ code, message: detail }: CrossSiteError): Refusal => ({
  status: 403,
  body: { code, title: 'Request from another site', detail },
})

const unavailable = (cause: unknown, code = 'unavailable'): Refusal => ({
  status: 503,
  body: { code, title: 'Temporarily unavailable', detail: 'Please try again.' },
  cause,
})

const TITLES = { permission_missing: 'Permission missing', step_up_required: 'Step-up required' }

const forbidden = ({ code, message: detail, withinSeconds }: ForbiddenError): Refusal => ({
  status: 403,
  // As Watchword names it, so that a page treats both alike.
  body: { code, title: TITLES[code], detail, ...(withinSeconds === null ? {} : { within_seconds: withinSeconds }) },
})

/** What a person gets of a refusal of Watchword: neither the URL of your Watchword in `type`, nor a token that is for your backend. */
function refusedByWatchword({ status, problem }: WatchwordError): Refusal {
  const {
    type: _type,
    status: _status,
    token_hash: _token,
    ...body
  } = problem as typeof problem & { token_hash?: unknown }
  return { status, body }
}

/** The refusal of a session that does not suffice, or null. */
export function refusalOfSession(session: ActiveSession, requirements: Requirements): Refusal | null {
  try {
    assertAllowed(session, requirements)
    return null
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error
    return forbidden(error)
  }
}

/** The longest body of a delivery. Deliveries are far smaller, but anyone can send a body, and it is read before its signature is checked. */
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
  if (error instanceof ForbiddenError) return { refusal: forbidden(error), setCookie: null }
  if (error instanceof SessionUnavailableError)
    return { refusal: unavailable(error, error.code), setCookie: error.setCookie }
  const isUnreachable = error instanceof TokenError && error.code.endsWith('_unavailable')
  if (error instanceof ConnectionError || isUnreachable) return { refusal: unavailable(error), setCookie: null }
  if (!(error instanceof WatchwordError)) return null
  if (error.code === 'access_token_invalid')
    return { refusal: NOT_SIGNED_IN, setCookie: (await sessions.end(request)).setCookie }
  const refusal = error.isInternal ? unavailable(error) : refusedByWatchword(error)
  return { refusal, setCookie: null }
}

/** What takes the events of a webhook. It may get an event more than once. */
export type EventHandler = (event: DeliveredEvent) => void | Promise<void>

/** Verifies a delivery and hands its event on. Returns the refusal of one that is not genuine. What the handler throws is thrown. */
export async function receiveWebhook(
  request: Pick<IncomingRequest, 'headers'> & { body: string | Uint8Array | ArrayBuffer },
  secret: string | readonly string[],
  handle: EventHandler,
): Promise<Refusal | null> {
  let event: DeliveredEvent
  try {
    event = await verifyWebhook(request.body, request.headers, secret)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    const { code, message: detail } = error
    const refusal = { status: 400, body: { code, title: 'The delivery is not accepted', detail } }
    // The application has registered it in the wrong place.
    return code === 'body_not_raw' ? { ...refusal, cause: error } : refusal
  }
  await handle(event)
  return null
}

import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import {
  type ActiveSession,
  CrossSiteError,
  type ReadSession,
  type Sessions,
  SessionUnavailableError,
} from './sessions.ts'
import { verifyWebhook, WebhookError } from './webhooks.ts'

/** What a request without access is answered with. */
export interface Refusal {
  status: 400 | 401 | 403 | 503
  body: { code: string; detail: string }
}

interface Passed extends ReadSession {
  session: ActiveSession
  refusal: null
}

interface Refused extends ReadSession {
  session: null
  refusal: Refusal
}

/** Reads the session of a request that comes from a page of the application. Other requests get a refusal. */
export async function readOwnSession(sessions: Sessions, request: IncomingRequest): Promise<Passed | Refused> {
  try {
    sessions.assertSameOrigin(request)
  } catch (error) {
    if (!(error instanceof CrossSiteError)) throw error
    const refusal = { status: 403 as const, body: { code: error.code, detail: error.message } }
    return { session: null, setCookie: null, refusal }
  }
  try {
    const { session, setCookie } = await sessions.read(request)
    if (session) return { session, setCookie, refusal: null }
    const refusal = { status: 401 as const, body: { code: 'not_signed_in', detail: 'Sign in first.' } }
    return { session, setCookie, refusal }
  } catch (error) {
    if (!(error instanceof SessionUnavailableError)) throw error
    const refusal = { status: 503 as const, body: { code: error.code, detail: 'Please try again.' } }
    return { session: null, setCookie: error.setCookie, refusal }
  }
}

/** The response with the `Set-Cookie` of a session, if there is one. */
export function withCookie(response: Response, setCookie: string | null): Response {
  if (setCookie === null) return response
  // The headers of a response may be immutable, as those of `Response.redirect` are.
  const copy = new Response(response.body, response)
  copy.headers.append('set-cookie', setCookie)
  copy.headers.set('cache-control', 'no-store')
  return copy
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

import { checkRequirements, type Requirements } from './requirements.ts'
import {
  type EventHandler,
  type Refusal,
  readDelivery,
  readOwnSession,
  receiveWebhook,
  refusalOfSession,
  withCookie,
} from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

export interface WithSessionOptions extends Requirements {
  /** The address of the end user, which a request of the Fetch standard does not have. */
  ip?: string
  /** The response to a request without a session. Default: 401. */
  signedOut?: () => Response | Promise<Response>
  /**
   * Responds to an error of `respond`. Without `failed`, the error is thrown. If the tokens were renewed just before,
   * the browser then does not get the new ones, and the person must sign in again.
   */
  failed?: (error: unknown) => Response | Promise<Response>
}

/**
 * Responds to a Fetch request (Hono, Next.js route handlers, workers) that needs a session. Requests without a session
 * get 401 or the response of `signedOut`. Changes that come from another site get 403. While Watchword is unreachable,
 * every request gets 503.
 */
export async function withSession(
  request: Request,
  sessions: Sessions,
  respond: (session: ActiveSession) => Response | Promise<Response>,
  { ip, signedOut, failed, ...requirements }: WithSessionOptions = {},
): Promise<Response> {
  checkRequirements(requirements)
  const { headers, method } = request
  const { session, setCookie, refusal } = await readOwnSession(sessions, { headers, method, ip })
  if (!session) {
    const response = refusal.status === 401 && signedOut ? await signedOut() : asJson(refusal)
    return withCookie(response, setCookie)
  }
  const forbidden = refusalOfSession(session, requirements)
  if (forbidden) return withCookie(asJson(forbidden), setCookie)
  const response = await Promise.resolve(session)
    .then(respond)
    .catch(failed ?? rethrow)
  return withCookie(response, setCookie)
}

const asJson = ({ status, body }: Refusal) => Response.json(body, { status })

/**
 * Receives a delivery of a webhook. `handle` gets its event, possibly more than once, so remember its `id`. If
 * `handle` throws, let the framework respond with 500. Watchword then sends the event again.
 */
export async function receiveDelivery(
  request: Request,
  secret: string | readonly string[],
  handle: EventHandler,
): Promise<Response> {
  const body = await readDelivery(chunksOf(request.body))
  const refusal = body ? await receiveWebhook({ headers: request.headers, body }, secret, handle) : TOO_LARGE
  return refusal ? asJson(refusal) : new Response(null, { status: 204 })
}

const TOO_LARGE = {
  status: 413,
  body: { code: 'payload_too_large', title: 'Body too large', detail: 'A delivery has 1 MiB at most.' },
}

async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader()
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value
  } finally {
    await reader?.cancel()
  }
}

function rethrow(error: unknown): never {
  throw error
}

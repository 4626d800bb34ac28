import type { AnyEvent } from './gen/schemas.gen.ts'
import { readOwnSession, receiveWebhook } from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

/**
 * Responds to a request of the Fetch standard (Hono, Next.js route handlers, workers) that needs a session. Others get 401, or what
 * `signedOut` returns. A change that comes from another site gets 403.
 */
export async function withSession(
  request: Request,
  sessions: Sessions,
  respond: (session: ActiveSession) => Response | Promise<Response>,
  { ip, signedOut }: { ip?: string; signedOut?: () => Response | Promise<Response> } = {},
): Promise<Response> {
  const { headers, method } = request
  const { session, setCookie, refusal } = await readOwnSession(sessions, { headers, method, ip })
  const response = session
    ? await respond(session)
    : refusal.status === 401 && signedOut
      ? await signedOut()
      : Response.json(refusal.body, { status: refusal.status })
  if (setCookie === null) return response
  // The headers of a response may be immutable, as those of `Response.redirect` are.
  const copy = new Response(response.body, response)
  copy.headers.append('set-cookie', setCookie)
  return copy
}

/**
 * Receives a delivery of a webhook. `handle` gets its event, perhaps more than once: remember its `id`. If it throws, let the
 * framework respond with 500, and Watchword sends the event again.
 */
export async function receiveDelivery(
  request: Request,
  secret: string | readonly string[],
  handle: (event: AnyEvent) => void | Promise<void>,
): Promise<Response> {
  const body = await request.arrayBuffer()
  const refusal = await receiveWebhook({ headers: request.headers, body }, secret, handle)
  return refusal ? Response.json(refusal.body, { status: refusal.status }) : new Response(null, { status: 204 })
}

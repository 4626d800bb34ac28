import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import { readOwnSession, receiveWebhook } from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

/** What this needs of a request of Express. */
export interface ExpressRequest extends IncomingRequest, AsyncIterable<Uint8Array> {
  headers: Record<string, string | string[] | undefined>
  /** What a body parser has left, if there is one. */
  body?: unknown
}

/** What this needs of a response of Express. */
export interface ExpressResponse {
  locals: Record<string, unknown>
  append(name: string, value: string): unknown
  set(name: string, value: string): unknown
  status(code: number): { json(body: unknown): unknown; end(): unknown }
}

export type ExpressHandler<Req = ExpressRequest, Res = ExpressResponse> = (
  req: Req,
  res: Res,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * Lets requests pass that have a session, as `res.locals.session`, and refreshes it. Others get 401, or go to `signedOut`.
 * A change that comes from another site gets 403, and every request 503 while Watchword is unreachable. For Express 5.
 */
export function requireSession<Req extends IncomingRequest, Res extends ExpressResponse>(
  sessions: Sessions,
  { signedOut }: { signedOut?: (req: Req, res: Res) => unknown } = {},
): ExpressHandler<Req, Res> {
  return async (req, res, next) => {
    const { session, setCookie, refusal } = await readOwnSession(sessions, req)
    if (setCookie !== null) {
      res.append('set-cookie', setCookie)
      res.set('cache-control', 'no-store')
    }
    if (session) {
      res.locals['session'] = session
      next()
    } else if (refusal.status === 401 && signedOut) await signedOut(req, res)
    else res.status(refusal.status).json(refusal.body)
  }
}

/** The session that {@link requireSession} has found. Throws where it does not stand before. */
export function sessionOf(res: Pick<ExpressResponse, 'locals'>): ActiveSession {
  const session = res.locals['session'] as ActiveSession | undefined
  if (!session) throw new Error('Put requireSession before this handler.')
  return session
}

/** The largest delivery that is read, in bytes. */
const MOST_BYTES = 1024 * 1024

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
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of req) {
    size += chunk.length
    if (size > MOST_BYTES) return null
    chunks.push(chunk)
  }
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import { readOwnSession, receiveWebhook } from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

/** What this needs of a reply of Fastify. */
export interface FastifyReplyLike {
  code(status: number): unknown
  header(name: string, value: string): unknown
  send(body?: unknown): unknown
  redirect(url: string): unknown
}

export interface RequireSessionOptions {
  sessions: Sessions
  /** Answers a request without a session, such as by a redirect to the sign-in. Default: 401. */
  // A method, so that parameters can be declared as `FastifyRequest` and `FastifyReply`.
  signedOut?(request: IncomingRequest, reply: FastifyReplyLike): unknown
}

type Hook = (request: IncomingRequest, reply: FastifyReplyLike) => Promise<unknown>

/** What this needs of an instance of Fastify. `register` of Fastify passes it. */
interface Scope {
  addHook(name: 'onRequest', hook: Hook): unknown
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parse: (request: unknown, body: Uint8Array) => Promise<Uint8Array>,
  ): unknown
  post(
    path: string,
    options: { bodyLimit: number },
    handler: (request: IncomingRequest & { body: Uint8Array }, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown
}

const found = new WeakMap<object, ActiveSession>()

/**
 * Lets requests of the scope that registers it pass if they have a session, as `sessionOf(request)`, and refreshes it. Others get 401,
 * or what `signedOut` answers. A change that comes from another site gets 403, and every request 503 while Watchword is unreachable.
 */
export const requireSession = Object.assign(
  async (instance: object, { sessions, signedOut }: RequireSessionOptions): Promise<void> => {
    const scope = instance as Scope
    scope.addHook('onRequest', async (request, reply) => {
      const { session, setCookie, refusal } = await readOwnSession(sessions, request)
      if (setCookie !== null) {
        reply.header('set-cookie', setCookie)
        reply.header('cache-control', 'no-store')
      }
      if (session) {
        found.set(request, session)
        return undefined
      }
      if (refusal.status === 401 && signedOut) await signedOut(request, reply)
      else {
        reply.code(refusal.status)
        reply.send(refusal.body)
      }
      // The reply has been sent: no handler runs.
      return reply
    })
  },
  {
    // Without it the hook would hold for the plugin itself, and not for the scope that registers it.
    [Symbol.for('skip-override')]: true,
    [Symbol.for('plugin-meta')]: { name: '@watchword/sdk', fastify: '5.x' },
  },
)

/** The session that {@link requireSession} has found. Throws where it is not registered. */
export function sessionOf(request: object): ActiveSession {
  const session = found.get(request)
  if (!session) throw new Error('Register requireSession in the scope of this route.')
  return session
}

export interface WebhookOptions {
  /** The path of the route. */
  path: string
  /** The `signingSecret` of the webhook; during a rotation both. */
  secret: string | readonly string[]
  /** Gets each event, perhaps more than once: remember its `id`. */
  handle(event: AnyEvent): void | Promise<void>
}

/** The largest delivery that is read, in bytes. */
const MOST_BYTES = 1024 * 1024

/**
 * A route that receives the deliveries of a webhook. Its answer is 204 once `handle` has returned; if that throws, Watchword sends the
 * event again. The plugin has its own parser of bodies. Register it outside of the scope of {@link requireSession}.
 */
export async function webhook(instance: object, { path, secret, handle }: WebhookOptions): Promise<void> {
  const scope = instance as Scope
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body)
  scope.post(path, { bodyLimit: MOST_BYTES }, async (request, reply) => {
    const refusal = await receiveWebhook(request, secret, handle)
    reply.code(refusal?.status ?? 204)
    return reply.send(refusal?.body)
  })
}

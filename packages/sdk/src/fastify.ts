import type { AnyEvent } from './gen/schemas.gen.ts'
import type { IncomingRequest } from './request.ts'
import {
  MAX_DELIVERY_BYTES,
  type Refusal,
  readOwnSession,
  receiveWebhook,
  refusalOf,
  refusalOfOrigin,
} from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'

export type { Refusal } from './respond.ts'

/** What this needs of a reply of Fastify. */
export interface FastifyReplyLike {
  code(status: number): unknown
  header(name: string, value: string): unknown
  send(body?: unknown): unknown
  redirect(url: string): unknown
}

/** The sessions, and how an application answers requests that are refused. */
export interface SessionOptions {
  sessions: Sessions
  /** The answer to a request without a session, such as a redirect to the sign-in. Default: as to other refusals. */
  // Methods, so that parameters can be declared as `FastifyRequest` and `FastifyReply`.
  signedOut?(request: IncomingRequest, reply: FastifyReplyLike): unknown
  /** The answer to a refusal, such as a page. Default: its status, with its body as JSON. */
  refused?(request: IncomingRequest, reply: FastifyReplyLike, refusal: Refusal): unknown
  /** Gets the error behind a 503, for your log. Default: `console.error`. */
  report?(error: unknown): void
}

type Hook = (request: IncomingRequest, reply: FastifyReplyLike) => Promise<unknown>

/** What this needs of an instance of Fastify. `register` of Fastify passes it. */
interface Scope {
  addHook(name: 'onRequest', hook: Hook): unknown
  setErrorHandler(handler: (error: unknown, ...request: Parameters<Hook>) => Promise<unknown>): unknown
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

/** A plugin that holds for the scope that registers it, and not for itself alone. */
const forScope = (name: string, change: (scope: Scope, options: SessionOptions) => void) =>
  Object.assign(
    async (instance: object, options: SessionOptions): Promise<void> => change(instance as Scope, options),
    {
      [Symbol.for('skip-override')]: true,
      [Symbol.for('plugin-meta')]: { name: `@watchword/sdk/${name}`, fastify: '5.x' },
    },
  )

const found = new WeakMap<object, ActiveSession>()

/**
 * Lets requests of the scope that registers it pass if they have a session, as `sessionOf(request)`, and refreshes it. Others get 401,
 * or what `signedOut` answers. A change that comes from another site gets 403, and every request 503 while Watchword is unreachable.
 */
export const requireSession = forScope('requireSession', (scope, options) => {
  scope.addHook('onRequest', async (request, reply) => {
    const { session, setCookie, refusal } = await readOwnSession(options.sessions, request)
    if (!session) return refuse(request, reply, { refusal, setCookie }, options)
    keep(reply, setCookie)
    found.set(request, session)
    return undefined
  })
})

/**
 * Lets a change pass only if it comes from a page of your application. For scopes without {@link requireSession}, such as that of the
 * sign-in.
 */
export const requireSameOrigin = forScope('requireSameOrigin', (scope, options) => {
  scope.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOfOrigin(options.sessions, request)
    return refusal ? refuse(request, reply, { refusal, setCookie: null }, options) : undefined
  })
})

/**
 * Answers errors of Watchword that the handlers of the scope throw. What the person can mend is answered as Watchword did, with its
 * `code` and `detail`; a session that has ended with 401, and the browser forgets it. If Watchword refuses your API key or is
 * unreachable, the answer is 503. Other errors go on to the error handler of the scope around.
 */
export const watchwordErrors = forScope('watchwordErrors', (scope, options) => {
  scope.setErrorHandler(async (error, request, reply) => {
    const answer = await refusalOf(error, options.sessions, request)
    if (!answer) throw error
    return refuse(request, reply, answer, options)
  })
})

function keep(reply: FastifyReplyLike, setCookie: string | null): void {
  if (setCookie === null) return
  reply.header('set-cookie', setCookie)
  reply.header('cache-control', 'no-store')
}

/** Returns the reply, so that no handler runs, also where a hook delays the answer. */
async function refuse(
  request: IncomingRequest,
  reply: FastifyReplyLike,
  { refusal, setCookie }: { refusal: Refusal; setCookie: string | null },
  options: SessionOptions,
): Promise<FastifyReplyLike> {
  const { status, body, cause } = refusal
  keep(reply, setCookie)
  // biome-ignore lint/suspicious/noConsole: the log of the application, unless it names another one.
  if (status === 503) options.report ? options.report(cause) : console.error(cause)
  if (status === 401 && options.signedOut) await options.signedOut(request, reply)
  else if (options.refused) await options.refused(request, reply, refusal)
  else {
    reply.code(status)
    reply.send(body)
  }
  return reply
}

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

/**
 * A route that receives the deliveries of a webhook. Its answer is 204 once `handle` has returned; if that throws, Watchword sends the
 * event again. The plugin has its own parser of bodies. Register it outside of the scope of {@link requireSession}.
 */
export async function webhook(instance: object, { path, secret, handle }: WebhookOptions): Promise<void> {
  const scope = instance as Scope
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body)
  scope.post(path, { bodyLimit: MAX_DELIVERY_BYTES }, async (request, reply) => {
    const refusal = await receiveWebhook(request, secret, handle)
    reply.code(refusal?.status ?? 204)
    return reply.send(refusal?.body)
  })
}

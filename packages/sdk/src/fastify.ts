import type { IncomingRequest } from './request.ts'
import { checkRequirements, type Requirements } from './requirements.ts'
import {
  type EventHandler,
  MAX_DELIVERY_BYTES,
  type Refusal,
  readOwnSession,
  receiveWebhook,
  refusalOf,
  refusalOfOrigin,
  refusalOfSession,
} from './respond.ts'
import type { ActiveSession, Sessions } from './sessions.ts'
import { keysOf } from './webhooks.ts'

export type { Refusal } from './respond.ts'

/** The parts of a Fastify reply that this package needs. */
export interface FastifyReplyLike {
  code(status: number): unknown
  header(name: string, value: string): unknown
  send(body?: unknown): unknown
  redirect(url: string): unknown
}

/** How an application answers requests that are refused. */
export interface Responses {
  /** The answer to a request without a session, such as a redirect to the sign-in. Default: as to other refusals. */
  // Methods, so that parameters can be declared as `FastifyRequest` and `FastifyReply`.
  signedOut?(request: IncomingRequest, reply: FastifyReplyLike): unknown
  /** Responds to a refusal, for example with a page. By default, sends its status with its body as JSON. */
  refused?(request: IncomingRequest, reply: FastifyReplyLike, refusal: Refusal): unknown
  /** Receives the error behind a 503, for your log. Default: `console.error`. */
  report?(error: unknown): void
}

/** The sessions, and how an application answers requests that are refused. */
export interface SessionOptions extends Responses {
  sessions: Sessions
}

type Hook = (request: IncomingRequest, reply: FastifyReplyLike) => Promise<unknown>

/** The parts of a Fastify instance that this package needs. Fastify's `register` passes the instance. */
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

/** A plugin that applies to the scope that registers it, instead of only to itself. */
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
 * Admits requests of its scope that have a session, and refreshes it. Handlers read it with `sessionOf(request)`.
 * Requests without a session get 401 or the response of `signedOut`. Changes that come from another site get 403.
 * While Watchword is unreachable, every request gets 503.
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
 * A hook for the `onRequest` of a route, or of a scope by `addHook`, in the scope of {@link requireSession}. Lets requests pass whose
 * user has the permission, or all of a list. Others get 403.
 */
export function requirePermission(permission: string | readonly string[], responses: Responses = {}): Hook {
  return requireOfSession({ permission }, responses)
}

/**
 * A hook like {@link requirePermission}, for requests whose user signed in or stepped up within so many seconds. Others get 403 with
 * the code `step_up_required`.
 */
export function requireRecent(seconds: number, responses: Responses = {}): Hook {
  return requireOfSession({ recent: seconds }, responses)
}

function requireOfSession(requirements: Requirements, responses: Responses): Hook {
  checkRequirements(requirements)
  return async (request, reply) => {
    const refusal = refusalOfSession(sessionOf(request), requirements)
    return refusal ? refuse(request, reply, { refusal, setCookie: null }, responses) : undefined
  }
}

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
 * Handles Watchword's errors that handlers of the scope throw.
 * - An error that the person can fix: Watchword's status, with its `code` and `detail`.
 * - An ended session: 401, and the browser's cookie is removed.
 * - Watchword refuses your API key or is unreachable: 503.
 * - Any other error: passed to the error handler of the surrounding scope.
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

/** Returns the reply, so that no handler runs even if a hook delays the response. */
async function refuse(
  request: IncomingRequest,
  reply: FastifyReplyLike,
  { refusal, setCookie }: { refusal: Refusal; setCookie: string | null },
  options: Responses,
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

/** The session that {@link requireSession} has found. Throws if `requireSession` is not registered. */
export function sessionOf(request: object): ActiveSession {
  const session = found.get(request)
  if (!session) throw new Error('Register requireSession in the scope of this route.')
  return session
}

export interface WebhookOptions {
  /** The path of the route. */
  path: string
  /** The `signingSecret` of the webhook. Pass both secrets during a rotation. */
  secret: string | readonly string[]
  /** Gets each event, perhaps more than once: remember its `id`. */
  handle: EventHandler
}

/**
 * A route that receives the deliveries of a webhook. Its answer is 204 once `handle` has returned; if that throws, Watchword sends the
 * event again. The plugin has its own parser of bodies. Register it outside of the scope of {@link requireSession}.
 * Fails with a TypeError if the secret is none.
 */
export async function webhook(instance: object, { path, secret, handle }: WebhookOptions): Promise<void> {
  keysOf(secret)
  const scope = instance as Scope
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body)
  scope.post(path, { bodyLimit: MAX_DELIVERY_BYTES }, async (request, reply) => {
    const refusal = await receiveWebhook(request, secret, handle)
    reply.code(refusal?.status ?? 204)
    return reply.send(refusal?.body)
  })
}

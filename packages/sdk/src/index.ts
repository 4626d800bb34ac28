import { Operations, type UserOperations } from './gen/client.gen.ts'
import { headerOf, type IncomingRequest } from './request.ts'
import { Transport, type TransportOptions } from './transport.ts'

export type { Call, Exchange, PageCall } from './call.ts'
export {
  type ApiError,
  ConnectionError,
  type ErrorCode,
  type Problem,
  TimeoutError,
  UnexpectedResponseError,
  WatchwordError,
} from './errors.ts'
export type * from './gen/client.gen.ts'
export type * from './gen/schemas.gen.ts'
export type { IncomingRequest } from './request.ts'
export type { CallOptions } from './transport.ts'
export type { Unlisted, UnlistedEvent } from './unlisted.ts'

/** How a client reaches the service. */
export interface ClientOptions {
  /** Where the service is, such as `https://auth.example.com`. */
  url: string
  /** An API key of your backend. Never give one to a browser or an app. */
  apiKey?: string | undefined
  /** Id of the environment that a member of the team works in. An API key names its own. */
  environment?: string | undefined
  /** Milliseconds until an attempt is given up. Default 30 000. 0: no limit. */
  timeout?: number | undefined
  /** How often a failed request is repeated, if repeating it has no second effect. Default 2. */
  maxRetries?: number | undefined
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch | undefined
  /** In a browser, on a page of the service's own origin: sends its cookies instead of a key. */
  cookies?: boolean | undefined
}

/** On whose behalf your backend sends a request. */
export interface Origin {
  /** The address of the end user. Default: `request.ip` of a framework, or the address of the socket. */
  ip?: string | undefined
  /** Who of your own people acts, as the audit log shows it: an id, and a name to read. */
  actor?: { id: string; name?: string | undefined } | undefined
}

/**
 * A client of the service: `new Watchword({ url, apiKey })`. Every operation is a method, such as
 * `watchword.users.create({ subOrgId, email })`.
 */
export class Watchword extends Operations {
  constructor(options: ClientOptions | Transport) {
    super(options instanceof Transport ? options : new Transport(transportOptions(options)))
  }

  /**
   * The same client for one request of an end user: limits, sessions, notices and the audit log then see the address and
   * the browser of the user, not those of your backend. Behind a proxy of yours, let your framework find the address
   * (`trust proxy` of Express), or pass `ip`: `X-Forwarded-For` is not read, since a caller can write it.
   */
  forRequest(request: IncomingRequest, { ip, actor }: Origin = {}): Watchword {
    const address = ip ?? request.ip ?? request.socket?.remoteAddress
    // What a header cannot have would fail the request.
    const agent = headerOf(request, 'user-agent')?.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?')
    return this.#withHeaders({
      ...(address ? { 'x-end-user-ip': address } : {}),
      ...(agent ? { 'x-end-user-agent': agent } : {}),
      ...(actor ? { 'x-actor-id': encoded(actor.id) } : {}),
      ...(actor?.name ? { 'x-actor-name': encoded(actor.name) } : {}),
    })
  }

  /** The operations that a user calls, with an access token in place of the API key. */
  forUser(accessToken: string): UserOperations {
    return this.#withHeaders({ authorization: `Bearer ${credential(accessToken, 'access token')}` }, ['x-api-key'])
  }

  #withHeaders(more: Record<string, string>, without: string[] = []): Watchword {
    const changed = this.transport.with(({ headers }) => {
      const kept = Object.entries(headers).filter(([name]) => !without.includes(name))
      return { headers: { ...Object.fromEntries(kept), ...more } }
    })
    return new Watchword(changed)
  }
}

function transportOptions(options: ClientOptions): TransportOptions {
  const { url, apiKey, environment, timeout = 30_000, maxRetries = 2, cookies = false } = options
  if (!(timeout >= 0)) throw new TypeError('`timeout` is a number of milliseconds, or 0 for none.')
  if (!Number.isInteger(maxRetries) || maxRetries < 0) throw new TypeError('`maxRetries` is a whole number from 0.')
  return {
    url: checkUrl(url),
    headers: {
      ...(apiKey ? { 'x-api-key': credential(apiKey, 'API key') } : {}),
      ...(environment ? { 'x-watchword-environment': environment } : {}),
    },
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    timeout,
    maxRetries,
    // Only pages have cookies. Some other platforms refuse the field.
    credentials: cookies ? 'same-origin' : 'document' in globalThis ? 'omit' : undefined,
    sleep,
  }
}

/** Throws a TypeError that does not show the URL, which may have a password. */
function checkUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isPlain = parsed?.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === ''
  if (!parsed || !isPlain || !/^https?:$/.test(parsed.protocol))
    throw new TypeError('`url` must say where Watchword is, such as https://auth.example.com.')
  return url
}

/** Throws a TypeError that does not show the value. */
function credential(value: string, what: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`The ${what} is empty, or has characters that none has.`)
  return value
}

/** Header values are ASCII: the service decodes them. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
  })
}

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
export type { OrganizationMissing, SecondFactorMissing, SignedIn, SignInMissing } from './login-result.ts'
export type { IncomingRequest } from './request.ts'
export type { CallOptions } from './transport.ts'
export type { Unlisted, UnlistedEvent } from './unlisted.ts'

/** How a client reaches the service. */
export interface ClientOptions {
  /** The URL of the service, such as `https://auth.example.com`. */
  url: string
  /** An API key for your backend. Never give one to a browser or an app. */
  apiKey?: string | undefined
  /**
   * The id of the environment in which a team member works. An API key belongs to one environment and does not need
   * this.
   */
  environment?: string | undefined
  /** The time limit of an attempt, in milliseconds. Default 30 000. 0: no limit. */
  timeout?: number | undefined
  /** How often a failed request is retried, if repeating it has no second effect. Default 2. */
  maxRetries?: number | undefined
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** In a browser, on a page of the service's own origin: sends the page's cookies instead of a key. */
  cookies?: boolean | undefined
}

/** The end user or the member of your staff that your backend sends a request for. */
export interface Origin {
  /** The end user's address. Default: the framework's `request.ip`, or the socket's address. */
  ip?: string | undefined
  /** The member of your staff who acts, for the audit log: an id, and a name to show. */
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
   * Returns the same client for one request of an end user. Rate limits, sessions, notices and the audit log then use
   * the user's address and browser instead of your backend's. Behind a proxy, let your framework find the address
   * (Express: `trust proxy`), or pass `ip`. `X-Forwarded-For` is not read, because any caller can write it.
   */
  forRequest(request: IncomingRequest, { ip, actor }: Origin = {}): Watchword {
    // Node writes an IPv4 address like this if it listens on IPv6 as well.
    const address = (ip ?? request.ip ?? request.socket?.remoteAddress)?.replace(/^::ffff:(?=\d+\.)/i, '')
    // What a header cannot have would fail the request.
    const agent = headerOf(request, 'user-agent')?.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?')
    return this.#withHeaders({
      ...(address ? { 'x-end-user-ip': address } : {}),
      ...(agent ? { 'x-end-user-agent': agent } : {}),
      ...(actor ? { 'x-actor-id': encoded(actor.id) } : {}),
      ...(actor?.name ? { 'x-actor-name': encoded(actor.name) } : {}),
    })
  }

  /**
   * The same client for one organization: sends its id as `subOrgId` with every operation that takes one. A call with another `subOrgId`
   * is rejected with a TypeError, and so is an empty id here: without an organization, a list has the rows of all of them.
   */
  forOrganization(id: string): Watchword {
    if (typeof id !== 'string' || id.trim() === '')
      throw new TypeError('`forOrganization` takes the id of an organization, and not an empty value.')
    const changed = this.transport.with(({ organization = id }) => {
      if (organization !== id) throw new TypeError('This client is for another organization.')
      return { organization }
    })
    return new Watchword(changed)
  }

  /** The organization that {@link forOrganization} has limited the client to, or null. */
  get organization(): string | null {
    return this.transport.organization
  }

  /**
   * The operations that users call for themselves, with an access token instead of the API key. After {@link forRequest} the
   * key is sent too: Watchword records the user's address and browser only with it. The key adds no rights.
   */
  forUser(accessToken: string): UserOperations {
    const authorization = `Bearer ${credential(accessToken, 'access token')}`
    const changed = this.transport.with(({ headers: { 'x-api-key': key, ...headers } }) => {
      const isForRequest = Object.keys(headers).some((name) => name.startsWith('x-end-user-'))
      return { headers: { ...headers, ...(key && isForRequest ? { 'x-api-key': key } : {}), authorization } }
    })
    return new Watchword(changed)
  }

  #withHeaders(more: Record<string, string>): Watchword {
    return new Watchword(this.transport.with(({ headers }) => ({ headers: { ...headers, ...more } })))
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
    // Such as a variable of the environment that is not set. Refused at the first call: a build loads modules, and has no key.
    isKeyEmpty: 'apiKey' in options && !apiKey,
    // Only pages have cookies. Some other platforms refuse the field.
    credentials: cookies ? 'same-origin' : 'document' in globalThis ? 'omit' : undefined,
    sleep,
  }
}

/** Throws a TypeError that does not contain the URL, because it may contain a password. */
function checkUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isPlain = parsed?.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === ''
  if (!parsed || !isPlain || !/^https?:$/.test(parsed.protocol))
    throw new TypeError('`url` must say where Watchword is, such as https://auth.example.com.')
  return url
}

/** Throws a TypeError that does not contain the value. */
function credential(value: string, what: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`The ${what} is empty, or has characters that none has.`)
  return value
}

/** Header values must be ASCII, so they are encoded here and the service decodes them. */
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

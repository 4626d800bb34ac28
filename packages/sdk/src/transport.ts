import { Call, type Exchange, PageCall } from './call.ts'
import { ConnectionError, type Problem, TimeoutError, UnexpectedResponseError, WatchwordError } from './errors.ts'

/** Options of a single call. */
export interface CallOptions {
  /** Cancels the call, including its retries and waits. */
  signal?: AbortSignal | undefined
  /** The time limit of an attempt, in milliseconds. For a download, the time until it starts. 0: no limit. */
  timeout?: number | undefined
  /** How often a failed request is retried. Requests that consume a one-time secret are never retried. */
  maxRetries?: number | undefined
  /** The `Idempotency-Key` of a write that accepts one. By default a new one, which all retries of the call send. */
  idempotencyKey?: string | undefined
  /** `If-Match`: the `ETag` that the record must still have. */
  ifMatch?: string | undefined
  /** `X-Trusted-Device`: the token that replaces a second factor on a known device. */
  trustedDevice?: string | undefined
  /** Additional headers. */
  headers?: Record<string, string> | undefined
}

export interface TransportOptions {
  /** The URL of the service, such as `https://auth.example.com`. */
  url: string
  /** Headers of every request: the credential, and whose request it is. */
  headers: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
  /** The time limit of an attempt, in milliseconds. */
  timeout: number
  maxRetries: number
  /** Whether a key was to be sent, but is empty. */
  isKeyEmpty: boolean
  /** The only organization that this client calls for. */
  organization?: string | undefined
  /** Whether a browser sends its cookies. */
  credentials: 'same-origin' | 'omit' | undefined
  /** Waits this many milliseconds, or until the signal ends the wait. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>
}

/** How a call is sent, as bits. The generated methods contain the resulting number. */
export const Flags = {
  /** Repeating the request has no second effect. */
  repeatable: 1,
  /** The request accepts an `Idempotency-Key`. */
  keyed: 2,
  /** The request has a body with the parameters. */
  body: 4,
  /** It takes `subOrgId`. */
  ofOrganization: 8,
} as const

interface Attempt {
  /** The method that was called, such as `users.create`. */
  operation: string
  /** Where it was called. */
  caller: Error
  method: string
  url: string
  headers: Headers
  body: string | undefined
  options: CallOptions
  isRepeatable: boolean
}

/** A call of a generated method. */
interface Asked extends Pick<Attempt, 'operation' | 'caller' | 'method' | 'options'> {
  path: Path
  flags: number
  params: object | undefined
  /** Parameters that go into the query, although there is a body. */
  inQuery: readonly string[]
}

const RETRIED = new Set([429, 502, 503, 504])
/** The longest wait that a response may ask for, in milliseconds. */
const LONGEST_WAIT = 60_000
const FIRST_WAIT = 500
const LAST_WAIT = 8000

/** Sends the requests of all namespaces of a client. */
export class Transport {
  /** Private, so that no log shows the credential. */
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /** The only organization that it sends requests for, or null. */
  get organization(): string | null {
    return this.#options.organization ?? null
  }

  /** The same with other options. */
  with(change: (options: TransportOptions) => Partial<TransportOptions>): Transport {
    return new Transport({ ...this.#options, ...change(this.#options) })
  }

  /**
   * Sends a request and reads its JSON reply. Parameters go into the body. Parameters in `inQuery`, and all parameters
   * of requests without a body, go into the query.
   */
  call<T>(
    operation: string,
    method: string,
    path: Path,
    flags: number,
    params?: object,
    options: CallOptions = {},
    inQuery: readonly string[] = [],
  ): Call<T> {
    const asked = { operation, caller: new Error(), method, path, flags, params, options, inQuery }
    return new Call<T>(this.#exchange<T>(asked))
  }

  /** Requests a page. The following pages are requested with the same parameters. */
  page<Page, Field extends keyof Page & string>(
    operation: string,
    path: Path,
    flags: number,
    field: Field,
    cursor: string,
    params: object = {},
    options: CallOptions = {},
  ): PageCall<Page, Field> {
    const asked = { operation, caller: new Error(), method: 'GET', path, flags, params, options, inQuery: [] }
    return new PageCall<Page, Field>(this.#exchange<Page>(asked), field, (page) => {
      const { has_more: hasMore, next_cursor: next } = page as { has_more?: boolean; next_cursor?: string | null }
      const isNew = next !== undefined && next !== null && next !== Object(params)[cursor]
      const following = { ...params, [cursor]: next }
      return hasMore && isNew ? this.page(operation, path, flags, field, cursor, following, options) : null
    })
  }

  /** Sends a request whose reply is no JSON: a file, a page or a redirect, which is not followed. */
  async raw(
    operation: string,
    method: string,
    path: Path,
    flags: number,
    params?: object,
    options: CallOptions = {},
  ): Promise<Response> {
    const caller = new Error()
    const attempt = this.#attempt({ operation, caller, method, path, flags, params, options, inQuery: [] })
    const form = (flags & Flags.body) === 0 ? {} : formOf(attempt, params)
    return this.#send(attempt, form, async (response) => response)
  }

  #attempt({ operation, caller, method, path, flags, params, options, inQuery }: Asked): Attempt {
    if (typeof path !== 'string') throw path
    const url = new URL(`${this.#options.url.replace(/\/+$/, '')}${path}`)
    const hasBody = (flags & Flags.body) !== 0
    const entries = Object.entries(this.#limited(flags, params ?? {})).filter(([, value]) => value !== undefined)
    const isQuery = (name: string) => !hasBody || inQuery.includes(name)
    const body = entries.filter(([name]) => !isQuery(name))
    for (const [name, value] of entries.filter(([name, value]) => isQuery(name) && value !== null))
      for (const one of [value].flat())
        url.searchParams.append(name, one instanceof Date ? one.toISOString() : String(one))
    const isKeyed = (flags & Flags.keyed) !== 0
    const headers = new Headers({ accept: 'application/json', ...this.#options.headers })
    if (hasBody) headers.set('content-type', 'application/json')
    if (isKeyed) headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID())
    if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch)
    if (options.trustedDevice !== undefined) headers.set('x-trusted-device', options.trustedDevice)
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
    if (this.#options.isKeyEmpty && !headers.has('x-api-key') && !headers.has('authorization'))
      throw new TypeError('`apiKey` of the client is empty: is the variable set that it comes from?')
    return {
      operation,
      caller,
      method,
      url: url.href,
      headers,
      body: hasBody ? JSON.stringify(Object.fromEntries(body)) : undefined,
      options,
      isRepeatable: (flags & Flags.repeatable) !== 0,
    }
  }

  /** The parameters for the organization of this client. Throws a TypeError if they name another one. */
  #limited(flags: number, params: object): object {
    const { organization } = this.#options
    if (organization === undefined || (flags & Flags.ofOrganization) === 0) return params
    const { subOrgId = organization }: { subOrgId?: unknown } = params
    if (subOrgId !== organization) throw new TypeError('`subOrgId` is not the organization of this client.')
    return { ...params, subOrgId }
  }

  /** What is wrong with an argument rejects the call, as a refusal does. */
  async #exchange<T>(asked: Asked): Promise<Exchange<T>> {
    return this.#send(this.#attempt(asked), {}, async (response) => {
      const data = (await readJson(response)) as T
      return { data, response, requestId: response.headers.get('x-request-id') ?? '' }
    })
  }

  /** Sends a request, and again while a retry may help. Throws the error of the last attempt. */
  async #send<T>(attempt: Attempt, more: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    const { maxRetries = this.#options.maxRetries, signal } = attempt.options
    const retries = attempt.isRepeatable ? maxRetries : 0
    for (let tried = 0; ; tried++) {
      try {
        return await this.#try(attempt, more, read)
      } catch (error) {
        const wait = waitBefore(error, tried)
        if (tried >= retries || wait === null) throw calledFrom(error, attempt.caller)
        await this.#options.sleep(wait, signal)
      }
    }
  }

  /** Makes one attempt, including reading the body. Throws a refusal, a connection error, or the reason of a signal. */
  async #try<T>(attempt: Attempt, more: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    const { method, url, headers, body, options } = attempt
    const { signal, timeout = this.#options.timeout } = options
    const { credentials, fetch } = this.#options
    const limit = limitOf(timeout)
    try {
      const response = await fetch(url, {
        method,
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
        ...(body === undefined ? {} : { body }),
        ...(credentials ? { credentials } : {}),
        ...more,
      })
      if (response.status >= 400) throw await errorOf(response, attempt)
      return await read(response)
    } catch (error) {
      if (error instanceof ConnectionError || error instanceof WatchwordError) throw error
      signal?.throwIfAborted()
      if (limit.signal.aborted)
        throw new TimeoutError(`${method} ${pathOf(url)} took longer than ${timeout} ms.`, { cause: error })
      throw new ConnectionError(`${method} ${pathOf(url)} could not be sent: ${messageOf(error)}`, { cause: error })
    } finally {
      limit.end()
    }
  }
}

const LONGEST_TIMER = 2 ** 31 - 1

/** A signal that is aborted after this many milliseconds, unless it is ended before. */
function limitOf(timeout: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const isLimited = timeout > 0 && timeout <= LONGEST_TIMER
  const timer = isLimited ? setTimeout(() => controller.abort(), timeout) : undefined
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

/** The base class of the generated classes. */
export class Namespace {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }
}

/** A path, or the error of an invalid id in it. */
export type Path = string | TypeError

/** A path with ids, each as one segment. An id that is not text, or that would change the path, makes it an error. */
export function path(parts: TemplateStringsArray, ...ids: string[]): Path {
  const wrong = ids.findIndex((id) => typeof id !== 'string' || id === '' || id === '.' || id === '..')
  if (wrong >= 0) return new TypeError(`A path takes an id, not ${describe(ids[wrong])}.`)
  return parts.map((part, at) => part + encodeURIComponent(ids[at] ?? '')).join('')
}

/** Names a value without printing it: an object may have tokens. */
function describe(value: unknown): string {
  if (value === '' || value === '.' || value === '..') return JSON.stringify(value)
  return value === undefined ? 'undefined' : value === null ? 'null' : `a value of the type ${typeof value}`
}

/** How long to wait before the next attempt, in milliseconds. Null if a retry does not help. */
function waitBefore(error: unknown, tried: number): number | null {
  const backoff = Math.min(FIRST_WAIT * 2 ** tried, LAST_WAIT)
  const jittered = backoff / 2 + (Math.random() * backoff) / 2
  if (error instanceof WatchwordError || error instanceof UnexpectedResponseError) {
    const { status, retryAfter } = error as WatchwordError | UnexpectedResponseError
    // The first request with this key is still running.
    const isRunning = error instanceof WatchwordError && error.code === 'idempotency_in_progress'
    const asked = (retryAfter ?? 0) * 1000
    return (RETRIED.has(status) || isRunning) && asked <= LONGEST_WAIT ? Math.max(asked, jittered) : null
  }
  return error instanceof ConnectionError ? jittered : null
}

/** The refusal of a response. What is no problem of the service, such as a page of a proxy, is a connection error. */
async function errorOf(response: Response, attempt: Attempt): Promise<ConnectionError | WatchwordError> {
  const text = await response.text()
  const problem = problemOf(text)
  if (problem) return new WatchwordError(problem, response, attempt.operation)
  const { origin, pathname } = new URL(attempt.url)
  const excerpt = text.replaceAll(/\s+/g, ' ').trim().slice(0, 200) || '(an empty body)'
  const message = `${attempt.method} ${origin}${pathname}: HTTP ${response.status}, not from Watchword: ${excerpt}`
  return new UnexpectedResponseError(response, message)
}

/** The error with the stack of the call: its own shows this file, and nothing of the application. */
function calledFrom(error: unknown, caller: Error): unknown {
  const isOwn = error instanceof WatchwordError || error instanceof ConnectionError
  // Without the line of this file.
  const frames = caller.stack?.replace(/^Error.*\n.*\n/, '')
  if (isOwn && frames) (error as Error).stack = `${String(error)}\n${frames}`
  return error
}

function problemOf(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text)
    const { code, detail } = Object(value)
    return typeof code === 'string' && typeof detail === 'string' ? (value as Problem) : null
  } catch {
    return null
  }
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `The response (HTTP ${response.status}) is no JSON: is the URL that of Watchword?`
    throw new UnexpectedResponseError(response, message, { cause: error })
  }
}

function formOf({ headers }: Attempt, params: object | undefined): RequestInit {
  const form = new Headers(headers)
  form.set('content-type', 'application/x-www-form-urlencoded')
  return { headers: form, body: new URLSearchParams(params as Record<string, string>).toString() }
}

const pathOf = (url: string) => new URL(url).pathname

const messageOf = (error: unknown) => {
  const { cause, message } = Object(error)
  return String(Object(cause).message || message || error)
}

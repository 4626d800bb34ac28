import type { ProblemMembers } from './gen/errors.gen.ts'
import type { Unlisted } from './unlisted.ts'

/** Every code that this version of the package lists. A newer service may send other codes: {@link Unlisted}. */
export type ErrorCode = keyof ProblemMembers

/** A refusal as the service sends it (RFC 9457). */
export type Problem<C extends ErrorCode | Unlisted = ErrorCode | Unlisted> = {
  /** The page that documents the code. */
  type: string
  /** The problem in a few words. It is the same for every request with this code. */
  title: string
  /** The HTTP status of the response. */
  status: number
  /** What is wrong with this request, and how to fix it. The wording may change. */
  detail: string
  /** The kind of problem. Codes never change, so branch on this field. */
  code: C
  /** The id of the request, which log lines and events contain. Give it to support. */
  request_id: string
} & (C extends ErrorCode ? ProblemMembers[C] : Record<string, unknown>)

/** An error of the service, with one member for each code: `error.code === 'email_exists'` narrows it. */
export type ApiError = { [C in ErrorCode]: WatchwordError<C> }[ErrorCode] | WatchwordError<Unlisted>

/**
 * Marks the instances of a class, so that `instanceof` also recognizes instances from another copy of this package,
 * such as its CommonJS build.
 */
export const brandOf = (name: string) => Symbol.for(`watchword.${name}`)
export const hasBrand = (value: unknown, brand: symbol): boolean =>
  typeof value === 'object' && value !== null && brand in value

const REFUSAL = brandOf('refusal')
const CONNECTION = brandOf('connection')
const TIMEOUT = brandOf('timeout')
const UNEXPECTED = brandOf('unexpected')

/** Refusals of an API key, or of how a backend calls the service. An end user cannot fix them. */
const OF_BACKEND = /^(api_key_.*|insufficient_scope|sub_org_.*|environment_not_found|not_found|method_not_allowed)$/

/** The service refused the request. */
export class WatchwordError<C extends ErrorCode | Unlisted = ErrorCode | Unlisted> extends Error {
  /** Narrows to {@link ApiError}. */
  static override [Symbol.hasInstance](value: unknown): value is ApiError {
    return hasBrand(value, REFUSAL)
  }

  override readonly name: string = 'WatchwordError'
  readonly [REFUSAL] = true
  /** The kind of problem. Branch on it. */
  readonly code: C
  /** The HTTP status. */
  readonly status: number
  /** The refusal as it was sent, with the members of its code. */
  readonly problem: Problem<C>
  /** The id of the request, which log lines and events contain. Give it to support. */
  readonly requestId: string
  /** Seconds to wait before the next attempt, or null if waiting does not help. */
  readonly retryAfter: number | null
  /** The response. Its body has already been read. */
  readonly response: Response

  constructor(problem: Problem<C>, response: Response) {
    super(problem.detail)
    this.code = problem.code
    this.status = response.status
    this.problem = problem
    this.requestId = problem.request_id
    this.retryAfter = secondsOf(response)
    this.response = response
  }

  /**
   * Whether your backend (its API key, how it calls) or Watchword caused the error, and not the end user. Respond to
   * the user with 503, and do not sign anyone out.
   */
  get isInternal(): boolean {
    return this.status >= 500 || OF_BACKEND.test(this.code)
  }
}

/**
 * There was no response from the service, because of the network, a proxy, a time limit or a wrong URL. `cause` has
 * the reason.
 */
export class ConnectionError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is ConnectionError {
    return hasBrand(value, CONNECTION)
  }

  override readonly name: string = 'ConnectionError'
  readonly [CONNECTION] = true
}

/** The service did not respond in time. */
export class TimeoutError extends ConnectionError {
  static override [Symbol.hasInstance](value: unknown): value is TimeoutError {
    return hasBrand(value, TIMEOUT)
  }

  override readonly name = 'TimeoutError'
  readonly [TIMEOUT] = true
}

/** The response came from a proxy or another server, not from the service. */
export class UnexpectedResponseError extends ConnectionError {
  static override [Symbol.hasInstance](value: unknown): value is UnexpectedResponseError {
    return hasBrand(value, UNEXPECTED)
  }

  override readonly name = 'UnexpectedResponseError'
  readonly [UNEXPECTED] = true
  /** The HTTP status. */
  readonly status: number
  /** Seconds to wait before the next attempt, or null. */
  readonly retryAfter: number | null
  /** The response. Its body has already been read. */
  readonly response: Response

  constructor(response: Response, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = response.status
    this.retryAfter = secondsOf(response)
    this.response = response
  }
}

/** The seconds of `Retry-After`, as the service sends it (RFC 9110 §10.2.3), or null. */
function secondsOf({ headers }: Response): number | null {
  const value = headers.get('retry-after')
  return value !== null && /^\d+$/.test(value) ? Number(value) : null
}

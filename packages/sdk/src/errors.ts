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

// Brands mark the instances of a class, so that `instanceof` also recognizes those of another copy of this package, such as its
// CommonJS build. Each names its type: older compilers refuse a key of the type `symbol` in a class.
const REFUSAL: unique symbol = Symbol.for('watchword.refusal')
const CONNECTION: unique symbol = Symbol.for('watchword.connection')
const TIMEOUT: unique symbol = Symbol.for('watchword.timeout')
const UNEXPECTED: unique symbol = Symbol.for('watchword.unexpected')

export const hasBrand = (value: unknown, brand: symbol): boolean =>
  typeof value === 'object' && value !== null && brand in value

/** Refusals of an API key, or of how a backend calls: an end user can do nothing about them. */
const OF_BACKEND: ReadonlySet<string> = new Set([
  'access_token_missing',
  'environment_not_found',
  'home_key_required',
  'idempotency_key_reused',
  'insufficient_scope',
  'invalid_json',
  'method_not_allowed',
  'not_acceptable',
  'not_found',
  'otp_reference_required',
  'production_key_required',
  'unsupported_media_type',
])
const OF_KEY_OR_TENANT = /^(api_key|sub_org)_/
/** Faults of a field that no input of a person explains: the backend has misnamed or mistyped it, or not sent it. */
const OF_CODE: ReadonlySet<unknown> = new Set(['required', 'type', 'unknown_property'])
/** Whether these are required depends on the user: the person can add them. */
const ASKED_OF_PERSON: ReadonlySet<unknown> = new Set(['current_password', 'password'])

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
  /** The method that was called, such as `users.create`. */
  readonly operation: string
  /** The response whose body was read. */
  declare readonly response: Response

  constructor(problem: Problem<C>, response: Response, operation = '') {
    super(operation === '' ? problem.detail : `${operation}: ${problem.detail}`)
    this.code = problem.code
    this.status = response.status
    this.problem = problem
    this.requestId = problem.request_id
    this.retryAfter = secondsOf(response)
    this.operation = operation
    hide(this, response)
  }

  /**
   * Whether your backend (its API key, how it calls) or Watchword caused the error, and not the end user. Respond to
   * the user with 503, and do not sign anyone out.
   */
  get isInternal(): boolean {
    return this.status >= 500 || OF_BACKEND.has(this.code) || OF_KEY_OR_TENANT.test(this.code) || this.#isOfCode()
  }

  #isOfCode(): boolean {
    const { errors } = Object(this.problem)
    return Array.isArray(errors) && errors.some(isOfCode)
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
  /** The response whose body was read. */
  declare readonly response: Response

  constructor(response: Response, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = response.status
    this.retryAfter = secondsOf(response)
    hide(this, response)
  }
}

function isOfCode(fault: unknown): boolean {
  const { code, field } = Object(fault)
  return OF_CODE.has(code) && !(code === 'required' && ASKED_OF_PERSON.has(field))
}

/** Keeps the response out of logs: printed, it hides the error among its headers. */
function hide(error: Error, response: Response): void {
  Object.defineProperty(error, 'response', { value: response, enumerable: false })
}

/** The seconds of `Retry-After`, as the service sends it (RFC 9110 §10.2.3), or null. */
function secondsOf({ headers }: Response): number | null {
  const value = headers.get('retry-after')
  return value !== null && /^\d+$/.test(value) ? Number(value) : null
}

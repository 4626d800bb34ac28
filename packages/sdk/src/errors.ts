import type { ProblemMembers } from './gen/errors.gen.ts'

/** Every stable code of a refusal. Newer versions of the service may send others. */
export type ErrorCode = keyof ProblemMembers

/** A refusal as the service sends it (RFC 9457). */
export type Problem<C extends ErrorCode = ErrorCode> = {
  /** The page that documents the code. */
  type: string
  /** The problem in a few words: the same for every request with this code. */
  title: string
  /** The HTTP status of the response. */
  status: number
  /** What is wrong with this request, and how to fix it. May be reworded. */
  detail: string
  /** The kind of problem. Codes never change: branch on this field. */
  code: C
  /** The request in log lines and events: give it to support. */
  request_id: string
} & ProblemMembers[C]

/** An error of the service, one member for each code: `error.code === 'email_exists'` narrows it. */
export type ApiError = { [C in ErrorCode]: WatchwordError<C> }[ErrorCode]

const BRAND = Symbol.for('watchword.error')

/** The service refused the request. */
export class WatchwordError<C extends ErrorCode = ErrorCode> extends Error {
  /** Also true for an error of another copy of this package, such as its CommonJS build. Narrows to {@link ApiError}. */
  static override [Symbol.hasInstance](value: unknown): value is ApiError {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  override readonly name: string = 'WatchwordError'
  readonly [BRAND] = true
  /** The kind of problem: branch on it. */
  readonly code: C
  /** The HTTP status. */
  readonly status: number
  /** The refusal as it was sent, with the members of its code. */
  readonly problem: Problem<C>
  /** The request in log lines and events: give it to support. */
  readonly requestId: string
  /** Seconds to wait before the next attempt, or null if waiting does not help. */
  readonly retryAfter: number | null
  /** The response whose body was read. */
  readonly response: Response

  constructor(problem: Problem<C>, response: Response) {
    super(problem.detail)
    this.code = problem.code
    this.status = problem.status
    this.problem = problem
    this.requestId = problem.request_id
    this.retryAfter = secondsOf(response.headers.get('retry-after'))
    this.response = response
  }
}

/** No response arrived, or none of the service: the network, a proxy, a time limit or a wrong URL. `cause` says which. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError'
}

/** The service did not respond in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

/** The seconds of `Retry-After`, as the service sends it (RFC 9110 §10.2.3), or null. */
export function secondsOf(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null
}

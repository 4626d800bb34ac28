import { readErrorField } from '../errors.ts'

/** Errors that came from the database or from connecting to it. */
const thrown = new WeakSet<Error>()

/** Runs code that talks to the database, and remembers that its errors came from there. */
export async function fromDatabase<T>(talk: () => Promise<T>): Promise<T> {
  try {
    return await talk()
  } catch (error) {
    if (error instanceof Error) {
      thrown.add(error)
      nameFailure(error)
    }
    throw error
  }
}

/** Adds a code to a failure that the driver only describes in its message, because the log has no messages. */
function nameFailure(error: Error): void {
  if (readErrorField(error, 'code') !== undefined) return
  const code = FAILURE_CODES.find(([pattern]) => pattern.test(error.message))?.[1]
  if (code) Object.assign(error, { code })
}

/**
 * Makes an error like the database's serialization failure: the data that a transaction read was changed by another.
 * Thrown in a transaction, it makes the transaction run again.
 */
export function serializationFailure(cause: unknown): Error {
  const error = Object.assign(new Error('Another transaction was faster', { cause }), { code: '40001' })
  thrown.add(error)
  return error
}

/**
 * Makes an error that becomes `unavailable` and says that the service is busy: no connection became free in the time
 * the request could wait.
 */
export function noConnection(): Error {
  const error = new Error(NO_CONNECTION)
  thrown.add(error)
  nameFailure(error)
  return error
}

/** The SQLSTATE of a database error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = readErrorField(error, 'code')
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

// Transient: connection failures (08, 57P0x), no resources or full disk (53), a statement or lock timeout (57014,
// 55P03), a read-only server (25006), and conflicts that retries did not resolve (40001, 40P01). Also a server that
// refuses the user (28) or lacks the database (3D000), such as one that was just set up again.
const PASSING_STATES = /^(08|28|53|57P0|3D000$|57014$|55P03$|25006$|40001$|40P01$)/
// The connection's server is read-only or is stopping.
const UNUSABLE_STATES = /^(25006$|57P0)/
const PASSING_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const NO_CONNECTION = 'No connection to the database became free in time'
const QUEUE_TIMEOUT = new RegExp(`timeout exceeded when trying to connect|${NO_CONNECTION}`)
const PASSING_MESSAGES = /Connection terminated|Client has encountered|not queryable/
// The driver's message when a response did not arrive within `query_timeout`.
const NO_ANSWER = /^Query read timeout$/
const FAILURE_CODES: [RegExp, string][] = [
  [NO_ANSWER, 'NO_ANSWER'],
  [QUEUE_TIMEOUT, 'NO_FREE_CONNECTION'],
  [PASSING_MESSAGES, 'CONNECTION_LOST'],
]

/**
 * Whether the database failed and not the request. The response is then 503 with Retry-After. Node.js uses the same
 * codes elsewhere, such as ECONNRESET for a client that hangs up or ENOENT for a file, and those say nothing about the
 * database.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || !thrown.has(error)) return false
  const state = sqlState(error)
  if ((state && PASSING_STATES.test(state)) || isConnectionUnusable(error) || isOutdatedStatement(error)) return true
  const code = readErrorField(error, 'code')
  if (typeof code === 'string' && PASSING_CODES.has(code)) return true
  return PASSING_MESSAGES.test(error.message) || QUEUE_TIMEOUT.test(error.message)
}

/**
 * Whether the error's connection must be closed, so that a new connection may reach another server: this server did
 * not respond in time, is read-only, or is stopping.
 */
export function isConnectionUnusable(error: unknown): boolean {
  if (error instanceof Error && NO_ANSWER.test(error.message)) return true
  const state = sqlState(error)
  return state !== null && UNUSABLE_STATES.test(state)
}

/** Whether a statement must be prepared again because a migration changed one of its tables. */
export function isOutdatedStatement(error: unknown): boolean {
  // Only this PostgreSQL function reports an outdated statement. Other errors with this state mean that a statement is
  // not supported.
  return sqlState(error) === '0A000' && readErrorField(error, 'routine') === 'RevalidateCachedQuery'
}

/** Whether no connection of the pool became free in time, because there were too many requests. */
export function isPoolExhausted(error: unknown): boolean {
  return isDatabaseUnavailable(error) && error instanceof Error && QUEUE_TIMEOUT.test(error.message)
}

import { readErrorField } from '../errors.ts'

/** What the database, or the way to it, has thrown. */
const thrown = new WeakSet<Error>()

/** Runs what talks to the database, and remembers that what it throws came from there. */
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

/** Gives a failure that the driver only describes a code, since the log has no messages. */
function nameFailure(error: Error): void {
  if (readErrorField(error, 'code') !== undefined) return
  const code = FAILURE_CODES.find(([pattern]) => pattern.test(error.message))?.[1]
  if (code) Object.assign(error, { code })
}

/**
 * As the database says it of what it cannot serialize: what a transaction has read was overtaken by another one. Thrown in
 * it, it runs again.
 */
export function serializationFailure(cause: unknown): Error {
  const error = Object.assign(new Error('Another transaction was faster', { cause }), { code: '40001' })
  thrown.add(error)
  return error
}

/** What becomes `unavailable` and says that the service is busy: no connection became free while the request could wait. */
export function noConnection(): Error {
  const error = new Error(NO_CONNECTION)
  thrown.add(error)
  nameFailure(error)
  return error
}

/** SQLSTATE of a database error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = readErrorField(error, 'code')
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

// Transient: connection failures (08, 57P0x), no resources or full disk (53), a statement or lock timeout (57014,
// 55P03), a server that only reads (25006), and what retries did not resolve (40001, 40P01). Also a server that refuses the
// user (28) or lacks the database (3D000), such as one that was set up anew.
const PASSING_STATES = /^(08|28|53|57P0|3D000$|57014$|55P03$|25006$|40001$|40P01$)/
// The server of the connection only reads, or stops.
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
// As the driver says it when its deadline for an answer (`query_timeout`) has passed.
const NO_ANSWER = /^Query read timeout$/
const FAILURE_CODES: [RegExp, string][] = [
  [NO_ANSWER, 'NO_ANSWER'],
  [QUEUE_TIMEOUT, 'NO_FREE_CONNECTION'],
  [PASSING_MESSAGES, 'CONNECTION_LOST'],
]

/**
 * Whether the database failed, not the request: then the response is 503 with Retry-After. The same codes of Node.js
 * from elsewhere, such as ECONNRESET of a client that hangs up or ENOENT of a file, say nothing of the database.
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
 * Whether the connection of the error must be closed, so that its successor may reach another server: this one has not
 * answered in time, only reads, or stops.
 */
export function isConnectionUnusable(error: unknown): boolean {
  if (error instanceof Error && NO_ANSWER.test(error.message)) return true
  const state = sqlState(error)
  return state !== null && UNUSABLE_STATES.test(state)
}

/** Whether a statement was prepared before a migration changed a table of it. It has to be prepared again. */
export function isOutdatedStatement(error: unknown): boolean {
  // Only this function of PostgreSQL says so. Other errors of the state mean that it does not support a statement.
  return sqlState(error) === '0A000' && readErrorField(error, 'routine') === 'RevalidateCachedQuery'
}

/** Whether it is that no connection of the pool became free in time: there are too many requests. */
export function isPoolExhausted(error: unknown): boolean {
  return isDatabaseUnavailable(error) && error instanceof Error && QUEUE_TIMEOUT.test(error.message)
}

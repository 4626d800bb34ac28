import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Who the code runs for: `callers` for requests with a credential, jobs and the command line; `anonymous` for requests
 * without one. Each lane has its own connections, joined statements and shared reads, so that anonymous requests never
 * delay callers.
 */
export type Lane = 'callers' | 'anonymous'

/**
 * The time until which a request may wait for the database: for its turn, connections, locks and results together.
 * Waiting for something else, such as the request's body or a customer's server, does not count.
 */
export interface Deadline {
  /** On the clock of `performance.now()`, in milliseconds. */
  atMs: number
  /** Whether the request has had a connection. From then on it is not refused because the queue is full. */
  isAdmitted: boolean
  /** Whether the request was answered. Work that it started in the background has no deadline. */
  isOver: boolean
  /** How many steps of the request are waiting for other servers, and since when. */
  outside: number
  outsideSinceMs: number
}

interface Place {
  lane: Lane
  /** How many transactions the code is nested in. */
  depth: number
  /** The deadline of the request, or null if no request waits, as in jobs. */
  deadline: Deadline | null
}

const places = new AsyncLocalStorage<Place>()
// Larger than any depth of nested transactions.
const FOR_ALL = Number.MAX_SAFE_INTEGER
const OUTSIDE: Place = { lane: 'callers', depth: 0, deadline: null }

/** The lane, transaction depth and deadline of the running code. */
export function currentPlace(): Place {
  return places.getStore() ?? OUTSIDE
}

/** Runs code in a lane. */
export function inLane<T>(lane: Lane, run: () => Promise<T>): Promise<T> {
  return places.run({ ...currentPlace(), lane }, run)
}

/** Runs the code of a transaction. */
export function inTransaction<T>(run: () => Promise<T>): Promise<T> {
  const place = currentPlace()
  return places.run({ ...place, depth: place.depth + 1 }, run)
}

/** Runs a step of a request, which may wait until the deadline. */
export function untilDeadline<T>(deadline: Deadline | null, run: () => T): T {
  return places.run({ ...OUTSIDE, deadline }, run)
}

/** Runs work that several requests wait for. The deadline of one of them must not end it. */
export function withoutDeadline<T>(run: () => T): T {
  return places.run({ ...currentPlace(), deadline: null }, run)
}

/**
 * In tests: throws if code in a transaction is about to call another server. If that server hangs, the transaction
 * would keep its connection and its locks.
 */
export function refuseInTransaction({ strict }: { strict: boolean }): void {
  const { depth } = currentPlace()
  if (strict && depth > 0 && depth < FOR_ALL)
    throw new Error('Ask other servers before a transaction begins: in `prepare` of a route')
}

/**
 * On a separate pool, runs a read that several requests of a lane wait for. One of these requests may be in a
 * transaction and use the last connection of the common pool, so the shared read could never start there, which is a
 * deadlock.
 */
export function readForAll<T>(read: () => Promise<T>): Promise<T> {
  return places.run({ lane: currentPlace().lane, depth: FOR_ALL, deadline: null }, read)
}

import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The origin of the running code: `callers` for requests with a credential, jobs and the command line; `anonymous` for
 * requests without one. Each lane has its own connections, joined statements and shared reads, so that anonymous requests
 * never delay callers.
 */
export type Lane = 'callers' | 'anonymous'

/**
 * When a request has waited long enough for the database: for turns, connections, locks and answers together. What it waits
 * for elsewhere, such as the body or the server of a customer, does not count.
 */
export interface Deadline {
  /** On the clock of `performance.now()`, in milliseconds. */
  atMs: number
  /** Whether it has had a connection: from then on it is not refused because others wait. */
  isAdmitted: boolean
  /** Whether it is answered: what it has begun in the background has no deadline. */
  isOver: boolean
  /** How many of its steps wait for other servers at present, and since when. */
  outside: number
  outsideSinceMs: number
}

interface Place {
  lane: Lane
  /** How many transactions the code is nested in. */
  depth: number
  /** How long the request may still wait; null where no request waits, as in jobs. */
  deadline: Deadline | null
}

const places = new AsyncLocalStorage<Place>()
// Deeper than transactions are nested.
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

/** Runs what several requests wait for: the deadline of one of them must not end it. */
export function withoutDeadline<T>(run: () => T): T {
  return places.run({ ...currentPlace(), deadline: null }, run)
}

/**
 * In tests: throws where code within a transaction is about to ask another server. One that hangs would hold the
 * connection of the transaction, and what it has locked.
 */
export function refuseInTransaction({ strict }: { strict: boolean }): void {
  const { depth } = currentPlace()
  if (strict && depth > 0 && depth < FOR_ALL)
    throw new Error('Ask other servers before a transaction begins: in `prepare` of a route')
}

/**
 * Runs a read that several requests of a lane wait for on a separate pool. One of them may hold a transaction, and with
 * it the last connection of the common pool: the shared read could then never start, which is a deadlock.
 */
export function readForAll<T>(read: () => Promise<T>): Promise<T> {
  return places.run({ lane: currentPlace().lane, depth: FOR_ALL, deadline: null }, read)
}

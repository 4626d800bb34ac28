import { noConnection } from './failure.ts'
import { currentPlace, type Deadline } from './lanes.ts'

// With less time left, a statement is not started: interrupting it would cost the connection.
const LEAST_MS = 500
// The shortest interval between two checks of a paused deadline.
const LEAST_LOOK_MS = 50

/** Starts the time limit of a request, in milliseconds. */
export function startDeadline(ms: number): Deadline {
  return { atMs: performance.now() + ms, isAdmitted: false, isOver: false, outside: 0, outsideSinceMs: 0 }
}

/**
 * How long the running code may wait for a statement's result, in milliseconds. Returns `most` if no request waits.
 * Throws an error that becomes `unavailable` if the request has too little time left to start a statement.
 */
export function timeToAnswer(most: number): number {
  return Math.min(most, timeLeft())
}

/**
 * How long the running code may wait for its turn or a connection, in milliseconds. Leaves enough time for one
 * statement. Throws as `timeToAnswer` does.
 */
export function timeToWait(most: number): number {
  return Math.min(most, timeLeft() - LEAST_MS)
}

function timeLeft(): number {
  const { deadline } = currentPlace()
  if (!deadline || deadline.isOver) return Infinity
  const leftMs = timeOf(deadline)
  if (leftMs < LEAST_MS) throw noConnection()
  return leftMs
}

/**
 * Waits for work that other requests wait for too, but no longer than this request's deadline. `leave` runs if the
 * deadline passes before the work is done.
 */
export function waitUntilDeadline<T>(work: Promise<T>, leave?: () => void): Promise<T> {
  const { deadline } = currentPlace()
  if (!deadline) return work
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout
    const look = () => {
      if (deadline.isOver) return
      const leftMs = timeOf(deadline)
      if (leftMs > 0) {
        // The deadline may have been paused or resumed meanwhile.
        timer = setTimeout(look, Math.max(leftMs, LEAST_LOOK_MS))
        return
      }
      leave?.()
      reject(noConnection())
    }
    look()
    const settle =
      <V>(give: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        give(value)
      }
    work.then(settle(resolve), settle(reject))
  })
}

/** How much time the request has left, in milliseconds. */
function timeOf({ atMs, outside, outsideSinceMs }: Deadline): number {
  return atMs - (outside > 0 ? outsideSinceMs : performance.now())
}

/** Pauses the request's deadline while it waits for another server. */
export async function outsideDatabase<T>(wait: () => Promise<T>): Promise<T> {
  const { deadline } = currentPlace()
  if (!deadline) return wait()
  pauseDeadline(deadline)
  try {
    return await wait()
  } finally {
    resumeDeadline(deadline)
  }
}

/** Pauses a request's deadline. It continues when every pause has ended. */
export function pauseDeadline(deadline: Deadline): void {
  if (deadline.outside++ === 0) deadline.outsideSinceMs = performance.now()
}

/** Ends one pause. */
export function resumeDeadline(deadline: Deadline): void {
  if (--deadline.outside === 0) deadline.atMs += performance.now() - deadline.outsideSinceMs
}

import { noConnection } from './failure.ts'
import { currentPlace, type Deadline } from './lanes.ts'

// With less time left a statement is not begun. Cut off in the middle, it would cost the connection.
const LEAST_MS = 500
// The shortest interval between two checks of a deadline that is paused.
const LEAST_LOOK_MS = 50

/** Starts the time of a request, in milliseconds. */
export function startDeadline(ms: number): Deadline {
  return { atMs: performance.now() + ms, isAdmitted: false, isOver: false, outside: 0, outsideSinceMs: 0 }
}

/**
 * How long the running code may wait for the answer to a statement, in milliseconds; `most` where no request waits. Throws what
 * becomes `unavailable` when the request has too little time left to begin one.
 */
export function timeToAnswer(most: number): number {
  return Math.min(most, timeLeft())
}

/**
 * How long the running code may wait for a turn or a connection, in milliseconds: enough time for a statement is kept. Throws as
 * `timeToAnswer` does.
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
 * Waits for work that other requests wait for too, but no longer than this request may. `leave` runs if its time is over
 * before the work is done.
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
        // A pause may have begun or ended meanwhile.
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

/** Stops the time of the request while it waits for another server. */
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

/** Stops the time of a request. It runs again when each pause has ended. */
export function pauseDeadline(deadline: Deadline): void {
  if (deadline.outside++ === 0) deadline.outsideSinceMs = performance.now()
}

/** Ends one pause. */
export function resumeDeadline(deadline: Deadline): void {
  if (--deadline.outside === 0) deadline.atMs += performance.now() - deadline.outsideSinceMs
}

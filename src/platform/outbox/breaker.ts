const SLOW_MS = 3000
const WHILE_TROUBLED = 2

/**
 * Admits attempts: all while the peer is healthy, two at a time while it is slow or down. A peer that swallows
 * connections may occupy some of the worker's places for one timeout, but never all of them for long.
 */
export function createBreaker() {
  let underWay = 0
  let troubled = false
  return {
    /** @returns a function to call at the end, with whether the peer answered, or null when not admitted. */
    enter(): ((answered: boolean) => void) | null {
      if (troubled && underWay >= WHILE_TROUBLED) return null
      underWay++
      const startedAt = performance.now()
      return (answered) => {
        underWay--
        troubled = !answered || performance.now() - startedAt > SLOW_MS
      }
    },
  }
}

const SLOW_MS = 3000
const WHILE_TROUBLED = 2

/**
 * Lets tries through: all while the peer is well, two at a time while it is slow or dead. One that swallows connections
 * may hold some of the worker's places for the length of its timeout, and never all of them for long.
 */
export function createGate() {
  let underWay = 0
  let troubled = false
  return {
    /** Null: not now. Otherwise to be called at the end, with whether the peer answered. */
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

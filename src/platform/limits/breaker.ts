/** When a peer counts as in trouble, and what is let through to it then. */
export interface Patience {
  /** Attempts in a row that it left without an answer. */
  failures: number
  /** An answer that takes longer is as good as none. */
  slowMs?: number
  /** For how long nothing is let through, from the last of these on. */
  restMs: number
  /** How many at a time after that. */
  probes: number
}

export type Breaker = ReturnType<typeof createBreaker>

/**
 * Admits attempts: all while the peer is healthy, few while it is slow or down, and none while it rests. A peer that
 * swallows connections may hold up some for one timeout, but never all of them for long.
 */
export function createBreaker(
  { failures, slowMs = Number.POSITIVE_INFINITY, restMs, probes }: Patience,
  nowMs: () => number = () => performance.now(),
) {
  let underWay = 0
  let unanswered = 0
  let restsUntilMs = Number.NEGATIVE_INFINITY
  // A clock that was put back may not make the rest any longer.
  const isResting = (leftMs = restsUntilMs - nowMs()) => leftMs > 0 && leftMs <= restMs
  return {
    /** @returns a function to call at the end, with whether the peer answered, or null when not admitted. */
    enter(): ((answered: boolean) => void) | null {
      if (unanswered >= failures && (underWay >= probes || isResting())) return null
      underWay++
      const startedAtMs = nowMs()
      return (answered) => {
        underWay--
        const isWell = answered && nowMs() - startedAtMs <= slowMs
        unanswered = isWell ? 0 : unanswered + 1
        if (!isWell) restsUntilMs = nowMs() + restMs
      }
    },
    /** Whether there is nothing to remember of the peer. */
    isCalm: () => underWay === 0 && unanswered === 0,
  }
}

/** When a peer counts as failing, and how many attempts are allowed then. */
export interface Patience {
  /** The number of consecutive attempts without an answer. */
  failures: number
  /** A slower answer counts as no answer. */
  slowMs?: number
  /** How long no attempt is allowed after the last failure. */
  restMs: number
  /** How many concurrent attempts are allowed after that. */
  probes: number
}

export type Breaker = ReturnType<typeof createBreaker>

/**
 * Admits attempts: all while the peer is healthy, few while it is slow or down, and none during a pause. A peer that
 * accepts connections and never answers may delay some attempts for one timeout, but never all of them for long.
 */
export function createBreaker(
  { failures, slowMs = Number.POSITIVE_INFINITY, restMs, probes }: Patience,
  nowMs: () => number = () => performance.now(),
) {
  let underWay = 0
  let unanswered = 0
  let restsUntilMs = Number.NEGATIVE_INFINITY
  // If the clock was set back, the pause must not become longer.
  const isResting = (leftMs = restsUntilMs - nowMs()) => leftMs > 0 && leftMs <= restMs
  return {
    /** @returns a function to call at the end, with whether the peer answered. Null if the attempt is not admitted. */
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
    /** Whether nothing about the peer needs to be remembered. */
    isCalm: () => underWay === 0 && unanswered === 0,
  }
}

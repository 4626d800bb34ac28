/** A limit that allows a burst, and then a steady rate. */
export interface SteadyRate {
  perSecond: number
  burst: number
}

/**
 * Counts one action at `nowMs`. `fullAtMs` is when the whole burst is available again (GCRA, a token bucket in one
 * number). Returns the new `fullAtMs`, or how long to wait if none is left.
 */
export function spendOne(
  { perSecond, burst }: SteadyRate,
  fullAtMs: number,
  nowMs: number,
): { fullAtMs: number; waitMs: number } {
  const [oneMs, allMs] = [1000 / perSecond, (burst * 1000) / perSecond]
  const from = Math.max(fullAtMs, nowMs)
  const waitMs = from + oneMs - (nowMs + allMs)
  // Adding up loses fractions of a millisecond.
  return waitMs > 0.001 ? { fullAtMs: from, waitMs } : { fullAtMs: from + oneMs, waitMs: 0 }
}

/** How much may come: a burst at once, and a steady rate. */
export interface SteadyRate {
  perSecond: number
  burst: number
}

/**
 * One more at `nowMs`, where `fullAtMs` is when the whole burst is there again (GCRA, a token bucket in one number).
 * Returns what that becomes, or for how long there is none left.
 */
export function spendOne(
  { perSecond, burst }: SteadyRate,
  fullAtMs: number,
  nowMs: number,
): { fullAtMs: number; waitMs: number } {
  const [oneMs, allMs] = [1000 / perSecond, (burst * 1000) / perSecond]
  const from = Math.max(fullAtMs, nowMs)
  const waitMs = from + oneMs - (nowMs + allMs)
  // Fractions of a millisecond are lost in adding them up.
  return waitMs > 0.001 ? { fullAtMs: from, waitMs } : { fullAtMs: from + oneMs, waitMs: 0 }
}

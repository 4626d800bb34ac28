/**
 * The process clock, for token claims, ids and log lines. The database's clock (`clock_now()` in SQL) decides about
 * expiry, so that processes with different clocks agree.
 */
export interface Clock {
  now(): Date
  /** Calls back once after that time. Returns how to cancel it. */
  startTimer(ms: number, due: () => void): () => void
}

export const systemClock: Clock = {
  now: () => new Date(),
  startTimer(ms, due) {
    const timer = setTimeout(due, ms)
    return () => clearTimeout(timer)
  },
}

/** Whole seconds since the epoch, as in JWT claims (RFC 7519 NumericDate). */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000)
}

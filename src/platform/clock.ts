/**
 * The process clock, for token claims, ids and log lines. The database's clock (`clock_now()` in SQL) decides about
 * expiry, so that processes with different clocks agree.
 */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Whole seconds since the epoch, as in JWT claims (RFC 7519 NumericDate). */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000)
}

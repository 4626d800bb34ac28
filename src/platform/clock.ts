/**
 * The process clock. It measures what one process does alone (caches, waits), and what other parties compare with their
 * own clocks (tokens, certificates). The database's clock (`clock_now()` in SQL) decides about expiry, so that
 * processes with different clocks agree.
 */
export interface Clock {
  now(): Date
  /** Calls `due` once after this time. Returns a function that cancels the timer. */
  startTimer(ms: number, due: () => void): () => void
}

/** A clock that follows the database's time. */
export interface FollowingClock extends Clock {
  /** Compares the machine's clock with the database's. `ask` sends a statement and returns its rows. */
  compare(ask: (text: string) => Promise<{ ms: number }[]>): Promise<void>
}

const NOTICED_MS = 2000

/**
 * The machine's clock, corrected by its offset from the database's clock at the last comparison. Tokens of one process
 * are therefore valid immediately in every other process, even if the machines' clocks differ. `report` gets a line
 * when the clocks start to differ by more than 2 s.
 */
export function followDatabase(machine: Clock, report: (line: string) => void): FollowingClock {
  let aheadMs = 0
  let isReported = false
  return {
    ...machine,
    now: () => new Date(machine.now().getTime() + aheadMs),
    async compare(ask) {
      const sentMs = machine.now().getTime()
      const [row] = await ask('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
      const receivedMs = machine.now().getTime()
      if (!row) return
      // The database read its clock between sending and receiving.
      const errorMs = Math.abs(receivedMs - sentMs) / 2
      const measuredMs = row.ms - (sentMs + receivedMs) / 2
      if (Math.abs(measuredMs - aheadMs) > errorMs) aheadMs = Math.round(measuredMs)
      const isApart = Math.abs(aheadMs) > NOTICED_MS
      if (isApart && !isReported)
        report(
          `The clock of this machine is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the database, whose time is used instead: set both by NTP`,
        )
      isReported = isApart
    },
  }
}

export const systemClock: Clock = {
  // Process clock: other code reads it through `Clock`.
  now: () => new Date(),
  startTimer(ms, due) {
    const timer = setTimeout(due, ms)
    return () => clearTimeout(timer)
  },
}

/** Whole seconds since the epoch, as in JWT claims (RFC 7519 NumericDate). */
export function epochSeconds(clock: Clock): number {
  // Process clock: callers of `epochSeconds` give their reason in a comment like this one.
  return Math.floor(clock.now().getTime() / 1000)
}

/** Whether `ms` have passed since `sinceMs`. Also true if the clock was set back to before `sinceMs`. */
export function hasPassed(ms: number, sinceMs: number, nowMs: number): boolean {
  return nowMs < sinceMs || nowMs - sinceMs >= ms
}

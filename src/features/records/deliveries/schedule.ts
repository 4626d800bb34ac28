const [MINUTE, HOUR] = [60, 3600]

/** Seconds between a failed attempt and the next (Standard Webhooks 1.0): ten attempts within 76 hours. */
const DELAYS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

const JITTER = 0.1
const LONGEST_WISH = 24 * HOUR

/** An endpoint is disabled after this time without a success. */
export const FAILING_SECONDS = 120 * HOUR

/**
 * Seconds until the next attempt after `tries` attempts, or null after the last. If an endpoint sends `Retry-After`,
 * waits at least as long, up to a day.
 */
export function nextDelay(tries: number, retryAfterSeconds: number | null, random = Math.random): number | null {
  const delay = DELAYS[tries - 1]
  if (delay === undefined) return null
  const wished = Math.min(retryAfterSeconds ?? 0, LONGEST_WISH)
  return Math.max(delay * (1 - JITTER + 2 * JITTER * random()), wished)
}

/** The seconds in a `Retry-After` header (RFC 9110 §10.2.3), or null. */
export function readRetryAfter(text: unknown, now: Date): number | null {
  if (typeof text !== 'string') return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}

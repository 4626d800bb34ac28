import type { Clock } from '../../platform/clock.ts'
import { outOfPlace } from '../../platform/http/place.ts'

/** Documents that a provider publishes, by their address. */
export interface Remembered<T> {
  /**
   * The document, read where it is not known or no longer fresh. What is known stands in for up to a day while it cannot
   * be read. Where it does not suit, such as keys that lack the one that signed, it is read again, once a minute. Throws
   * what `read` throws.
   */
  get(url: string, read: () => Promise<T>, suits?: (value: T) => boolean): Promise<T>
}

const COOL_DOWN_MS = 60_000
const USABLE_MS = 24 * 3600_000
// Of documents that are cut down to what is used of them.
const MAX_ENTRIES = 500

interface Entry<T> {
  value: T
  readAtMs: number
  /** When it was last read because it did not suit, and when that last failed. */
  missedAtMs: number
  failedAtMs: number
}

/** Forgets what was asked for longest ago, so that addresses of many tenants take no more than their share. */
export function remember<T>(clock: Clock, freshMs: number): Remembered<T> {
  const entries = new Map<string, Entry<T>>()
  const pending = new Map<string, Promise<T>>()

  function keep(url: string, entry: Entry<T>): void {
    entries.delete(url)
    const oldest = entries.size >= MAX_ENTRIES ? entries.keys().next().value : undefined
    if (oldest !== undefined) entries.delete(oldest)
    entries.set(url, entry)
  }

  /** Those who need it at the same time read it once. */
  function readOnce(url: string, read: () => Promise<T>): Promise<T> {
    const known = pending.get(url)
    if (known) return known
    const reading = read().finally(() => pending.delete(url))
    pending.set(url, reading)
    return reading
  }

  return {
    async get(url, read, suits = () => true) {
      const entry = entries.get(url)
      const nowMs = clock.now().getTime()
      if (entry) {
        keep(url, entry)
        const isSuited = suits(entry.value)
        const isDue = isSuited
          ? nowMs - entry.readAtMs >= freshMs && nowMs - entry.failedAtMs >= COOL_DOWN_MS
          : nowMs - entry.missedAtMs >= COOL_DOWN_MS
        const isUsable = nowMs - entry.readAtMs < USABLE_MS
        if (!isDue && isUsable) return entry.value
        if (!isSuited) entry.missedAtMs = nowMs
      }
      try {
        const value = await outOfPlace(() => readOnce(url, read))
        keep(url, { value, readAtMs: nowMs, missedAtMs: entry?.missedAtMs ?? 0, failedAtMs: 0 })
        return value
      } catch (error) {
        if (!entry || nowMs - entry.readAtMs >= USABLE_MS) throw error
        entry.failedAtMs = nowMs
        return entry.value
      }
    },
  }
}

import { type Clock, hasPassed } from '../../../platform/clock.ts'
import { outsideTurn } from '../../../platform/limits/place.ts'
import { createShares } from '../../../platform/limits/shares.ts'

/**
 * The key of a document: its address, and the owner whose share of the cache holds it. Owners never see each other's
 * documents.
 */
export interface DocumentKey {
  owner: string
  url: string
}

/** Documents that providers publish. */
export interface DocumentCache<T> {
  /**
   * The document, read where it is not known or no longer fresh. What is known stands in for up to a day while it cannot
   * be read. Where it does not suit, such as keys that lack the one that signed, it is read again, once a minute. Throws
   * what `read` throws.
   */
  get(document: DocumentKey, read: () => Promise<T>, suits?: (value: T) => boolean): Promise<T>
}

const COOL_DOWN_MS = 60_000
const USABLE_MS = 24 * 3600_000
// The approximate size of an entry without its document.
const ENTRY_BYTES = 500

interface Entry<T> {
  value: T
  readAtMs: number
  /** When it was last read because it did not suit, and when that last failed. */
  missedAtMs: number
  failedAtMs: number
}

/** Documents must have been cut down to what is used of them: `maxBytes` of their JSON are kept, in shares of their owners. */
export function createDocumentCache<T>(
  clock: Clock,
  { freshMs, maxBytes }: { freshMs: number; maxBytes: number },
): DocumentCache<T> {
  const entries = createShares<Entry<T>>(maxBytes)
  const pending = new Map<string, Promise<T>>()

  function keep({ owner, url }: DocumentKey, entry: Entry<T>): void {
    const weight = ENTRY_BYTES + url.length + JSON.stringify(entry.value).length
    entries.set(owner, url, { value: entry, weight })
  }

  /** Those who need it at the same time read it once. */
  function readOnce({ owner, url }: DocumentKey, read: () => Promise<T>): Promise<T> {
    const name = `${owner} ${url}`
    const known = pending.get(name)
    if (known !== undefined) return known
    const reading = read().finally(() => pending.delete(name))
    pending.set(name, reading)
    return reading
  }

  return {
    async get(document, read, suits = () => true) {
      const entry = entries.get(document.owner, document.url)
      // Process clock: how long this process keeps what providers publish.
      const nowMs = clock.now().getTime()
      if (entry) {
        const isSuited = suits(entry.value)
        const isDue = isSuited
          ? hasPassed(freshMs, entry.readAtMs, nowMs) && hasPassed(COOL_DOWN_MS, entry.failedAtMs, nowMs)
          : hasPassed(COOL_DOWN_MS, entry.missedAtMs, nowMs)
        const isUsable = nowMs - entry.readAtMs < USABLE_MS
        if (!isDue && isUsable) return entry.value
        if (!isSuited) entry.missedAtMs = nowMs
      }
      try {
        const value = await outsideTurn(() => readOnce(document, read))
        keep(document, { value, readAtMs: nowMs, missedAtMs: entry?.missedAtMs ?? 0, failedAtMs: 0 })
        return value
      } catch (error) {
        if (!entry || nowMs - entry.readAtMs >= USABLE_MS) throw error
        entry.failedAtMs = nowMs
        return entry.value
      }
    },
  }
}

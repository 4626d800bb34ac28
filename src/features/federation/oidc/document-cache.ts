import { type Clock, hasPassed } from '../../../platform/clock.ts'
import { outsideTurn } from '../../../platform/limits/place.ts'
import { createShares } from '../../../platform/limits/shares.ts'

/**
 * The key of a document: its address, and the owner whose share of the cache stores it. Owners never see each other's
 * documents.
 */
export interface DocumentKey {
  owner: string
  url: string
}

/** A cache of documents that providers publish. */
export interface DocumentCache<T> {
  /**
   * Returns the document, and reads it if it is not cached or no longer fresh. If it cannot be read, the cached
   * document is used for up to a day. A document that `suits` rejects, such as a key set without the key that signed
   * a token, is read again, at most once a minute. Throws what `read` throws.
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
  /** When it was last read again because it did not suit, and when a read last failed. */
  missedAtMs: number
  failedAtMs: number
}

/**
 * Documents must be reduced to the parts that are used: the cache is limited to `maxBytes` of their JSON, shared
 * among the owners.
 */
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

  /** Concurrent callers share one read. */
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
      // Process clock: this process alone measures how long it caches what providers publish.
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

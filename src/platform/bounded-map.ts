/** A map with a limited number of entries. When it is full, the least recently used entry is removed. */
export interface BoundedMap<V> {
  /** Counts as a use of the entry. */
  get(key: string): V | undefined
  /** Does not count as a use. */
  has(key: string): boolean
  set(key: string, value: V): void
  delete(key: string): void
  values(): Iterable<V>
}

/** Makes an empty map of at most `max` entries. */
export function boundedMap<V>(max: number): BoundedMap<V> {
  // Ordered by last use, oldest first.
  const entries = new Map<string, { value: V }>()
  const use = (key: string, entry: { value: V }) => {
    entries.delete(key)
    entries.set(key, entry)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry) use(key, entry)
      return entry?.value
    },
    has: (key) => entries.has(key),
    set(key, value) {
      use(key, { value })
      const [oldest] = entries.keys()
      if (entries.size > max && oldest !== undefined) entries.delete(oldest)
    },
    delete: (key) => void entries.delete(key),
    *values() {
      for (const { value } of entries.values()) yield value
    },
  }
}

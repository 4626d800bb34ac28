/** A map with a bound on its entries. What was used least recently makes room. */
export interface BoundedMap<V> {
  /** Counts as a use. */
  get(key: string): V | undefined
  /** Counts as no use. */
  has(key: string): boolean
  set(key: string, value: V): void
  delete(key: string): void
  values(): Iterable<V>
}

/** Makes an empty map of at most `max` entries. */
export function boundedMap<V>(max: number): BoundedMap<V> {
  // In the order of their last use.
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

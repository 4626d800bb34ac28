/** Values of many owners, with one limit on their total weight. */
export interface Shares<T> {
  /** Returns the value and counts as a use of it. */
  get(owner: string, key: string): T | undefined
  /** Stores a value with its weight. If it weighs more than all values together may, it is dropped at once. */
  set(owner: string, key: string, stored: { value: T; weight: number }): void
  delete(owner: string, key: string): void
  weight(): number
}

interface Share<T> {
  weight: number
  /** Least recently used first. */
  entries: Map<string, { value: T; weight: number }>
}

/**
 * Keeps the entries of many owners within one limit. Above the limit, the owner with the most weight loses its least
 * recently used entry, so no owner displaces entries of a smaller owner.
 */
export function createShares<T>(maxWeight: number): Shares<T> {
  const shares = new Map<string, Share<T>>()
  let total = 0

  function remove(owner: string, key: string): void {
    const share = shares.get(owner)
    const entry = share?.entries.get(key)
    if (!share || !entry) return
    share.entries.delete(key)
    share.weight -= entry.weight
    total -= entry.weight
    if (share.entries.size === 0) shares.delete(owner)
  }

  function makeRoom(): void {
    let heaviest: [string, Share<T>] | null = null
    for (const each of shares) if (heaviest === null || each[1].weight > heaviest[1].weight) heaviest = each
    const key = heaviest?.[1].entries.keys().next().value
    if (heaviest && key !== undefined) remove(heaviest[0], key)
  }

  return {
    get(owner, key) {
      const share = shares.get(owner)
      const entry = share?.entries.get(key)
      if (!share || !entry) return undefined
      share.entries.delete(key)
      share.entries.set(key, entry)
      return entry.value
    },
    set(owner, key, stored) {
      remove(owner, key)
      const share = shares.get(owner) ?? { weight: 0, entries: new Map() }
      shares.set(owner, share)
      share.entries.set(key, stored)
      share.weight += stored.weight
      total += stored.weight
      while (total > maxWeight) makeRoom()
    },
    delete: remove,
    weight: () => total,
  }
}

/** Values of many owners within one bound. */
export interface Shares<T> {
  /** The value, which counts as used. */
  get(owner: string, key: string): T | undefined
  /** Stores a value of a weight, in whatever the bound is in. It may be gone at once, if it is heavier than all may be. */
  set(owner: string, key: string, stored: { value: T; weight: number }): void
  delete(owner: string, key: string): void
  weight(): number
}

interface Share<T> {
  weight: number
  /** Used longest ago first. */
  entries: Map<string, { value: T; weight: number }>
}

/**
 * Keeps the entries of many owners within one bound. Over the bound, the owner with the most weight loses the entry that
 * was used longest ago, so no owner displaces entries of a smaller owner.
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

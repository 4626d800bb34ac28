import type { Operation } from './perform.ts'

/** The prefix of another operation's bulkId where an id is expected (RFC 7644 §3.7.2). */
export const PREFIX = 'bulkId:'

// The same limit as for all other bodies.
const MAX_DEPTH = 20

/** An operation of a bulk request. */
export interface BulkOperation extends Operation {
  n: number
  bulkId: string | null
}

/** The texts in a value, up to the allowed depth. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1))
}

/** Whether a value is nested more deeply than allowed. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth > MAX_DEPTH || Object.values(value).some((part) => isTooDeep(part, depth + 1))
}

/** The waiting operations, in order. */
export interface Queue {
  /**
   * Returns the first operation that refers to no waiting operation, or the first of all if there is none. Undefined
   * if none is left.
   */
  take(): BulkOperation | undefined
  /** Operations that refer to this one no longer need to wait for it. */
  settle(bulkId: string): void
}

/** Each operation is read only once. It is looked at again only when everything that it waited for is done. */
export function openQueue(operations: BulkOperation[]): Queue {
  const known = new Set(operations.flatMap(({ bulkId }) => bulkId ?? []))
  const waiting = new Map(operations.map((one) => [one, referencesOf(one, known)]))
  const followers = new Map<string, BulkOperation[]>()
  for (const [one, references] of waiting)
    for (const bulkId of references) {
      const others = followers.get(bulkId)
      if (others) others.push(one)
      else followers.set(bulkId, [one])
    }
  // Reversed, so that the next operation is the last in the list.
  const ready = operations.filter((one) => waiting.get(one)?.size === 0).toReversed()
  return {
    take() {
      const next = ready.pop() ?? waiting.keys().next().value
      if (next) waiting.delete(next)
      return next
    },
    settle(bulkId) {
      for (const one of followers.get(bulkId) ?? []) {
        const references = waiting.get(one)
        references?.delete(bulkId)
        if (references?.size === 0) ready.splice(ready.findLastIndex(({ n }) => n > one.n) + 1, 0, one)
      }
    },
  }
}

/** The bulkIds of other operations that an operation refers to. */
function referencesOf({ path, data, bulkId }: BulkOperation, known: ReadonlySet<string>): Set<string> {
  const found = [path, ...textsIn(data)].flatMap((text) => {
    const at = text.indexOf(PREFIX)
    return at < 0 ? [] : [text.slice(at + PREFIX.length)]
  })
  return new Set(found.filter((id) => known.has(id) && id !== bulkId))
}

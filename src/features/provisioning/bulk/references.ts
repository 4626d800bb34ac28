import type { Operation } from './perform.ts'

/** What comes before the bulkId of another operation, in its place (RFC 7644 §3.7.2). */
export const PREFIX = 'bulkId:'

// As of all other bodies.
const MAX_DEPTH = 20

/** An operation of a bulk request. */
export interface BulkOperation extends Operation {
  n: number
  bulkId: string | null
}

/** The texts of a value, as deep as anything is accepted. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1))
}

/** Whether a value is nested deeper than that. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth > MAX_DEPTH || Object.values(value).some((part) => isTooDeep(part, depth + 1))
}

/** The operations that wait, in their order. */
export interface Queue {
  /** The first that refers to none that waits; where they all do, the first. Undefined: none is left. */
  take(): BulkOperation | undefined
  /** Those that refer to this one need not wait for it any more. */
  settle(bulkId: string): void
}

/** Each operation is read once, however long it waits, and looked at again only when nothing is left that it waits for. */
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
  // The next one is last.
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

/** The bulkIds of others in an operation. */
function referencesOf({ path, data, bulkId }: BulkOperation, known: ReadonlySet<string>): Set<string> {
  const found = [path, ...textsIn(data)].flatMap((text) => {
    const at = text.indexOf(PREFIX)
    return at < 0 ? [] : [text.slice(at + PREFIX.length)]
  })
  return new Set(found.filter((id) => known.has(id) && id !== bulkId))
}

import { httpErrors } from '../errors.ts'

interface Waiter {
  key: string
  start(): void
}

interface Limits {
  /** How many run at once. */
  total: number
  /** How many of one key. */
  perKey: number
  /** How many may wait; beyond that `unavailable` is thrown. */
  waiting: number
}

/** Runs functions a few at a time, in order, so that no key takes all places from the others. */
export function inTurn({ total, perKey, waiting }: Limits) {
  const running = new Map<string, number>()
  const queue: Waiter[] = []
  let count = 0

  const isFree = (key: string) => count < total && (running.get(key) ?? 0) < perKey

  function take(key: string): void {
    count++
    running.set(key, (running.get(key) ?? 0) + 1)
  }

  function leave(key: string): void {
    count--
    const left = (running.get(key) ?? 1) - 1
    if (left) running.set(key, left)
    else running.delete(key)
    const next = queue.findIndex((waiter) => isFree(waiter.key))
    if (next >= 0) queue.splice(next, 1)[0]?.start()
  }

  function enter(key: string): Promise<void> | null {
    if (isFree(key)) {
      take(key)
      return null
    }
    if (queue.length >= waiting)
      throw httpErrors.unavailable({ detail: 'The service is busy: try again.', headers: { 'retry-after': '1' } })
    return new Promise((resolve) => {
      const start = () => {
        take(key)
        resolve()
      }
      queue.push({ key, start })
    })
  }

  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    await enter(key)
    try {
      return await run()
    } finally {
      leave(key)
    }
  }
}

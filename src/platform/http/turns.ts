import { busy } from '../errors.ts'

interface Waiter {
  owner: string
  start(): void
}

interface Limits {
  /** How many run at once. */
  total: number
  /** How many of one owner. */
  perOwner: number
  /** How many of one owner may wait. */
  waitingPerOwner: number
  /** How many may wait. */
  waiting: number
  /** How long one may wait. */
  seconds: number
}

/**
 * Runs functions a few at a time. Whose owner runs the fewest is next, so that no owner takes the places from the others
 * for longer than one function runs. Throws `unavailable` to whom too many wait before, or too long.
 */
export function inTurn({ total, perOwner, waitingPerOwner, waiting, seconds }: Limits) {
  const running = new Map<string, number>()
  let queue: Waiter[] = []
  let count = 0

  const runningOf = (owner: string) => running.get(owner) ?? 0
  const isFree = (owner: string) => count < total && runningOf(owner) < perOwner

  function take(owner: string): void {
    count++
    running.set(owner, runningOf(owner) + 1)
  }

  function leave(owner: string): void {
    count--
    const left = runningOf(owner) - 1
    if (left) running.set(owner, left)
    else running.delete(owner)
    const [next] = queue
      .filter((waiter) => isFree(waiter.owner))
      .sort((a, b) => runningOf(a.owner) - runningOf(b.owner))
    if (next) {
      queue = queue.filter((waiter) => waiter !== next)
      next.start()
    }
  }

  async function enter(owner: string): Promise<void> {
    if (isFree(owner)) return take(owner)
    const own = queue.filter((waiter) => waiter.owner === owner).length
    if (queue.length >= waiting || own >= waitingPerOwner) throw busy()
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        owner,
        start() {
          clearTimeout(timer)
          take(owner)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        queue = queue.filter((other) => other !== waiter)
        reject(busy())
      }, seconds * 1000)
      queue.push(waiter)
    })
  }

  return async <T>(owner: string, run: () => Promise<T>): Promise<T> => {
    await enter(owner)
    try {
      return await run()
    } finally {
      leave(owner)
    }
  }
}

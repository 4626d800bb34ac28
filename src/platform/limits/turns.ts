import { timeToWait } from '../db/deadline.ts'
import { busy } from '../errors.ts'

/** Whose work it is. An owner may have parts, such as an account its organizations, which share its places alike. */
export interface Owner {
  id: string
  part?: string
}

interface Waiter {
  owner: Owner
  start(): void
  refuse(): void
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
  /** How long one may wait; a request never longer than until its deadline. */
  seconds: number
}

/**
 * Runs functions a few at a time. Whose owner runs the fewest is next, and of one owner whose part does, so that nobody
 * takes the places from the others for longer than one function runs. Throws `unavailable` to whom too many wait before,
 * or too long: where there is no place to wait, to the last of those who have most of them.
 */
export function inTurn({ total, perOwner, waitingPerOwner, waiting, seconds }: Limits) {
  // Of several places one is always left to the other parts.
  const perPart = Math.max(1, perOwner - 1)
  const running: Owner[] = []
  let queue: Waiter[] = []

  const runningOf = ({ id }: Owner) => running.filter((owner) => owner.id === id).length
  const runningOfPart = (owner: Owner) => running.filter((other) => isSamePart(other, owner)).length
  const isFree = (owner: Owner) =>
    running.length < total && runningOf(owner) < perOwner && (!owner.part || runningOfPart(owner) < perPart)

  function leave(owner: Owner): void {
    running.splice(running.indexOf(owner), 1)
    const [next] = queue
      .filter((waiter) => isFree(waiter.owner))
      .sort((a, b) => runningOf(a.owner) - runningOf(b.owner) || runningOfPart(a.owner) - runningOfPart(b.owner))
    if (!next) return
    remove(next)
    running.push(next.owner)
    next.start()
  }

  function remove(waiter: Waiter): void {
    queue = queue.filter((other) => other !== waiter)
  }

  /** Refuses the last of the most crowded, if it is more crowded than the newcomer's would be. */
  function makeRoom(waiters: Waiter[], owner: Owner, isAlike: (a: Owner, b: Owner) => boolean): void {
    const alike = (one: Owner) => waiters.filter((waiter) => isAlike(waiter.owner, one))
    const most = waiters.map((waiter) => alike(waiter.owner)).reduce((a, b) => (b.length > a.length ? b : a), [])
    const last = most.at(-1)
    if (!last || most.length <= alike(owner).length + 1) throw busy()
    remove(last)
    last.refuse()
  }

  async function enter(owner: Owner): Promise<void> {
    if (isFree(owner)) return void running.push(owner)
    const ms = timeToWait(seconds * 1000)
    const own = queue.filter((waiter) => waiter.owner.id === owner.id)
    if (own.length >= waitingPerOwner) makeRoom(own, owner, isSamePart)
    else if (queue.length >= waiting) makeRoom(queue, owner, (a, b) => a.id === b.id)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { owner, start: resolve, refuse: () => reject(busy()) }
    const refuse = () => {
      remove(waiter)
      waiter.refuse()
    }
    const timer = setTimeout(refuse, ms)
    queue.push(waiter)
    await promise.finally(() => clearTimeout(timer))
  }

  return async <T>(owner: Owner, run: () => Promise<T>): Promise<T> => {
    await enter(owner)
    try {
      return await run()
    } finally {
      leave(owner)
    }
  }
}

function isSamePart(a: Owner, b: Owner): boolean {
  return a.id === b.id && a.part === b.part
}

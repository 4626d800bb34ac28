/** Does a bounded number of things in each turn of the event loop. */
export interface Meter {
  /** Whether one may be done in this very turn. */
  takeAtOnce(): boolean
  /** Has what waits looked at in the next turn. */
  schedule(): void
}

interface Waiting {
  /** Does the next thing that is due. Returns false if nothing can be done now. */
  takeNext(nowMs: number): boolean
  /** When something is due that is not yet; `Infinity` for never. */
  nextMs(): number
}

export function openMeter(perTurn: number, { takeNext, nextMs }: Waiting): Meter {
  let taken = 0
  let scheduled = false
  let timer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (!scheduled) setImmediate(takeTurn)
    scheduled = true
  }

  function takeTurn(): void {
    const nowMs = performance.now()
    scheduled = false
    taken = 0
    while (taken < perTurn && takeNext(nowMs)) taken++
    if (taken > 0) {
      schedule()
      return
    }
    clearTimeout(timer)
    const next = nextMs()
    timer = next === Infinity ? undefined : setTimeout(takeTurn, Math.max(1, next - nowMs))
  }

  return {
    schedule,
    takeAtOnce() {
      if (taken >= perTurn) return false
      taken++
      schedule()
      return true
    },
  }
}

/** First in, first out, in constant time. */
export interface Queue<T> {
  size(): number
  first(): T | undefined
  push(item: T): void
  shift(): void
}

export function queue<T>(): Queue<T> {
  let items: T[] = []
  let head = 0
  return {
    size: () => items.length - head,
    first: () => items[head],
    push: (item) => void items.push(item),
    shift() {
      head++
      if (head * 2 < items.length) return
      items = items.slice(head)
      head = 0
    },
  }
}

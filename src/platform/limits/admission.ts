import { busy } from '../errors.ts'
import { openMeter, type Queue, queue } from './meter.ts'
import { inPlace } from './place.ts'

/** Lets in, a few at a time, what nobody answers for. */
export interface Admission {
  /** Runs a function in its turn. Throws `unavailable` to whom too many are before, or for too long. */
  inTurn<T>(run: () => Promise<T>, isGone: () => boolean): Promise<T>
  /**
   * Comes after a second, unless too many wait so already: whoever is refused at once asks again at once, and a thousand
   * connections that do keep the process busy with refusals. Returns whether it waited.
   */
  pause(): Promise<boolean>
}

// In one turn of the event loop, so that no caller's turn comes much later for all that waits.
const PER_TURN = 2
const [MAX_WAITING, WAIT_MS] = [2000, 3000]
const [MAX_PAUSES, PAUSE_MS] = [2000, 1000]

interface Waiter {
  untilMs: number
  isGone(): boolean
  begin(): void
  refuse(): void
}

interface Pause {
  untilMs: number
  end(): void
}

/** `places` is how many run at once. */
export function openAdmission(places: number): Admission {
  const [waiting, pauses] = [queue<Waiter>(), queue<Pause>()]
  let running = 0
  const meter = openMeter(PER_TURN, {
    takeNext: (nowMs) => endPause(pauses, nowMs) || takeWaiter(nowMs),
    nextMs: () => Math.min(pauses.first()?.untilMs ?? Infinity, waiting.first()?.untilMs ?? Infinity),
  })

  /** Returns false when there is no place for the first, who may still wait. */
  function takeWaiter(nowMs: number): boolean {
    const waiter = waiting.first()
    if (!waiter) return false
    const isOver = waiter.untilMs <= nowMs || waiter.isGone()
    if (!isOver && running >= places) return false
    waiting.shift()
    if (isOver) waiter.refuse()
    else {
      running++
      waiter.begin()
    }
    return true
  }

  async function enter(isGone: () => boolean): Promise<void> {
    if (waiting.size() === 0 && running < places && meter.takeAtOnce()) running++
    else if (waiting.size() >= MAX_WAITING) throw busy()
    else
      await new Promise<void>((resolve, reject) => {
        waiting.push({ untilMs: performance.now() + WAIT_MS, isGone, begin: resolve, refuse: () => reject(busy()) })
        meter.schedule()
      })
  }

  function leave(): void {
    running--
    if (waiting.size() > 0) meter.schedule()
  }

  return {
    async inTurn(run, isGone) {
      await enter(isGone)
      try {
        return await inPlace({ leave, comeBack: () => void running++ }, run)
      } finally {
        leave()
      }
    },
    async pause() {
      if (pauses.size() >= MAX_PAUSES) return false
      await new Promise<void>((end) => {
        pauses.push({ untilMs: performance.now() + PAUSE_MS, end })
        meter.schedule()
      })
      return true
    },
  }
}

function endPause(pauses: Queue<Pause>, nowMs: number): boolean {
  const pause = pauses.first()
  if (!pause || pause.untilMs > nowMs) return false
  pauses.shift()
  pause.end()
  return true
}

import type { Clock } from '../clock.ts'

/** Decides which computation is next: hashes of passwords, and messages of identity providers. */
export interface FairQueue {
  /** How many computations run at once. */
  threads: number
  /** How many requests may compute or wait; as many again if each is of a directory with no more than its share. */
  places: number
  /** How many requests of one directory may compute or wait. */
  placesOfOne: number
  /** Computations of more than this cost leave one thread to the others. */
  lightCost: number
  clock: Clock
  lanes: Map<string, Lane>
  /** What the lane whose turn was last had spent before it: no newcomer begins below. */
  level: number
  present: number
  running: number
  /** Part of `running`. */
  heavy: number
}

/** What waits or computes for one directory. */
interface Lane {
  /** What its computations have cost, from when it came to the queue. */
  spent: number
  present: number
  waiting: Waiter[]
}

/** A request's place in the queue. */
export interface Place {
  lane: Lane
  hasLeft: boolean
  /** How long it may still wait, over all of its computations. */
  patienceMs: number
}

interface Waiter {
  place: Place
  cost: number
  /** Gives the turn, or refuses it. */
  settle(isTurn: boolean): void
}

/**
 * A queue that is fair by directory (start-time fair queueing): the directory with the lowest cost so far is next. A flood of
 * one directory takes no more than its share, whatever it costs. A computation cannot be interrupted, so costly ones never
 * hold every thread.
 */
export function openFairQueue(
  options: Pick<FairQueue, 'threads' | 'places' | 'lightCost' | 'clock'> & Partial<Pick<FairQueue, 'placesOfOne'>>,
): FairQueue {
  return {
    placesOfOne: Number.POSITIVE_INFINITY,
    ...options,
    lanes: new Map(),
    level: 0,
    present: 0,
    running: 0,
    heavy: 0,
  }
}

/**
 * Takes a place. If all are taken, a directory that has more of them gives one up; where nobody of it waits for a turn,
 * a directory with no more than its share is let in all the same. Returns null if there is no room.
 */
export function enterQueue(queue: FairQueue, directoryId: string, patienceMs: number): Place | null {
  const { lanes, level } = queue
  const lane = lanes.get(directoryId) ?? { spent: level, present: 0, waiting: [] }
  lanes.set(directoryId, lane)
  if (lane.present === 0) lane.spent = Math.max(lane.spent, level)
  const place = { lane, hasLeft: false, patienceMs }
  lane.present++
  queue.present++
  if (lane.present <= queue.placesOfOne)
    if (queue.present <= queue.places || makeRoom(queue, lane) || hasShare(queue, lane)) return place
  leaveQueue(queue, place)
  return null
}

/** Refuses the newest request that waits in the most crowded lane, if that is more crowded than this one. */
function makeRoom(queue: FairQueue, lane: Lane): boolean {
  const crowded = [...queue.lanes.values()].reduce((most, each) => (each.present > most.present ? each : most), lane)
  const last = crowded === lane ? undefined : crowded.waiting.at(-1)
  if (!last) return false
  leaveQueue(queue, last.place)
  last.settle(false)
  return true
}

function hasShare({ lanes, places, present }: FairQueue, lane: Lane): boolean {
  const sharing = [...lanes.values()].filter((each) => each.present > 0).length
  return lane.present <= Math.max(1, places / sharing) && present <= 2 * places
}

/** Gives the place back; once, however often it is called. */
export function leaveQueue(queue: FairQueue, place: Place): void {
  if (place.hasLeft) return
  place.hasLeft = true
  place.lane.present--
  queue.present--
  const { lanes, present, level } = queue
  // A lane that has spent more than the others is remembered as long as there are any.
  for (const [id, lane] of lanes) if (lane.present === 0 && (present === 0 || lane.spent <= level)) lanes.delete(id)
  if (present === 0) queue.level = 0
}

/** Waits for a turn to compute. Returns the end of the turn, or null when it is refused. */
export function takeTurn(queue: FairQueue, place: Place, cost: number): Promise<(() => void) | null> {
  const { clock } = queue
  const { waiting } = place.lane
  const { promise, resolve } = Promise.withResolvers<(() => void) | null>()
  // Process clock: how long a request waits in this process.
  const since = clock.now().getTime()
  const waiter: Waiter = {
    place,
    cost,
    settle(isTurn) {
      cancel()
      waiting.splice(waiting.indexOf(waiter), 1)
      place.patienceMs -= clock.now().getTime() - since
      resolve(isTurn ? () => endTurn(queue, cost) : null)
    },
  }
  const cancel = clock.startTimer(Math.max(0, place.patienceMs), () => waiter.settle(false))
  waiting.push(waiter)
  dispatch(queue)
  return promise
}

function dispatch(queue: FairQueue): void {
  while (queue.running < queue.threads) {
    const next = nextWaiter(queue)
    if (!next) return
    const { lane } = next.place
    queue.level = Math.max(queue.level, lane.spent)
    lane.spent += next.cost
    queue.running++
    if (next.cost > queue.lightCost) queue.heavy++
    next.settle(true)
  }
}

function nextWaiter({ lanes, threads, heavy, lightCost }: FairQueue): Waiter | null {
  let next: Waiter | null = null
  for (const { waiting, spent } of lanes.values()) {
    const [first] = waiting
    if (!first || (first.cost > lightCost && heavy >= Math.max(1, threads - 1))) continue
    if (!next || spent < next.place.lane.spent) next = first
  }
  return next
}

function endTurn(queue: FairQueue, cost: number): void {
  queue.running--
  if (cost > queue.lightCost) queue.heavy--
  dispatch(queue)
}

/** How many wait for a turn. */
export function countWaiting({ lanes }: FairQueue): number {
  return [...lanes.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)
}

/** Refuses all who wait. */
export function refuseWaiting({ lanes }: FairQueue): void {
  for (const { waiting } of lanes.values()) for (const waiter of [...waiting]) waiter.settle(false)
}

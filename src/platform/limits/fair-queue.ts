import { type Clock, systemClock } from '../clock.ts'
import { timeToWait } from '../db/deadline.ts'
import { busy } from '../errors.ts'

/** The owner of work. Parts of an owner, such as the organizations of an account, share its turns and places. */
export interface Owner {
  id: string
  part?: string
}

interface Limits {
  /** How many turns run at the same time. */
  turns: number
  /** How many turns one owner may have. If that is more than one, one of them is left for its other parts. */
  turnsOfOne: number
  /**
   * How many requests may run or wait. Requests of an owner with no more than its share may exceed this, up to twice
   * the number.
   */
  places: number
  /** How many requests of one owner may run or wait. */
  placesOfOne: number
  /** How long a request may wait, in all of its turns together. */
  patienceMs: number
  /** Turns that cost more than this must leave one turn for others. */
  lightCost: number
  /** How many turns may begin in one iteration of the event loop. */
  perLoop: number
  /**
   * Whether `cost` says in advance how long a turn takes. If not, the owner with the fewest running turns is next, so
   * that long turns of some owners do not delay short turns of others.
   */
  costsKnown: boolean
  clock: Clock
}

/** Requests that run or wait for a turn. */
export interface FairQueue {
  limits: Limits
  all: Share
  /** The number of running turns that cost more than `lightCost`. */
  heavy: number
  /** The number of turns that have begun in this iteration of the event loop. */
  begun: number
}

/** Counters of the whole queue, of an owner, or of a part. */
interface Share {
  id: string
  /** The cost of its turns since it joined the queue. */
  spent: number
  /** The `spent` of the member that got the last turn. New members do not start below it. */
  level: number
  /** How many requests run or wait. */
  present: number
  running: number
  waiting: number
  members: Map<string, Share>
  /** The number of members with requests. */
  sharing: number
  /** The members, grouped by their number of running or waiting requests. */
  crowds: Map<number, Set<Share>>
  /** The largest number of requests of any member. */
  most: number
  /** The waiting requests of a part, oldest first. */
  waiters: Waiter[]
}

type Path = readonly [all: Share, owner: Share, part: Share]

/** A request's place in the queue. */
export interface Place {
  path: Path
  hasLeft: boolean
  /** How much longer the request may wait. */
  patienceMs: number
}

/** A turn that has begun. */
export interface Turn {
  /** Ends the turn, or gives it up while the request waits for something else. */
  leave(): void
  /** Resumes the turn, even if every turn is taken. */
  comeBack(): void
}

interface Waiter {
  place: Place
  cost: number
  isGone(): boolean
  /** Grants the turn or refuses it. */
  settle(isTurn: boolean): void
}

/**
 * Opens a queue that is fair between owners and between parts (start-time fair queueing). The owner with the lowest
 * cost so far is next. If costs are not known, the number of running turns decides first. A flood from one owner gets
 * no more than its share. Omitted limits do not apply.
 */
export function openFairQueue(limits: Pick<Limits, 'turns' | 'places' | 'patienceMs'> & Partial<Limits>): FairQueue {
  const none = Number.POSITIVE_INFINITY
  const defaults = { turnsOfOne: none, placesOfOne: none, lightCost: none, perLoop: none }
  const others = { costsKnown: false, clock: systemClock }
  return { limits: { ...defaults, ...others, ...limits }, all: openShare('', 0), heavy: 0, begun: 0 }
}

/**
 * Runs a function when it is its turn. Throws `unavailable` if the queue is full or the request would wait too long.
 * `isGone` says whether the client has disconnected, in which case the request is refused instead of run.
 */
export async function inTurn<T>(
  queue: FairQueue,
  owner: Owner,
  run: (turn: Turn) => Promise<T>,
  isGone = () => false,
): Promise<T> {
  const place = enterQueue(queue, owner, timeToWait(queue.limits.patienceMs))
  if (!place) throw busy()
  try {
    const turn = await takeTurn(queue, place, 1, isGone)
    if (!turn) throw busy()
    try {
      return await run(turn)
    } finally {
      turn.leave()
    }
  } finally {
    leaveQueue(queue, place)
  }
}

function openShare(id: string, level: number): Share {
  const members = { members: new Map(), sharing: 0, crowds: new Map(), most: 0 }
  return { id, spent: level, level: 0, present: 0, running: 0, waiting: 0, ...members, waiters: [] }
}

/** Counts a request of a member that arrives (1) or leaves (-1). */
function countPresent(group: Share, member: Share, by: 1 | -1): void {
  const before = group.crowds.get(member.present)
  before?.delete(member)
  if (before?.size === 0) group.crowds.delete(member.present)
  member.present += by
  if (member.present > 0) group.crowds.set(member.present, (group.crowds.get(member.present) ?? new Set()).add(member))
  if (member.present > group.most) group.most = member.present
  while (group.most > 0 && !group.crowds.has(group.most)) group.most--
  if (by === 1 ? member.present === 1 : member.present === 0) group.sharing += by
}

/**
 * Takes a place. If all places are taken, the owner with the most requests loses its newest waiting request. If none of
 * that owner's requests waits, an owner that has no more than its share still gets a place. Returns null if there is no
 * room.
 */
export function enterQueue(queue: FairQueue, owner: Owner, patienceMs = queue.limits.patienceMs): Place | null {
  const { all, limits } = queue
  const one = join(all, owner.id)
  const part = join(one, owner.part ?? '')
  const place: Place = { path: [all, one, part], hasLeft: false, patienceMs }
  all.present++
  countPresent(all, one, 1)
  countPresent(one, part, 1)
  const hasRoom =
    one.present > limits.placesOfOne
      ? makeRoom(one, part)
      : all.present <= limits.places || makeRoom(all, one) || hasShare(all, one, limits.places)
  if (hasRoom) return place
  leaveQueue(queue, place)
  return null
}

function join(group: Share, id: string): Share {
  const member = group.members.get(id) ?? openShare(id, group.level)
  group.members.set(id, member)
  return member
}

/** Refuses the newest waiting request of the most crowded member, if that member has more requests than this one. */
function makeRoom(group: Share, member: Share): boolean {
  const [crowded] = group.most > member.present ? (group.crowds.get(group.most) ?? []) : []
  const last = crowded && newestWaiter(crowded)
  last?.settle(false)
  return last !== undefined
}

function mostPresent(shares: Iterable<Share>, first: Share): Share {
  let most = first
  for (const share of shares) if (share.present > most.present) most = share
  return most
}

function newestWaiter(share: Share): Waiter | undefined {
  const [first, ...others] = [...share.members.values()].filter(({ waiting }) => waiting > 0)
  return first ? newestWaiter(mostPresent(others, first)) : share.waiters.at(-1)
}

function hasShare(all: Share, one: Share, places: number): boolean {
  return one.present <= Math.max(1, places / all.sharing) && all.present <= 2 * places
}

/** Gives the place back. Further calls have no effect. */
export function leaveQueue({ limits }: FairQueue, place: Place): void {
  if (place.hasLeft) return
  place.hasLeft = true
  const [all, one, part] = place.path
  all.present--
  countPresent(all, one, -1)
  countPresent(one, part, -1)
  forget(one, part, limits)
  forget(all, one, limits)
}

/**
 * Removes a member without requests. A member that has spent more than the others is remembered while the others are
 * present.
 */
function forget(group: Share, member: Share, { places }: Limits): void {
  if (group.present === 0) {
    group.members.clear()
    group.level = 0
  } else if (member.present === 0 && member.spent <= group.level) group.members.delete(member.id)
  if (group.members.size <= 4 * places) return
  for (const { id, present } of group.members.values()) if (present === 0) group.members.delete(id)
}

/** Waits for a turn. Returns null if it is refused. */
export function takeTurn(queue: FairQueue, place: Place, cost: number, isGone = () => false): Promise<Turn | null> {
  const { clock } = queue.limits
  const [all, one, part] = place.path
  const { waiters } = part
  // A member without waiting requests cannot save up unused turns, even if it has running ones.
  if (one.waiting === 0) one.spent = Math.max(one.spent, all.level)
  if (part.waiting === 0) part.spent = Math.max(part.spent, one.level)
  const { promise, resolve } = Promise.withResolvers<Turn | null>()
  // Process clock: how long a request waits in this process.
  const since = clock.now().getTime()
  let cancel: (() => void) | null = null
  let isSettled = false
  const waiter: Waiter = {
    place,
    cost,
    isGone,
    settle(isTurn) {
      isSettled = true
      cancel?.()
      waiters.splice(waiters.indexOf(waiter), 1)
      for (const share of place.path) share.waiting--
      place.patienceMs -= clock.now().getTime() - since
      // A refused request leaves at once, so that its place is free for the request that displaced it.
      if (!isTurn) leaveQueue(queue, place)
      resolve(isTurn ? openTurn(queue, place.path, cost) : null)
    },
  }
  waiters.push(waiter)
  for (const share of place.path) share.waiting++
  dispatch(queue)
  if (!isSettled) cancel = clock.startTimer(Math.max(0, place.patienceMs), () => waiter.settle(false))
  return promise
}

function openTurn(queue: FairQueue, path: Path, cost: number): Turn {
  const count = (by: 1 | -1) => {
    for (const share of path) share.running += by
    if (cost > queue.limits.lightCost) queue.heavy += by
  }
  count(1)
  return {
    leave() {
      count(-1)
      dispatch(queue)
    },
    comeBack: () => count(1),
  }
}

function dispatch(queue: FairQueue): void {
  const { all, limits } = queue
  while (all.running < limits.turns && queue.begun < limits.perLoop) {
    const next = nextWaiter(queue, all, 0)
    if (!next) return
    if (next.isGone()) next.settle(false)
    else begin(queue, next)
  }
}

function begin(queue: FairQueue, waiter: Waiter): void {
  const [all, one, part] = waiter.place.path
  all.level = Math.max(all.level, one.spent)
  one.level = Math.max(one.level, part.spent)
  one.spent += waiter.cost
  part.spent += waiter.cost
  if (queue.limits.perLoop !== Number.POSITIVE_INFINITY && queue.begun++ === 0)
    setImmediate(() => {
      queue.begun = 0
      dispatch(queue)
    })
  waiter.settle(true)
}

/** The oldest request of the member that is next, among the members that may have a turn. */
function nextWaiter(queue: FairQueue, group: Share, depth: 0 | 1): Waiter | null {
  let next: Waiter | null = null
  for (const member of group.members.values()) {
    const best = next?.place.path[depth + 1]
    if (member.waiting === 0 || (best && !isBefore(queue.limits, member, best))) continue
    if (isServed(queue.limits, member, depth)) continue
    next = (depth === 0 ? nextWaiter(queue, member, 1) : firstWaiter(queue, member)) ?? next
  }
  return next
}

function isBefore({ costsKnown }: Limits, one: Share, other: Share): boolean {
  if (!costsKnown && one.running !== other.running) return one.running < other.running
  return one.spent < other.spent
}

/** Whether an owner or part has all the turns that it may have. */
function isServed({ turnsOfOne }: Limits, { id, running }: Share, depth: 0 | 1): boolean {
  if (depth === 0) return running >= turnsOfOne
  return id !== '' && running >= Math.max(1, turnsOfOne - 1)
}

function firstWaiter({ limits, heavy }: FairQueue, { waiters: [first] }: Share): Waiter | null {
  const isHeavy = (first?.cost ?? 0) > limits.lightCost
  return first && !(isHeavy && heavy >= Math.max(1, limits.turns - 1)) ? first : null
}

/** The number of requests that wait for a turn. */
export function countWaiting({ all }: FairQueue): number {
  return all.waiting
}

/** Refuses all waiting requests. */
export function refuseWaiting({ all }: FairQueue): void {
  for (const one of all.members.values())
    for (const part of one.members.values()) for (const waiter of [...part.waiters]) waiter.settle(false)
}

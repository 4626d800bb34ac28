import { setTimeout } from 'node:timers/promises'
import { inLane } from '../db/lanes.ts'
import { ApiError, httpErrors } from '../errors.ts'
import { type FairQueue, inTurn, openFairQueue } from '../limits/fair-queue.ts'
import { limitNetworks } from '../limits/network-limit.ts'
import { runInTurn } from '../limits/place.ts'
import { networkOf } from './client-address.ts'

/** The client of a request, as far as it is known without a credential. */
export interface Peer {
  ip: string
  /** Whether the client has closed the connection. */
  isGone(): boolean
}

/** Requests without a credential, or with one that may be wrong. They are limited by the client's network. */
export interface AnonymousTraffic {
  /** Counts a request that needs no credential. Returns a refusal if its network has used up its limit. */
  count(peer: Peer, nowMs: number): ApiError | null
  /** Runs work when it is its turn, on connections that callers do not use. Throws `unavailable`. */
  run<T>(peer: Peer, work: () => Promise<T>): Promise<T>
  /** Runs work that looks up a credential. Throws `rate_limited` if the network has sent too many wrong ones. */
  lookUp<T>(peer: Peer, nowMs: number, work: () => Promise<T>): Promise<T>
  /** Counts a credential that was refused. Returns the error for the request. */
  fail(peer: Peer, nowMs: number, refusal: ApiError): Promise<ApiError>
  /** Waits before a request is refused for sending too many requests. */
  delay(refusal: ApiError): Promise<ApiError>
}

// A page loads with a few requests, and many people may share an address.
const BURST_SECONDS = 10

// Each kind uses up to two database connections. No network can take every turn.
const REQUESTS = { turns: 16, turnsOfOne: 12 }
const LOOK_UPS = { turns: 8, turnsOfOne: 6 }
// Only a few turns start in one iteration of the event loop, so that callers do not wait for them.
const QUEUE = { places: 2000, patienceMs: 3000, perLoop: 2 }
const [MAX_PAUSES, PAUSE_MS] = [2000, 1000]

/** `perSecond` limits the requests and the wrong credentials of each network. Null means no limit. */
export function limitAnonymous(perSecond: number | null): AnonymousTraffic {
  const open = openFairQueue({ ...QUEUE, ...REQUESTS })
  // Requests whose credential may be right do not wait behind requests without one.
  const lookUps = openFairQueue({ ...QUEUE, ...LOOK_UPS })
  let pauses = 0
  const rate = perSecond === null ? null : { perSecond, burst: perSecond * BURST_SECONDS }
  const [requests, failures] = rate ? [limitNetworks(rate), limitNetworks(rate)] : [null, null]

  async function delay(refusal: ApiError): Promise<ApiError> {
    const { definition, details } = refusal
    if (pauses >= MAX_PAUSES)
      return new ApiError(definition, { ...details, headers: { ...details.headers, connection: 'close' } })
    pauses++
    // The delay varies, so that many connections do not send the next request at the same moment.
    await setTimeout(PAUSE_MS * (0.5 + Math.random()))
    pauses--
    return refusal
  }

  function runIn<T>(queue: FairQueue, { ip, isGone }: Peer, work: () => Promise<T>): Promise<T> {
    return inTurn(queue, { id: networkOf(ip) }, (turn) => runInTurn(turn, () => inLane('anonymous', work)), isGone)
  }

  return {
    delay,
    run: (peer, work) => runIn(open, peer, work),
    count({ ip }, nowMs) {
      const seconds = requests?.count(ip, nowMs) ?? 0
      return seconds > 0 ? tooMany('Too many requests from this network', seconds, 'network.requests') : null
    },
    async lookUp(peer, nowMs, work) {
      const seconds = failures?.wait(peer.ip, nowMs) ?? 0
      if (seconds > 0) throw tooMany(WRONG, seconds, 'network.credentials')
      return runIn(lookUps, peer, work)
    },
    async fail({ ip }, nowMs, refusal) {
      if (refusal.definition.code === httpErrors.rateLimited.code) return delay(refusal)
      const seconds = failures?.count(ip, nowMs) ?? 0
      return seconds > 0 ? delay(tooMany(WRONG, seconds, 'network.credentials')) : refusal
    },
  }
}

const WRONG = 'Too many wrong credentials from this network'

function tooMany(what: string, seconds: number, limit: string): ApiError {
  return httpErrors.rateLimited({
    detail: `${what}: try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
    limit,
    extra: { retry_after: seconds },
  })
}

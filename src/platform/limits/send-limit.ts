import { hashPurpose } from '../crypto/keyring.ts'
import { keyedHash } from '../crypto/tokens.ts'
import type { Origin } from '../events/origin.ts'
import { networkOf } from '../http/client-address.ts'
import { accountDirectory } from '../tenancy/directory.ts'
import type { Work } from '../work.ts'
import {
  type Counted,
  claimAct,
  count,
  findLimitUsedUp,
  idBytes,
  type RateLimit,
  type RateState,
  type SharedPolicy,
} from './rate-limit.ts'

const networks = hashPurpose('send-network')

/** Messages per hour, to all recipients together. */
export interface SendCeilings {
  /** Messages from a directory. */
  perOrganizationHour: number
  /** Messages caused by an API key, or by the user of an access token, in all directories. */
  perKeyHour: number
  /** Messages requested from one network of end users. */
  perNetworkHour: number
}

/** A message to send, as far as shared limits need to know it. */
export interface Sending {
  /**
   * Whether a message is really sent. If the response only looks as if one was, for example for an unknown address, no
   * shared limit is used up. Otherwise a stranger could use it up with made-up addresses.
   */
  leaves: boolean
  /**
   * Whether anyone may request it, as on a sign-in page. Then requests from one network are limited, even if no
   * message is sent.
   */
  byAnyone: boolean
  /**
   * Limits that the target shares with other messages. Only messages that the target's own limits allow are counted
   * here.
   */
  within?: RateLimit[]
}

/**
 * Counts one message to a target as `countAct` does, and also against the hourly limits of its organization and of the
 * API key or user who requests it, so that a stolen credential cannot send spam or run up a bill. Messages refused by
 * the limits of the target or the network do not count against these. Statement, refusal and headers do not depend on
 * whether the message is sent. Returns the state of the target's limits. Throws `rate_limited`, which names the owner
 * of the limit.
 */
export async function countSend(
  work: Work,
  target: Buffer,
  limits: RateLimit[],
  sending: Sending & { ceilings: SendCeilings },
): Promise<RateState> {
  const { own, shared } = await limitsOf(work, target, limits, sending)
  return count(work.platform, own, shared)
}

/** The owner of the limit that withholds a message, as the API names it. */
export type SendLimitReason = `${SharedPolicy | 'recipient'}_limit`

/**
 * Counts with the same statement, for messages that are withheld while the request succeeds. Returns null if the
 * message may be sent.
 */
export async function findSendLimit(
  work: Work,
  target: Buffer,
  limits: RateLimit[],
  sending: Sending & { ceilings: SendCeilings },
): Promise<SendLimitReason | null> {
  const { own, shared } = await limitsOf(work, target, limits, sending)
  const over = await findLimitUsedUp(work.platform, own, shared)
  return over && `${over.policy ?? 'recipient'}_limit`
}

async function limitsOf(
  work: Work,
  identity: Buffer,
  limits: RateLimit[],
  { leaves, byAnyone, within = [], ceilings }: Sending & { ceilings: SendCeilings },
) {
  const ofTarget = (limit: RateLimit): Counted => ({ ...limit, directory: work.directory, identity })
  const own = limits.map(ofTarget)
  if (byAnyone) own.push(...ofNetwork(work, { ...NETWORK, limit: ceilings.perNetworkHour }))
  const shared = await sharedLimits(work, ceilings)
  const next = within.map(ofTarget).toSorted(byBucket)
  return { own, shared: [...next, ...(leaves ? shared : shared.map(takingNothing))] }
}

// The same lock order as for the targets' counters.
const byBucket = (a: RateLimit, b: RateLimit) => (a.bucket < b.bucket ? -1 : 1)

/**
 * Uses one of a directory's messages if any is left, and counts it against the shared limits like a message that is
 * sent. If `takes` is false, the same statement runs and counts nothing.
 */
export async function claimSend(work: Work, limit: RateLimit, ceilings: SendCeilings, takes = true): Promise<boolean> {
  const shared = await sharedLimits(work, ceilings)
  return claimAct(work, limit, takes ? shared : shared.map(takingNothing), takes)
}

const takingNothing = (limit: Counted): Counted => ({ ...limit, takes: 0 })

async function sharedLimits({ platform, directory, origin }: Work, ceilings: SendCeilings): Promise<Counted[]> {
  const windowSeconds = 3600
  const organization: Counted = {
    bucket: 'send.organization',
    limit: ceilings.perOrganizationHour,
    windowSeconds,
    policy: 'organization',
    directory,
    identity: idBytes(directory.id),
  }
  const { type, id } = origin.actor
  const policy = policyOf[type]
  if (policy === undefined || id === null) return [organization]
  const sender: Counted = {
    bucket: `send.${policy}`,
    limit: ceilings.perKeyHour,
    windowSeconds,
    policy,
    directory: await accountDirectory(platform, directory),
    identity: idBytes(id),
  }
  return [organization, sender]
}

// A team member reaches as many organizations as an org-wide key does. An end user reaches one address.
const policyOf: Partial<Record<Origin['actor']['type'], 'key' | 'user'>> = { api_key: 'key', user: 'user' }

const NETWORK = { bucket: 'send.network', windowSeconds: 3600 }

/** A limit of the end user's network, if the request names the network. */
export function ofNetwork({ platform, directory, origin }: Work, limit: RateLimit): Counted[] {
  const { ip } = origin.endUser
  if (ip === null) return []
  // IP addresses are personal data, so only a keyed hash is stored.
  const identity = keyedHash(platform.keyring.hashKey(networks), networkOf(ip))
  return [{ ...limit, policy: 'network', directory, identity }]
}

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

/** Messages per hour, whatever their recipients. */
export interface SendCeilings {
  /** From a directory. */
  perOrganizationHour: number
  /** From an API key, or the user of an access token, over all directories they send from. */
  perKeyHour: number
  /** Asked for from one network of end users. */
  perNetworkHour: number
}

/** What is to be sent, for the limits that others share. */
export interface Sending {
  /**
   * Whether a message is sent. If the response only looks as if one was, such as for an unknown address, no shared limit
   * is used up: a stranger could otherwise use it up with made-up addresses.
   */
  leaves: boolean
  /** Whether anybody may ask for it, as on a sign-in page. Then those from one network are limited, whether they leave or not. */
  byAnyone: boolean
  /** Limits of the target that it shares with other messages, of which only what its own ones let through takes. */
  within?: RateLimit[]
}

/**
 * Counts one message to a target as countAct does, and also against what its organization and the API key, or the user of
 * the access token, may send in an hour, so that a stolen credential cannot send spam or run up a bill. What the target's
 * own limits or that of the network refuse does not count against those. Whether or not the message leaves, statement, refusal and headers are the same.
 * Returns the state of the target's limits. Throws `rate_limited`, which says whose it is.
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

/** Whose limit keeps a message from leaving, in the words of the wire. */
export type SendLimitReason = `${SharedPolicy | 'recipient'}_limit`

/** The same, by the same statement, where the message is withheld and the request not refused. Null: it may leave. */
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

// The same lock order as the counters of the targets.
const byBucket = (a: RateLimit, b: RateLimit) => (a.bucket < b.bucket ? -1 : 1)

/**
 * Takes one of a directory's messages if any is left, and counts it, as one that leaves, against what others share; if
 * `takes` is false the same statement, of which nothing is counted.
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

// A member of the team reaches as many organizations as an org-wide key does. An end user reaches one address.
const policyOf: Partial<Record<Origin['actor']['type'], 'key' | 'user'>> = { api_key: 'key', user: 'user' }

const NETWORK = { bucket: 'send.network', windowSeconds: 3600 }

/** A limit of the end user's network, if the request tells it. */
export function ofNetwork({ platform, directory, origin }: Work, limit: RateLimit): Counted[] {
  const { ip } = origin.endUser
  if (ip === null) return []
  // IP addresses are personal data: only a keyed hash is stored.
  const identity = keyedHash(platform.keyring.hashKey(networks), networkOf(ip))
  return [{ ...limit, policy: 'network', directory, identity }]
}

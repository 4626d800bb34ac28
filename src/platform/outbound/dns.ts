import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { refuseInTransaction } from '../db/lanes.ts'
import { readErrorField } from '../errors.ts'
import type { Platform } from '../platform.ts'

// The time for one query to one server, and the number of tries if a packet is lost.
const [TIMEOUT_MS, TRIES] = [1500, 2]
/** The time for a whole lookup, over several servers and a chain of aliases. */
const LIMIT_MS = 5000

/** The TXT records of a name (an empty list if it has none), or null if no name server answered. */
export type TxtAnswer = { texts: string[] } | { texts: null }

/**
 * Looks up the TXT records of a name, each as one text, with the configured resolver or the system's. Nothing is
 * cached. A DNS answer has at most 64 KiB and limited time.
 */
export async function lookUpTxt(platform: Pick<Platform, 'config' | 'strict'>, name: string): Promise<TxtAnswer> {
  refuseInTransaction(platform)
  const { config } = platform
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (config.dnsServer !== null) resolver.setServers([config.dnsServer])
  const late = setTimeout(() => resolver.cancel(), LIMIT_MS)
  try {
    const records = await resolver.resolveTxt(name)
    return { texts: records.map((strings) => strings.join('')) }
  } catch (error) {
    const isNone = ['ENOTFOUND', 'ENODATA'].includes(String(readErrorField(error, 'code')))
    return { texts: isNone ? [] : null }
  } finally {
    clearTimeout(late)
  }
}

/**
 * Asks the name servers for every address of a name, over a separate socket. The system's lookup would occupy one of
 * the process's two threads, for ten seconds or more if a name server does not answer. Two such names would then block
 * all other lookups. `server` replaces the system's name servers. Throws as node:dns does.
 */
export async function lookUpAddresses(hostname: string, server: string | null = null): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (server !== null) resolver.setServers([server])
  const late = setTimeout(() => resolver.cancel(), LIMIT_MS)
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
  } finally {
    clearTimeout(late)
  }
}

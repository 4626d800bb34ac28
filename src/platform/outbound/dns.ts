import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { refuseInTransaction } from '../db/lanes.ts'
import { readErrorField } from '../errors.ts'
import type { Platform } from '../platform.ts'

// Of one question to one server; what is lost is asked again once.
const [TIMEOUT_MS, TRIES] = [1500, 2]
/** Of a look-up in all, over several servers and a chain of aliases. */
const LIMIT_MS = 5000

/** The TXT records of a name, an empty list if it has none, or null if no name server answered. */
export type TxtAnswer = { texts: string[] } | { texts: null }

/**
 * The TXT records of a name, each in one piece, asked of the configured resolver or the system's. Nothing is kept: each
 * look-up asks anew. An answer of the DNS is 64 KiB at most, within a bounded time.
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
 * Every address of a name, from the name servers, with a separate socket. The system's look-up would occupy one of two
 * threads of the process, for ten seconds or more if a name server does not answer. Two such names would then block all
 * other look-ups. `server` replaces the system's name servers. Throws as node:dns does.
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

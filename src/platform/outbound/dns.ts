import { Resolver } from 'node:dns/promises'
import { readErrorField } from '../errors.ts'
import type { Platform } from '../platform.ts'

// Of one question to one server; what is lost is asked again once.
const [TIMEOUT_MS, TRIES] = [1500, 2]
/** Of a look-up in all, over several servers and a chain of aliases. */
const LIMIT_MS = 5000

/** What the DNS says: the texts of a name, none where it says that there are none, or that nobody has told. */
export type TxtAnswer = { texts: string[] } | { texts: null }

/**
 * The TXT records of a name, each in one piece, asked of the configured resolver or the system's. Nothing is kept: each
 * look-up asks anew. An answer of the DNS is 64 KiB at most, within a bounded time.
 */
export async function lookUpTxt({ config }: Pick<Platform, 'config'>, name: string): Promise<TxtAnswer> {
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

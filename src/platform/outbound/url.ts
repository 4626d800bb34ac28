import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import { hostOf, isPublicAddress, PRIVATE_NAME, readExceptions } from './addresses.ts'

/**
 * Whether a text is the address of a server of somebody else that this service, or a browser it sends on, may go to:
 * https without a user name or fragment; http only to what WATCHWORD_OUTBOUND_ALLOW names. Where it leads in the end is
 * checked when it is asked.
 */
export function isPeerAddress({ outboundAllow }: Pick<Config, 'outboundAllow'>, text: string): boolean {
  if (text.length > 2048 || /[\\\s\p{Cc}\p{Cf}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return false
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#')) return false
  if (url.protocol === 'https:') return true
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const exceptions = readExceptions(outboundAllow)
  return exceptions.host(host) || exceptions.address(host)
}

/** Whether such an address is by its very text one of a private network, and WATCHWORD_OUTBOUND_ALLOW does not name it. */
export function leadsInside({ outboundAllow }: Pick<Config, 'outboundAllow'>, text: string): boolean {
  const host = hostOf(new URL(text))
  const exceptions = readExceptions(outboundAllow)
  if (exceptions.host(host) || exceptions.address(host)) return false
  return PRIVATE_NAME.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
}

/** Whether an address is of another server than before: a secret that was given for the one is not for the other. */
export function leavesServer(before: string | null, now: string | null): boolean {
  return before !== null && (now === null || new URL(before).origin !== new URL(now).origin)
}

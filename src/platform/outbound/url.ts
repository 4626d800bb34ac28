import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import { hostOf, isPublicAddress, PRIVATE_NAME, readExceptions } from './addresses.ts'

/**
 * Whether a text is a URL of an external server that this service, or a browser that it redirects, may call. The URL
 * must be https without a user name or fragment, or http to a host in WATCHWORD_OUTBOUND_ALLOW. The resolved address
 * is checked at the request.
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

/** Whether the URL itself names a private network's address that is not in WATCHWORD_OUTBOUND_ALLOW. */
export function isPrivateUrl({ outboundAllow }: Pick<Config, 'outboundAllow'>, text: string): boolean {
  const host = hostOf(new URL(text))
  const exceptions = readExceptions(outboundAllow)
  if (exceptions.host(host) || exceptions.address(host)) return false
  return PRIVATE_NAME.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
}

/** Whether the address now names another server, for which a secret of the earlier server must not be used. */
export function changesOrigin(before: string | null, now: string | null): boolean {
  return before !== null && (now === null || new URL(before).origin !== new URL(now).origin)
}

import type { Config } from '../config/config.ts'

/** The host names of this machine in a WHATWG URL. */
export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Returns the address in its WHATWG form, or null if it is never allowed. Allowed are https, and in development http
 * on this machine. There may be no user name (`https://good@evil`), no fragment, and nothing that parsers read
 * differently (backslashes, white space, control characters, wildcards).
 */
export function readRedirectUri(config: Pick<Config, 'production'>, text: string): string | null {
  if (text.length > 2048 || /[\\*\s\p{Cc}\p{Cf}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return null
  const url = URL.parse(text)
  if (url === null) return null
  if (url.username !== '' || url.password !== '' || text.includes('#')) return null
  if (url.protocol === 'https:') return url.href
  return !config.production && LOOPBACK.test(url.hostname) ? url.href : null
}

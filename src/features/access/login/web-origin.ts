import type { Config } from '../../../platform/config/config.ts'
import { invalidField } from '../../../platform/errors.ts'
import { LOOPBACK } from '../../../platform/http/redirect-uri.ts'
import type { Work } from '../../../platform/work.ts'

/**
 * Whether the text is an origin as browsers send it (RFC 6454 §6.2): https, or in development also http on localhost.
 */
export function isWebOrigin(config: Pick<Config, 'production'>, text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.origin !== text || url.hostname.includes('*')) return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && !config.production && LOOPBACK.test(url.hostname)
}

/** Throws `invalid_request` for an entry that is not a browser origin, or that is never allowed. */
export function assertOriginsFit({ platform }: Pick<Work, 'platform'>, patch: Record<string, unknown>): void {
  const { config } = platform
  const list = Array.isArray(patch['allowed_origins']) ? patch['allowed_origins'].map(String) : []
  const at = list.findIndex((text) => !isWebOrigin(config, text))
  if (at < 0) return
  const origin = config.production ? 'an https origin' : 'an https origin, or in development http on this machine,'
  const message = `an entry must be ${origin} without path or wildcard, such as https://app.example.com`
  throw invalidField(`allowed_origins.${at}`, 'origin', message, `allowed_origins: ${message}.`)
}

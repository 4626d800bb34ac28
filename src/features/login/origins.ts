import type { Config } from '../../platform/config.ts'
import { invalidField } from '../../platform/errors.ts'
import { LOOPBACK } from '../../platform/http/redirect-uri.ts'
import type { Work } from '../../platform/work.ts'
import { authSettings } from './settings.ts'

/** Whether the text is an origin as browsers write it (RFC 6454 §6.2): https, or in development http on localhost. */
function isWebOrigin(config: Pick<Config, 'production'>, text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.origin !== text || url.hostname.includes('*')) return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && !config.production && LOOPBACK.test(url.hostname)
}

/** Whether pages of this origin may call end-user routes: it must equal an entry of `allowed_origins`. */
export async function isOriginAllowed(work: Pick<Work, 'platform' | 'directory'>, origin: string): Promise<boolean> {
  const { allowed_origins: allowed } = await authSettings.effective(work)
  return allowed.includes(origin) && isWebOrigin(work.platform.config, origin)
}

/** Throws `invalid_request` for an entry that is not a browser origin, or that may never be allowed. */
export function assertOrigins(config: Pick<Config, 'production'>, list: readonly string[]): void {
  const at = list.findIndex((text) => !isWebOrigin(config, text))
  if (at < 0) return
  const origin = config.production ? 'an https origin' : 'an https origin, or in development http on this machine,'
  const message = `an entry must be ${origin} without path or wildcard, such as https://app.example.com`
  throw invalidField(`allowed_origins.${at}`, 'origin', message, `allowed_origins: ${message}.`)
}

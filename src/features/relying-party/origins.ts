import type { Config } from '../../platform/config.ts'
import { HOST } from './settings.ts'

/** The host of the service's own address. */
export function ownHost({ config }: { config: Pick<Config, 'baseUrl'> }): string {
  return new URL(config.baseUrl).hostname
}

/**
 * Whether browsers let a page of this origin use the relying party: it must be the origin's host or a parent of it.
 * Only browsers check that it is not a public suffix, such as co.uk.
 */
export function isWithin(origin: string, rpId: string): boolean {
  const host = URL.parse(origin)?.hostname
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`))
}

/** Whether the text is an origin as browsers write it: https, or in development http://localhost. */
export function isOrigin(config: Pick<Config, 'production'>, text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.origin !== text || !new RegExp(HOST).test(url.hostname)) return false
  return url.protocol === 'https:' || (!config.production && url.protocol === 'http:' && url.hostname === 'localhost')
}

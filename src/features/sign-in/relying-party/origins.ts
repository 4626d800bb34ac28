import type { Config } from '../../../platform/config/config.ts'
import { HOST } from './settings.ts'

/** The host of the service's own address. */
export function ownHost({ config }: { config: Pick<Config, 'baseUrl'> }): string {
  // Base URL: its host is the default ID of the relying party.
  return new URL(config.baseUrl).hostname
}

/**
 * Whether browsers let a page of this origin use the relying party, which must be the origin's host or a parent
 * domain. Only browsers check that it is not a public suffix, such as co.uk.
 */
export function isWithin(origin: string, rpId: string): boolean {
  const host = URL.parse(origin)?.hostname
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`))
}

/**
 * Whether pages of http://localhost may use passkeys. They may in development, and if the service itself is only
 * reachable at localhost. Browsers treat localhost as a secure context without TLS (W3C Secure Contexts §3.1).
 */
export function isForLocalhost({ production, baseUrl }: Pick<Config, 'production' | 'baseUrl'>): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return !production || (protocol === 'http:' && hostname === 'localhost')
}

/** Whether the text is an origin as browsers write it: https, or http://localhost if that is allowed. */
export function isOrigin(config: Pick<Config, 'production' | 'baseUrl'>, text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.origin !== text || !new RegExp(HOST).test(url.hostname)) return false
  return (
    url.protocol === 'https:' || (isForLocalhost(config) && url.protocol === 'http:' && url.hostname === 'localhost')
  )
}

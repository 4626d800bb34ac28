import type { Config } from '../../platform/config.ts'
import { brandOf } from '../../platform/mail/brand.ts'
import type { Work } from '../../platform/work.ts'
import { HOST, type PasskeySettings, passkeySettings } from './settings.ts'

/** EdDSA, ES256, RS256 (RFC 8152, RFC 8812), in order of preference. */
export const ALGORITHMS = [-8, -7, -257]

/** The relying party of a directory's passkeys, and the pages that they are accepted from. */
export interface RelyingParty {
  id: string
  name: string
  /** Exact origins: of the relying party's own site and of related ones. */
  origins: string[]
  /** In development: whether http://localhost with any port is accepted too. */
  takesLocalhost: boolean
  settings: PasskeySettings
}

type Tenant = Pick<Work, 'platform' | 'directory'>

export async function relyingPartyOf(work: Tenant): Promise<RelyingParty> {
  return relyingPartyBy(work, await passkeySettings.effective(work))
}

/** The same under settings of the directory that may not be committed yet. */
export async function relyingPartyBy(work: Tenant, settings: PasskeySettings): Promise<RelyingParty> {
  const { platform } = work
  const id = settings.rp_id ?? ownHost(platform)
  // The account may have changed the inherited relying party since the organization set its list.
  const own = settings.origins.filter((origin) => isWithin(origin, id))
  const origins = [...(settings.origins.length ? own : [`https://${id}`]), ...settings.related_origins]
  const takesLocalhost = !platform.config.production && id === 'localhost' && settings.origins.length === 0
  return { id, name: settings.rp_name ?? (await brandOf(work)).name, origins, takesLocalhost, settings }
}

/** The host of the service's own address. */
export function ownHost({ config }: { config: Pick<Config, 'baseUrl'> }): string {
  return new URL(config.baseUrl).hostname
}

/** Compared exactly: another port or subdomain is another origin. */
export function acceptsOrigin(rp: RelyingParty, origin: string): boolean {
  return rp.origins.includes(origin) || (rp.takesLocalhost && /^http:\/\/localhost(:\d{1,5})?$/.test(origin))
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

import type { Config } from '../../platform/config.ts'
import { brandOf } from '../../platform/mail/brand.ts'
import type { Work } from '../../platform/work.ts'
import { HOST, type PasskeySettings, passkeySettings } from './settings.ts'

/** Whom passkeys of a directory are made for, and the pages that they are taken from. */
export interface RelyingParty {
  id: string
  name: string
  /** Exact origins: of the relying party's own site and of related ones. */
  origins: string[]
  /** Development: http://localhost of any port as well. */
  takesLocalhost: boolean
  settings: PasskeySettings
}

export async function relyingPartyOf(work: Pick<Work, 'platform' | 'directory'>): Promise<RelyingParty> {
  const { platform } = work
  const settings = await passkeySettings.effective(work)
  const id = settings.rp_id ?? ownHost(platform)
  // An account may have changed the relying party under an organization's list.
  const own = settings.origins.filter((origin) => isWithin(origin, id))
  const origins = [...(settings.origins.length ? own : [`https://${id}`]), ...settings.related_origins]
  const takesLocalhost = !platform.config.production && id === 'localhost' && settings.origins.length === 0
  return { id, name: settings.rp_name ?? (await brandOf(work)).name, origins, takesLocalhost, settings }
}

/** The host of the service's own address. */
export function ownHost({ config }: { config: Pick<Config, 'baseUrl'> }): string {
  return new URL(config.baseUrl).hostname
}

/** Compared exactly: a page of another port, or below another host, is another page. */
export function acceptsOrigin(rp: RelyingParty, origin: string): boolean {
  return rp.origins.includes(origin) || (rp.takesLocalhost && /^http:\/\/localhost(:\d{1,5})?$/.test(origin))
}

/**
 * Whether browsers let a page of this origin name the relying party: its own host, or one that it lies below. That it is
 * no public suffix, such as co.uk, is checked by browsers alone.
 */
export function isWithin(origin: string, rpId: string): boolean {
  const host = URL.parse(origin)?.hostname
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`))
}

/** An origin as browsers write it, https alone; in development http://localhost too. */
export function isOrigin(config: Pick<Config, 'production'>, text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.origin !== text || !new RegExp(HOST).test(url.hostname)) return false
  return url.protocol === 'https:' || (!config.production && url.protocol === 'http:' && url.hostname === 'localhost')
}

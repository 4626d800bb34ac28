import { brandOf } from '../../../platform/mail/brand.ts'
import type { Work } from '../../../platform/work.ts'
import { isForLocalhost, isWithin, ownHost } from './origins.ts'
import { type PasskeySettings, passkeySettings } from './settings.ts'

export { authenticatorName } from './authenticators.ts'
export { passkeySettings } from './settings.ts'

/** The relying party of a directory's passkeys, and the origins from which passkeys are accepted. */
export interface RelyingParty {
  id: string
  name: string
  /** Exact origins: of the relying party's own site and of related sites. */
  origins: string[]
  /** Whether http://localhost with any port is accepted too. */
  takesLocalhost: boolean
  settings: PasskeySettings
}

type Tenant = Pick<Work, 'platform' | 'directory'>

export async function relyingPartyOf(work: Tenant): Promise<RelyingParty> {
  return relyingPartyBy(work, await passkeySettings.effective(work))
}

/** Returns the relying party for settings of the directory that may not be committed yet. */
export async function relyingPartyBy(work: Tenant, settings: PasskeySettings): Promise<RelyingParty> {
  const { platform } = work
  const id = settings.rp_id ?? ownHost(platform)
  // The account may have changed the inherited relying party after the organization set its list.
  const own = settings.origins.filter((origin) => isWithin(origin, id))
  const origins = [...(settings.origins.length ? own : [`https://${id}`]), ...settings.related_origins]
  const takesLocalhost = isForLocalhost(platform.config) && id === 'localhost' && settings.origins.length === 0
  return { id, name: settings.rp_name ?? (await brandOf(work)).name, origins, takesLocalhost, settings }
}

/** Compared exactly, because another port or subdomain is another origin. */
export function acceptsOrigin(rp: RelyingParty, origin: string): boolean {
  return rp.origins.includes(origin) || (rp.takesLocalhost && /^http:\/\/localhost(:\d{1,5})?$/.test(origin))
}

import { LOOPBACK, readRedirectUri } from '../../../platform/http/redirect-uri.ts'
import type { Work } from '../../../platform/work.ts'
import { redirectErrors } from './errors.ts'
import { redirectSettings } from './settings.ts'

export { redirectErrors } from './errors.ts'

type Tenant = Pick<Work, 'platform' | 'directory'>

/**
 * Requires an address that equals an entry of `allowed_redirect_uris`. In development, while the list is empty, any
 * address of this machine is allowed (ASVS 10.4.1). Throws `invalid_redirect_uri`.
 */
export async function assertRedirectAllowed(work: Tenant, text: string): Promise<void> {
  const { config } = work.platform
  const { allowed_redirect_uris: allowed } = await redirectSettings.effective(work)
  const wanted = readRedirectUri(config, text)
  const known = allowed.map((entry) => readRedirectUri(config, entry))
  if (wanted !== null && known.includes(wanted)) return
  const isHere = wanted !== null && LOOPBACK.test(new URL(wanted).hostname)
  if (isHere && !config.production && allowed.length === 0) return
  throw redirectErrors.notAllowed({ detail: 'The address is not an entry of allowed_redirect_uris.' })
}

/**
 * Where a hosted page sends users afterwards: `default_redirect_uri` if the list allows it. Without this setting, the
 * list's only entry. With several entries there is no default, since a guess could send the user to the wrong
 * application.
 * @returns null if there is none.
 */
export async function defaultRedirect(work: Tenant): Promise<string | null> {
  const { allowed_redirect_uris, default_redirect_uri: home } = await redirectSettings.effective(work)
  const { config } = work.platform
  const allowed = allowed_redirect_uris.map((entry) => readRedirectUri(config, entry))
  if (home === null) return allowed.length === 1 ? (allowed[0] ?? null) : null
  const wanted = readRedirectUri(config, home)
  return wanted !== null && allowed.includes(wanted) ? wanted : null
}

import type { Config } from '../../platform/config.ts'
import { invalidField } from '../../platform/errors.ts'
import type { Work } from '../../platform/work.ts'
import { loginErrors } from './errors.ts'
import { authSettings } from './settings.ts'

type Tenant = Pick<Work, 'platform' | 'directory'>

/** The host names of this machine in a WHATWG URL. */
export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The address in its WHATWG form, or null for one that is never allowed: only https, and in development http on this
 * machine; no user name (`https://good@evil`), no fragment, and nothing that parsers disagree about (backslashes, white
 * space, control characters, wildcards).
 */
export function readRedirectUri(config: Pick<Config, 'production'>, text: string): string | null {
  if (text.length > 2048 || /[\\*\s\p{Cc}\p{Cf}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return null
  const url = URL.parse(text)
  if (url === null) return null
  if (url.username !== '' || url.password !== '' || text.includes('#')) return null
  if (url.protocol === 'https:') return url.href
  return !config.production && LOOPBACK.test(url.hostname) ? url.href : null
}

/**
 * The address must equal an entry of `allowed_redirect_uris`, or in development, while that list is empty, be any
 * address of this machine (ASVS 10.4.1). Throws `invalid_redirect_uri`.
 */
export async function assertRedirectAllowed(work: Tenant, text: string): Promise<void> {
  const { config } = work.platform
  const { allowed_redirect_uris: allowed } = await authSettings.effective(work)
  const wanted = readRedirectUri(config, text)
  const known = allowed.map((entry) => readRedirectUri(config, entry))
  if (wanted !== null && known.includes(wanted)) return
  const isHere = wanted !== null && LOOPBACK.test(new URL(wanted).hostname)
  if (isHere && !config.production && allowed.length === 0) return
  throw loginErrors.invalidRedirectUri({ detail: 'The address is not an entry of allowed_redirect_uris.' })
}

/**
 * Where a hosted page sends users on: the first usable entry of `allowed_redirect_uris`.
 * @returns null when there is none.
 */
export async function defaultRedirect(work: Tenant): Promise<string | null> {
  const { allowed_redirect_uris: allowed } = await authSettings.effective(work)
  const usable = allowed.map((entry) => readRedirectUri(work.platform.config, entry))
  return usable.find((entry) => entry !== null) ?? null
}

/** Throws `invalid_request` for an entry that could never be allowed. */
export function assertRedirectUris(config: Pick<Config, 'production'>, list: readonly string[]): void {
  const at = list.findIndex((text) => readRedirectUri(config, text) === null)
  if (at < 0) return
  const message = 'an entry must be a complete https address without user name, fragment or wildcard'
  throw invalidField(`allowed_redirect_uris.${at}`, 'redirect_uri', message, `allowed_redirect_uris: ${message}.`)
}

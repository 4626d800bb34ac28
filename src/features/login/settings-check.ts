import type { Config } from '../../platform/config.ts'
import { invalidField } from '../../platform/errors.ts'
import { readRedirectUri } from '../../platform/http/redirect-uri.ts'
import type { Work } from '../../platform/work.ts'
import { assertOrigins } from './origins.ts'
import { authSettings } from './settings.ts'

/** Checks a change of settings beyond the schema of each field. Throws `invalid_request`. */
export async function assertSettingsFit(work: Work, patch: Record<string, unknown>): Promise<void> {
  const { allowed_redirect_uris: uris, allowed_origins: origins } = patch
  if (Array.isArray(uris)) assertRedirectUris(work.platform.config, uris.map(String))
  if (Array.isArray(origins)) assertOrigins(work.platform.config, origins.map(String))
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null))
  const { password_min_length, password_max_length } = {
    ...(await authSettings.effective(work)),
    ...given,
  }
  if (password_min_length <= password_max_length) return
  throw invalidField('password_min_length', 'range', 'password_min_length must not exceed password_max_length')
}

/** Throws `invalid_request` for an entry that could never be allowed. */
function assertRedirectUris(config: Pick<Config, 'production'>, list: readonly string[]): void {
  const at = list.findIndex((text) => readRedirectUri(config, text) === null)
  if (at < 0) return
  const message = 'an entry must be a complete https address without user name, fragment or wildcard'
  throw invalidField(`allowed_redirect_uris.${at}`, 'redirect_uri', message, `allowed_redirect_uris: ${message}.`)
}

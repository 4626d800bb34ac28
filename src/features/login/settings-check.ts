import { httpErrors } from '../../platform/errors.ts'
import type { Work } from '../../platform/work.ts'
import { assertRedirectUris } from './redirects.ts'
import { authSettings } from './settings.ts'

/** What a change of settings may not lead to, beyond the form of each field. Throws `invalid_request`. */
export async function assertSettingsFit(work: Work, patch: object): Promise<void> {
  const uris: unknown = Reflect.get(patch, 'allowed_redirect_uris')
  if (Array.isArray(uris)) assertRedirectUris(work.platform.config, uris.map(String))
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null))
  const { password_min_length, password_max_length } = {
    ...(await authSettings.effective(work)),
    ...given,
  }
  if (password_min_length <= password_max_length) return
  const message = 'password_min_length must not exceed password_max_length'
  throw httpErrors.invalidRequest({
    detail: `${message}.`,
    errors: [{ field: 'password_min_length', code: 'range', message }],
  })
}

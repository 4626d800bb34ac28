import { Type } from 'typebox'
import type { Config } from '../../../platform/config/config.ts'
import { invalidField } from '../../../platform/errors.ts'
import { readRedirectUri } from '../../../platform/http/redirect-uri.ts'
import { nullable } from '../../../platform/schema.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'
import type { Work } from '../../../platform/work.ts'

/** The addresses that links and redirects may lead to. */
export const redirectSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    allowed_redirect_uris: Type.Array(
      Type.String({ minLength: 1, maxLength: 2048, examples: ['https://app.example.com/auth'] }),
      {
        maxItems: 100,
        description:
          'URLs that links and redirects may lead to, compared exactly. Must be https. In development, http on the same machine is also allowed, and needs no entry while the list is empty.',
      },
    ),
    default_redirect_uri: nullable(
      Type.String({ minLength: 1, maxLength: 2048, examples: ['https://app.example.com/auth'] }),
      'The entry of allowed_redirect_uris that hosted pages lead to. Null: the only entry, if there is just one.',
    ),
  }),
  { allowed_redirect_uris: [], default_redirect_uri: null },
  assertRedirectUrisFit,
)

function assertRedirectUrisFit({ platform }: Pick<Work, 'platform'>, patch: Record<string, unknown>): void {
  const { allowed_redirect_uris: uris, default_redirect_uri: home } = patch
  if (Array.isArray(uris)) assertRedirectUris(platform.config, uris.map(String))
  if (typeof home === 'string' && readRedirectUri(platform.config, home) === null)
    throw invalidUri('default_redirect_uri', 'it')
}

/** Throws `invalid_request` for an entry that can never be allowed. */
function assertRedirectUris(config: Pick<Config, 'production'>, list: readonly string[]): void {
  const at = list.findIndex((text) => readRedirectUri(config, text) === null)
  if (at < 0) return
  throw invalidUri(`allowed_redirect_uris.${at}`, 'an entry')
}

function invalidUri(field: string, what: string) {
  const message = `${what} must be a complete https address without user name, fragment or wildcard`
  return invalidField(field, 'redirect_uri', message, `${field.split('.')[0]}: ${message}.`)
}

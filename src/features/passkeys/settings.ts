import { type Static, Type } from 'typebox'
import { defineSettings } from '../../platform/settings.ts'

const DAY = 24 * 3600
/** A host name that browsers take as a relying party: no address, and no wildcard. */
export const HOST = '^(localhost|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])$'

const Origins = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20, uniqueItems: true, description })

/** Settings of passkeys. */
export const PasskeySettings = Type.Object({
  rp_id: Type.Union(
    [Type.String({ maxLength: 253, pattern: HOST, 'x-form': 'a host name in lower case' }), Type.Null()],
    {
      description:
        'Relying party: the host name that passkeys are made for, and work for alone. Browsers take it on pages of ' +
        'this host and of those below it. null: the host of WATCHWORD_BASE_URL.',
    },
  ),
  rp_name: Type.Union(
    [Type.String({ minLength: 1, maxLength: 100, pattern: '^\\P{Cc}+$', 'x-form': 'one line of text' }), Type.Null()],
    { description: 'Shown when a passkey is made. null: the brand.' },
  ),
  origins: Origins(
    'Pages that passkeys are taken from, such as https://app.acme.com: of rp_id or below it, compared exactly. Empty: ' +
      'https:// and rp_id; in development, for localhost, also http://localhost of any port.',
  ),
  related_origins: Origins(
    'Pages of other sites that use the same passkeys; also listed at /.well-known/webauthn of rp_id.',
  ),
  user_verification: Type.Enum(['required', 'preferred'], {
    description:
      'Whether a sign-in needs the fingerprint, face or PIN that makes it two factors. preferred: without one it is ' +
      'a single factor.',
  }),
  require_recent_sign_in_seconds: Type.Integer({
    minimum: 0,
    maximum: DAY,
    description:
      'To register, the access_token of a sign-in of the user that is no older. 0: the word of your backend is enough.',
  }),
})
export type PasskeySettings = Static<typeof PasskeySettings>

export const passkeySettings = defineSettings('passkey_settings', PasskeySettings, {
  rp_id: null,
  rp_name: null,
  origins: [],
  related_origins: [],
  user_verification: 'required',
  require_recent_sign_in_seconds: 0,
})

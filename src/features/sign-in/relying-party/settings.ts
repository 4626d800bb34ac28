import { type Static, Type } from 'typebox'
import { named, nullable, ONE_LINE } from '../../../platform/schema.ts'
import { defineSettings } from '../../../platform/settings/settings.ts'

const DAY = 24 * 3600
/** A host name that browsers accept as a relying party: no IP address, and no wildcard. */
export const HOST = '^(localhost|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])$'

const Origins = (example: string, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 300, examples: [example] }), {
    maxItems: 20,
    uniqueItems: true,
    description,
  })

/** Settings of passkeys. */
export const PasskeySettings = named(
  'PasskeySettings',
  Type.Object(
    {
      rp_id: nullable(
        Type.String({
          maxLength: 253,
          pattern: HOST,
          'x-form': 'a host name in lower case',
          examples: ['acme.example'],
        }),
        'Relying party ID: the host name that passkeys are created for. Browsers accept the passkeys on pages of this host and its subdomains. Null: the host of WATCHWORD_BASE_URL. A sign-in without subOrgId accepts only passkeys for the rp_id and origins of the environment’s defaults.',
      ),
      rp_name: nullable(
        Type.String({ minLength: 1, maxLength: 100, ...ONE_LINE, examples: ['Acme'] }),
        'Name shown when a passkey is created. Null: the brand’s name.',
      ),
      origins: Origins(
        'https://app.acme.example',
        'Origins that passkeys are accepted from, such as https://app.acme.com, compared exactly. The origins must be on rp_id or its subdomains. Empty: `https://` followed by rp_id. If rp_id is localhost, http://localhost with any port is also accepted in development or if WATCHWORD_BASE_URL is on localhost.',
      ),
      related_origins: Origins(
        'https://acme-shop.example',
        'Origins of other sites that may use the same passkeys. The list is also published at /.well-known/webauthn of rp_id.',
      ),
      user_verification: Type.Enum(['required', 'preferred'], {
        description:
          'Whether a passkey sign-in requires fingerprint, face or PIN, which makes it count as two factors. `preferred`: a sign-in without these is accepted but counts as one factor.',
      }),
      require_recent_sign_in_seconds: Type.Integer({
        minimum: 0,
        maximum: DAY,
        description:
          'If set, registering a passkey requires an access_token of the user from a sign-in at most this many seconds ago. 0: not required.',
      }),
      start_limit_per_minute_network: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description:
          'Maximum number of sign-ins without an email address that one network (X-End-User-IP) may start per minute. Each display of a login page with autofill starts such a sign-in.',
      }),
    },
    { description: 'Where passkeys work and what a sign-in with one requires.' },
  ),
)
export type PasskeySettings = Static<typeof PasskeySettings>

const HELP = 'The passkey settings of an organization, or the defaults of its environment, were changed.'

export const passkeySettings = defineSettings('passkey_settings', HELP, PasskeySettings, {
  rp_id: null,
  rp_name: null,
  origins: [],
  related_origins: [],
  user_verification: 'required',
  require_recent_sign_in_seconds: 0,
  start_limit_per_minute_network: 300,
})

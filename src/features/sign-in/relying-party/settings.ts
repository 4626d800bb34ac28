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
        'Relying party: the one host name that passkeys are created for. Browsers accept it on pages of this host and ' +
          'its subdomains. null for the host of WATCHWORD_BASE_URL. A sign-in without subOrgId takes only passkeys for the ' +
          'rp_id of the environment’s defaults, from their origins.',
      ),
      rp_name: nullable(
        Type.String({ minLength: 1, maxLength: 100, ...ONE_LINE, examples: ['Acme'] }),
        'Shown when a passkey is created. null for the brand’s name.',
      ),
      origins: Origins(
        'https://app.acme.example',
        'Origins that passkeys are accepted from, such as https://app.acme.com: of rp_id or its subdomains, compared ' +
          'exactly. Empty: https:// and rp_id; for localhost, in development or if WATCHWORD_BASE_URL is there too, also ' +
          'http://localhost with any port.',
      ),
      related_origins: Origins(
        'https://acme-shop.example',
        'Origins of other sites that may use the same passkeys; also listed at /.well-known/webauthn of rp_id.',
      ),
      user_verification: Type.Enum(['required', 'preferred'], {
        description:
          'Whether a sign-in requires the fingerprint, face or PIN that makes it two factors. preferred: without one it ' +
          'is a single factor.',
      }),
      require_recent_sign_in_seconds: Type.Integer({
        minimum: 0,
        maximum: DAY,
        description:
          'Registration requires the access_token of a sign-in of the user no older than this. 0: not required.',
      }),
      start_limit_per_minute_network: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description:
          'How many sign-ins without an address the users of one network may start within a minute, where X-End-User-IP ' +
          'names it. Each login page with autofill starts one.',
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

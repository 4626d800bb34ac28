import { type Static, Type } from 'typebox'
import { SOCIAL_NAMES } from '../../../platform/config/config-social.ts'
import { open } from '../../../platform/http/object-schemas.ts'
import { named, nullable, ONE_LINE, secret } from '../../../platform/schema.ts'
import { startFields } from '../federation/federation.ts'
import { CallbackFields } from '../oidc/oidc.ts'

export const ProviderName = Type.Enum([...SOCIAL_NAMES], { description: 'The social provider.', examples: ['google'] })

/** Path parameters of a callback. An unknown provider name is refused because it does not match the state. */
export const ProviderParams = Type.Object({
  provider: Type.String({ description: 'Social provider: google, github, apple or microsoft.', examples: ['google'] }),
})

const Callback = Type.Enum(['provider', 'shared'], {
  description:
    'Kind of callback URL. `provider`: callback_url is used only for this provider. `shared`: one URL for all providers, kept for applications that were set up in earlier releases, until you set `provider`.',
  examples: ['provider'],
})

const visible = (maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7E]+$', examples: [example] })
const clientId = nullable(
  visible(300, '1234.apps.googleusercontent.com'),
  'Client ID of your application at the provider. Null: the client ID of the environment’s defaults, or else of the deployment.',
)
const teamId = nullable(
  visible(20, 'A1B2C3D4E5'),
  'Apple only: the value from your Apple developer account. Null: none.',
)
const keyId = nullable(
  visible(20, 'F6G7H8I9J0'),
  'Apple only: the value from your Apple developer account. Null: none.',
)
const tenant = nullable(visible(40, 'common'), 'Microsoft: common, organizations, consumers, or the ID of one tenant.')
const Scopes = Type.Array(visible(200, 'openid'), {
  description: 'Requested OAuth scopes. Default: the scopes for id, name and email address.',
  maxItems: 20,
  examples: [['openid', 'email', 'profile']],
})

export const SocialProvider = named(
  'SocialProvider',
  Type.Object(
    {
      provider: ProviderName,
      enabled: Type.Boolean({ description: 'Whether users may sign in with the provider.' }),
      configured: Type.Boolean({
        description: 'Whether the organization, its environment or the deployment has credentials for it.',
      }),
      client_id: clientId,
      team_id: teamId,
      key_id: keyId,
      tenant,
      scopes: Scopes,
      callback: Callback,
      callback_url: Type.String({
        description: 'The redirect URI to register at the provider.',
        examples: ['https://auth.example.com/api/v1/auth/login/social/callback/google'],
      }),
    },
    { description: 'A social provider as the organization has set it.' },
  ),
)
export type SocialProvider = Static<typeof SocialProvider>

export const SocialProviderPut = named(
  'SocialProviderPut',
  Type.Object({
    provider: ProviderName,
    enabled: Type.Boolean({ description: 'Whether users may sign in with the provider.' }),
    client_id: Type.Optional(clientId),
    client_secret: Type.Optional(
      secret(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 2000,
            ...ONE_LINE,
            examples: ['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'],
          }),
          'Client secret. The secret is stored encrypted and never shown. Null removes it.',
        ),
      ),
    ),
    team_id: Type.Optional(teamId),
    key_id: Type.Optional(keyId),
    private_key: Type.Optional(
      secret(
        nullable(
          Type.String({ minLength: 1, maxLength: 2000, examples: ['-----BEGIN PRIVATE KEY-----\n…'] }),
          'Apple only: the text of the .p8 file. It is never shown again.',
        ),
      ),
    ),
    tenant: Type.Optional(tenant),
    scopes: Type.Optional(nullable(Scopes, 'Scopes to request. Null: the default scopes.')),
    callback: Type.Optional(Callback),
  }),
)
export type SocialProviderPut = Static<typeof SocialProviderPut>

export const SocialProvidersReply = named(
  'SocialProvidersReply',
  Type.Object({ providers: Type.Array(SocialProvider, { description: 'Every provider that the service knows.' }) }),
)

export const SocialStart = Type.Object({
  provider: ProviderName,
  ...startFields,
  openSignup: Type.Optional(
    Type.Boolean({
      description:
        'Whether a user is created if the person has none yet. Default: the setting open_signup_default of the organization.',
    }),
  ),
})

/** The form of a callback, which Apple uses. Only Apple sends `user`. */
export const SocialCallbackForm = named(
  'SocialCallbackForm',
  open(
    Type.Object({
      ...CallbackFields.properties,
      user: Type.Optional(
        Type.String({
          maxLength: 4096,
          description:
            'Apple only: JSON with the name of the person. Apple sends it only at the person’s first sign-in.',
        }),
      ),
    }),
  ),
)

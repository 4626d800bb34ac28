import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { described, Name, named, nullable, secret } from '../../../platform/schema.ts'
import { ConnectionConfig } from './config.ts'
import { exampleCertificate, exampleConnections, exampleCreations } from './examples.ts'

export const PROTOCOLS = ['saml', 'oidc'] as const
export const STATUSES = ['draft', 'testing', 'active', 'error'] as const

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

/** The result of one check of a connection. */
export const ConnectionCheck = named(
  'ConnectionCheck',
  Type.Object(
    {
      id: Type.String({
        description: 'Stable name of the check, such as `certificates`.',
        examples: ['certificates'],
      }),
      ok: Type.Boolean({ description: 'Whether the check passed.' }),
      message: Type.String({
        description: 'The result, in English, for an administrator.',
        examples: ['The certificate is valid until 2029-01-31.'],
      }),
      fix: nullable(
        Type.String({ examples: ['Replace the certificate.'] }),
        'How to fix it. Null if the check passed.',
      ),
    },
    { description: 'One check of a connection test.' },
  ),
)
export type ConnectionCheck = Static<typeof ConnectionCheck>

export const Certificate = named(
  'Certificate',
  Type.Object(
    {
      fingerprint_sha256: Type.String({
        description: 'SHA-256 of the certificate, in hexadecimal with colons, to compare with the provider’s display.',
        examples: [exampleCertificate.fingerprint_sha256],
      }),
      subject: Type.String({ description: 'Distinguished name of the certificate.', examples: ['CN=acme.okta.com'] }),
      not_before: described(Moment, 'Valid from this time on.'),
      not_after: described(Moment, 'Valid until this time.'),
      status: Type.Enum(['current', 'next', 'former', 'expired'], {
        description: '`draft`: no sign-ins. `testing`: only with `test=true`. `active`: all. `error`: none.',
      }),
      pem: Type.String({ description: 'The certificate in PEM.', examples: [exampleCertificate.pem] }),
    },
    { description: 'A certificate of the identity provider or of this service.', examples: [exampleCertificate] },
  ),
)
export type Certificate = Static<typeof Certificate>

const { idp_certificates: _pem, ...shown } = ConnectionConfig.properties

/** The addresses and identifiers of this service for the identity provider. */
const ServiceProvider = Type.Object({
  entity_id: Type.String({
    description: 'Entity ID of this service. Providers call it Audience or SP Entity ID.',
    examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/metadata/0198b6f2'],
  }),
  acs_url: Type.String({
    description: 'URL that browsers post the provider’s responses to. Providers call it Reply URL or ACS URL.',
    examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/acs/0198b6f2'],
  }),
  slo_url: Type.String({
    description: 'URL for logout messages of the provider. Providers call it Single Logout URL.',
    examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/slo/0198b6f2'],
  }),
  metadata_url: Type.String({
    description:
      'URL of the SAML metadata, which contains all these values, for providers that can import or fetch metadata.',
    examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/metadata/0198b6f2'],
  }),
  certificates: Type.Array(Certificate, {
    description: 'Certificates that requests are signed with, for providers that do not read the metadata.',
  }),
})

export const Connection = named(
  'SsoConnection',
  Type.Object(
    {
      id: Id,
      sub_org_id: nullable(Id),
      name: Type.String({ description: 'Name that administrators and sign-in pages show.', examples: ['Acme Okta'] }),
      protocol: Type.Enum([...PROTOCOLS], { description: 'The protocol. Fields of the other protocol do not apply.' }),
      status: Type.Enum([...STATUSES], {
        description: '`draft`: no sign-ins. `testing`: only with `test=true`. `active`: all. `error`: none.',
      }),
      ...shown,
      jit_provisioning: Type.Boolean({
        description: 'Whether a user is created when an unknown person signs in.',
      }),
      idp_certificates: Type.Array(Certificate, { description: 'SAML: certificates that the provider signs with.' }),
      oidc_client_secret_set: Type.Boolean({
        description: 'OpenID Connect: whether a client secret is stored. It is never shown.',
      }),
      sp: described(ServiceProvider, 'What to enter at the identity provider.'),
      oidc_redirect_uri: Type.String({
        description: 'OpenID Connect: the redirect URI to register at the provider.',
        examples: ['https://auth.example.com/api/v1/auth/login/sso/oidc/callback/0198b6f2'],
      }),
      oidc_post_logout_redirect_uri: Type.String({
        description: 'OpenID Connect: the post-logout redirect URI to register at the provider.',
        examples: ['https://auth.example.com/api/v1/auth/login/sso/oidc/logged-out'],
      }),
      last_test: nullable(
        Type.Object({
          success: Type.Boolean(),
          checks: Type.Array(ConnectionCheck, { description: 'The checks, in the order in which they ran.' }),
          at: described(Moment, 'When the test ran.'),
        }),
        'The result of the latest test. Null: never tested.',
      ),
      last_login_at: nullable(Moment, 'When a user last signed in through the connection. Null: never.'),
      created_at: Moment,
      updated_at: Moment,
    },
    { description: 'A connection to the identity provider of an organization.', examples: [exampleConnections.saml] },
  ),
)
export type Connection = Static<typeof Connection>

const Pem = Type.String({ minLength: 1, maxLength: 16_384, examples: [exampleCertificate.pem] })

/** The fields that a caller may set. */
const inputs = {
  name: described({ ...Name, examples: ['Acme Okta'] }, 'Name that administrators and sign-in pages show.'),
  status: Type.Enum([...STATUSES], {
    description: '`draft`: no sign-ins. `testing`: only with `test=true`. `active`: all. `error`: none.',
  }),
  ...shown,
  idp_certificate: Type.Union([Pem, Type.Array(Pem, { maxItems: 10 })], {
    description:
      'SAML: certificates that the provider signs with, in PEM. Send several while the provider changes its certificate. Replaces the current certificates.',
  }),
  idp_metadata_xml: Type.String({
    minLength: 1,
    maxLength: 262_144,
    examples: [exampleCreations.saml.idp_metadata_xml],
    description: 'SAML: the metadata of the provider, as XML. Sets all fields of the provider that it contains.',
  }),
  oidc_client_secret: secret(
    nullable(
      Type.String({ minLength: 1, maxLength: 2048, examples: [exampleCreations.oidc.oidc_client_secret] }),
      'OpenID Connect: the client secret of your application at the provider. It is never shown again. If oidc_issuer changes to another server, the secret is removed unless the same request contains it.',
    ),
  ),
}

const { name, status, ...rest } = inputs

export const ConnectionCreate = named(
  'SsoConnectionCreate',
  Type.Object({
    name,
    protocol: Type.Enum([...PROTOCOLS], { description: 'The protocol. The protocol of a connection never changes.' }),
    ...Type.Partial(Type.Object(rest)).properties,
  }),
)
export type ConnectionCreate = Static<typeof ConnectionCreate>

export const ConnectionPatch = named('SsoConnectionPatch', Type.Partial(Type.Object({ name, status, ...rest })))
export type ConnectionPatch = Static<typeof ConnectionPatch>

export const ConnectionParams = Type.Object({
  connectionId: Type.String({ description: 'Connection: `id` in `GET /v1/sso/connections`.' }),
})
export const ConnectionReply = named('SsoConnectionReply', Type.Object({ connection: Connection }))
export const ConnectionListReply = named(
  'SsoConnectionList',
  Type.Object({
    connections: Type.Array(Connection, {
      description: 'Connections of the organization or of the whole environment.',
    }),
    ...listReply,
  }),
)
export const ConnectionTestReply = Type.Object({
  success: Type.Boolean({ description: 'Whether every check passed.' }),
  status: Type.Enum(['testing'], {
    description: 'Always `testing`, even if an active connection stays active.',
  }),
  checks: Type.Array(ConnectionCheck, { description: 'The checks, in the order in which they ran.' }),
})

/** What a provider said at a sign-in, and the result. */
export const SignInTrace = named(
  'SsoSignInTrace',
  Type.Object(
    {
      id: Id,
      outcome: Type.Enum(['accepted', 'refused'], { description: 'Whether the sign-in succeeded.' }),
      code: nullable(
        Type.String({ examples: ['domain_not_verified'] }),
        'Why the sign-in was refused: the `error` of the redirect.',
      ),
      is_test: Type.Boolean({
        description: 'Whether the sign-in was a test (`test=true`), so that no session was created.',
      }),
      said: Type.Record(Type.String(), Type.Unknown(), {
        description: 'What the provider sent, without secrets.',
        examples: [{ email: 'ada@acme.example' }],
      }),
      created_at: Moment,
    },
    { description: 'What a provider sent at a sign-in, and the outcome.' },
  ),
)
export type SignInTrace = Static<typeof SignInTrace>

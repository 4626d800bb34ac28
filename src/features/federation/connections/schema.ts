import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { Name, named, nullable, secret } from '../../../platform/schema.ts'
import { ConnectionConfig } from './config.ts'

export const PROTOCOLS = ['saml', 'oidc'] as const
export const STATUSES = ['draft', 'testing', 'active', 'error'] as const

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

/** One thing that a test of a connection has looked at. */
export const ConnectionCheck = named(
  'ConnectionCheck',
  Type.Object({
    id: Type.String({ examples: ['certificates'] }),
    ok: Type.Boolean(),
    message: Type.String({ examples: ['The certificate is valid until 2029-01-31.'] }),
    fix: nullable(Type.String({ examples: ['Replace the certificate.'] }), 'How to mend it.'),
  }),
)
export type ConnectionCheck = Static<typeof ConnectionCheck>

export const Certificate = named(
  'Certificate',
  Type.Object({
    fingerprint_sha256: Type.String({ examples: ['4F:0C:9D:…'] }),
    subject: Type.String({ examples: ['CN=acme.okta.com'] }),
    not_before: Moment,
    not_after: Moment,
    status: Type.Enum(['current', 'next', 'former', 'expired']),
    pem: Type.String({ examples: ['-----BEGIN CERTIFICATE-----\n…'] }),
  }),
)
export type Certificate = Static<typeof Certificate>

const { idp_certificates: _pem, ...shown } = ConnectionConfig.properties

/** Where the identity provider finds this service. */
const ServiceProvider = Type.Object({
  entity_id: Type.String({ examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/metadata/0198b6f2'] }),
  acs_url: Type.String({ examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/acs/0198b6f2'] }),
  slo_url: Type.String({ examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/slo/0198b6f2'] }),
  metadata_url: Type.String({ examples: ['https://auth.example.com/api/v1/auth/login/sso/saml/metadata/0198b6f2'] }),
  certificates: Type.Array(Certificate),
})

export const Connection = named(
  'SsoConnection',
  Type.Object({
    id: Id,
    sub_org_id: nullable(Id),
    name: Type.String({ examples: ['Acme Okta'] }),
    protocol: Type.Enum([...PROTOCOLS]),
    status: Type.Enum([...STATUSES]),
    ...shown,
    jit_provisioning: Type.Boolean(),
    idp_certificates: Type.Array(Certificate),
    oidc_client_secret_set: Type.Boolean(),
    sp: ServiceProvider,
    oidc_redirect_uri: Type.String({
      examples: ['https://auth.example.com/api/v1/auth/login/sso/oidc/callback/0198b6f2'],
    }),
    oidc_post_logout_redirect_uri: Type.String({
      examples: ['https://auth.example.com/api/v1/auth/login/sso/oidc/logged-out'],
    }),
    last_test: nullable(Type.Object({ success: Type.Boolean(), checks: Type.Array(ConnectionCheck), at: Moment })),
    last_login_at: nullable(Moment),
    created_at: Moment,
    updated_at: Moment,
  }),
)
export type Connection = Static<typeof Connection>

const Pem = Type.String({ minLength: 1, maxLength: 16_384, examples: ['-----BEGIN CERTIFICATE-----\n…'] })

/** What a caller may set. */
const inputs = {
  name: { ...Name, examples: ['Acme Okta'] },
  status: Type.Enum([...STATUSES]),
  ...shown,
  idp_certificate: Type.Union([Pem, Type.Array(Pem, { maxItems: 10 })], {
    description:
      'SAML: what the provider signs with, in PEM; several while it changes them. Replaces the present ones.',
  }),
  idp_metadata_xml: Type.String({
    minLength: 1,
    maxLength: 262_144,
    examples: ['<EntityDescriptor …'],
    description: 'SAML: the metadata of the provider, from which its fields are taken.',
  }),
  oidc_client_secret: secret(
    nullable(
      Type.String({ minLength: 1, maxLength: 2048, examples: ['d3M…'] }),
      'Never shown again; removed when oidc_issuer moves to another server, unless it is sent along.',
    ),
  ),
}

const { name, status, ...rest } = inputs

export const ConnectionCreate = named(
  'SsoConnectionCreate',
  Type.Object({ name, protocol: Type.Enum([...PROTOCOLS]), ...Type.Partial(Type.Object(rest)).properties }),
)
export type ConnectionCreate = Static<typeof ConnectionCreate>

export const ConnectionPatch = named('SsoConnectionPatch', Type.Partial(Type.Object({ name, status, ...rest })))
export type ConnectionPatch = Static<typeof ConnectionPatch>

export const ConnectionParams = Type.Object({ connectionId: Type.String({ description: 'Connection.' }) })
export const ConnectionReply = named('SsoConnectionReply', Type.Object({ connection: Connection }))
export const ConnectionListReply = named(
  'SsoConnectionList',
  Type.Object({ connections: Type.Array(Connection), ...listReply }),
)
export const ConnectionTestReply = Type.Object({
  success: Type.Boolean(),
  status: Type.Enum(['testing']),
  checks: Type.Array(ConnectionCheck),
})

/** What a provider said at a sign-in, and what became of it. */
export const SignInTrace = named(
  'SsoSignInTrace',
  Type.Object({
    id: Id,
    outcome: Type.Enum(['accepted', 'refused']),
    code: nullable(
      Type.String({ examples: ['domain_not_verified'] }),
      'Why it was refused: the `error` of the redirect.',
    ),
    is_test: Type.Boolean(),
    said: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the provider said, without secrets.',
      examples: [{ email: 'ada@acme.example' }],
    }),
    created_at: Moment,
  }),
)
export type SignInTrace = Static<typeof SignInTrace>

import { type Static, Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import { fits } from '../../../platform/validator.ts'
import { MAX_IDP_CERTIFICATES } from './limits.ts'

const text = (maxLength: number, example: string) => Type.String({ minLength: 1, maxLength, examples: [example] })
const url = (example: string) => nullable(text(2048, example))

/** The roles that a connection can give. An owner is never made by a provider. */
export const ROLES = ['admin', 'member'] as const

/** Where the fields of a person are found in what the provider says; what is absent has its usual place. */
export const ATTRIBUTES = ['subject', 'email', 'first_name', 'last_name', 'display_name', 'groups'] as const

const AttributeMapping = named(
  'AttributeMapping',
  Type.Partial(
    Type.Object(Object.fromEntries(ATTRIBUTES.map((name) => [name, text(300, 'mail')])) as Record<Attribute, Text>),
  ),
)

const Role = Type.String({ maxLength: 100, examples: ['admin'] })

/** What a connection is configured with, as it is stored, named as on the wire. */
export const ConnectionConfig = Type.Object({
  idp_entity_id: nullable(text(1024, 'http://www.okta.com/exk1a2b3c4')),
  idp_sso_url: url('https://acme.okta.com/app/acme/exk1a2b3c4/sso/saml'),
  idp_slo_url: url('https://acme.okta.com/app/acme/exk1a2b3c4/slo/saml'),
  idp_slo_response_url: url('https://acme.okta.com/app/acme/exk1a2b3c4/slo/done'),
  idp_metadata_url: url('https://acme.okta.com/app/exk1a2b3c4/sso/saml/metadata'),
  /** PEM */
  idp_certificates: Type.Array(Type.String({ examples: ['-----BEGIN CERTIFICATE-----'] }), {
    maxItems: MAX_IDP_CERTIFICATES,
  }),
  sign_requests: Type.Boolean(),
  request_binding: Type.Enum(['redirect', 'post']),
  slo_binding: Type.Enum(['redirect', 'post']),
  force_authn: Type.Boolean(),
  name_id_format: nullable(text(200, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress')),
  want_assertions_signed: Type.Boolean(),
  want_assertions_encrypted: Type.Boolean(),
  allow_idp_initiated: Type.Boolean(),
  allow_sha1: Type.Boolean(),
  oidc_issuer: url('https://login.acme.com'),
  oidc_client_id: nullable(text(500, '0oa1b2c3d4')),
  oidc_client_auth: Type.Enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']),
  oidc_scopes: Type.Array(text(200, 'openid'), { maxItems: 20 }),
  oidc_callback: Type.Enum(['connection', 'shared'], {
    description:
      'OpenID Connect: whether oidc_redirect_uri belongs to this connection alone. shared: connections of earlier releases, ' +
      'until you set connection.',
    examples: ['connection'],
  }),
  group_role_mapping: Type.Record(Type.String(), Type.Union([Role, Type.Array(Role)])),
  attribute_mapping: AttributeMapping,
  domains: Type.Array(text(253, 'acme.com'), { maxItems: 20 }),
  jit_provisioning: nullable(
    Type.Boolean(),
    'Whether an unknown person becomes a user. Default: true, or false where SCIM provisioning is enabled.',
  ),
  scim_match: nullable(
    text(300, 'oid'),
    'The claim or attribute that has the externalId of SCIM. Default: the subject, the NameID or `oid`.',
  ),
  relink: Type.Boolean({
    description:
      'Whether a user of the connection is linked to another subject of it. For a migration of the identity provider.',
  }),
  default_role: Type.Enum([...ROLES]),
  trust_idp_mfa: Type.Boolean(),
})
export type ConnectionConfig = Static<typeof ConnectionConfig>
type Attribute = (typeof ATTRIBUTES)[number]
type Text = ReturnType<typeof text>

const DEFAULTS: ConnectionConfig = {
  idp_entity_id: null,
  idp_sso_url: null,
  idp_slo_url: null,
  idp_slo_response_url: null,
  idp_metadata_url: null,
  idp_certificates: [],
  sign_requests: true,
  request_binding: 'redirect',
  slo_binding: 'redirect',
  force_authn: false,
  name_id_format: null,
  want_assertions_signed: true,
  want_assertions_encrypted: false,
  allow_idp_initiated: false,
  allow_sha1: false,
  oidc_issuer: null,
  oidc_client_id: null,
  oidc_client_auth: 'client_secret_basic',
  oidc_scopes: ['openid', 'email', 'profile'],
  // Earlier releases did not store it: their connections are registered at providers with the shared address.
  oidc_callback: 'shared',
  group_role_mapping: {},
  attribute_mapping: {},
  domains: [],
  jit_provisioning: null,
  scim_match: null,
  relink: false,
  default_role: 'member',
  trust_idp_mfa: false,
}

/** What is stored, with the defaults of what is not. Throws for what no release has written. */
export function readConfig(stored: unknown): ConnectionConfig {
  const config: unknown = { ...DEFAULTS, ...Object(stored) }
  if (!fits(ConnectionConfig, config)) throw new Error('The configuration of a connection is not readable')
  return config
}

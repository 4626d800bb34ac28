import { type Static, Type } from 'typebox'
import { described, named, nullable } from '../../../platform/schema.ts'
import { fits } from '../../../platform/validator.ts'
import { MAX_IDP_CERTIFICATES } from './limits.ts'

const text = (maxLength: number, example: string) => Type.String({ minLength: 1, maxLength, examples: [example] })
const url = (example: string) => nullable(text(2048, example))

/** The system roles that a connection can give. A provider cannot make anyone an owner. */
export const ROLES = ['admin', 'member'] as const

/** Fields of a person whose claim or attribute can be named. A field that is absent uses the standard name. */
export const ATTRIBUTES = ['subject', 'email', 'first_name', 'last_name', 'display_name', 'groups'] as const
const MEANINGS: Record<Attribute, string> = {
  subject: 'SAML: attribute with the permanent id of the person. Default: the NameID.',
  email: 'Attribute or claim with the email address.',
  first_name: 'Attribute or claim with the first name.',
  last_name: 'Attribute or claim with the last name.',
  display_name: 'Attribute or claim with the full name.',
  groups: 'Attribute or claim with the groups that `group_role_mapping` names.',
}

const AttributeMapping = named(
  'AttributeMapping',
  Type.Partial(
    Type.Object(
      Object.fromEntries(ATTRIBUTES.map((name) => [name, described(text(300, 'mail'), MEANINGS[name])])) as Record<
        Attribute,
        Text
      >,
    ),
    {
      description:
        'Where the provider sends the fields of a person: names of SAML attributes, or paths of claims such as `realm_access.roles`. For an absent field, the usual names are tried.',
    },
  ),
)

const Role = Type.String({ maxLength: 100, examples: ['admin'] })

/** The stored configuration of a connection, with the field names of the API. */
export const ConnectionConfig = Type.Object({
  idp_entity_id: nullable(
    text(1024, 'http://www.okta.com/exk1a2b3c4'),
    'SAML: entity ID of the identity provider, compared exactly.',
  ),
  idp_sso_url: described(
    url('https://acme.okta.com/app/acme/exk1a2b3c4/sso/saml'),
    'SAML: URL that sign-in requests are sent to.',
  ),
  idp_slo_url: described(
    url('https://acme.okta.com/app/acme/exk1a2b3c4/slo/saml'),
    'SAML: URL that logout requests are sent to. Null: a sign-out ends only the session of this service.',
  ),
  idp_slo_response_url: described(
    url('https://acme.okta.com/app/acme/exk1a2b3c4/slo/done'),
    'SAML: URL that responses to the provider’s logout requests are sent to. Null: `idp_slo_url`.',
  ),
  idp_metadata_url: described(
    url('https://acme.okta.com/app/exk1a2b3c4/sso/saml/metadata'),
    'SAML: URL of the provider’s metadata, which is refreshed periodically. Null: none.',
  ),
  /** Certificates in PEM. */
  idp_certificates: Type.Array(Type.String({ examples: ['-----BEGIN CERTIFICATE-----'] }), {
    maxItems: MAX_IDP_CERTIFICATES,
  }),
  sign_requests: Type.Boolean({ description: 'SAML: whether requests are signed (RSA-SHA256). Default `true`.' }),
  request_binding: Type.Enum(['redirect', 'post'], {
    description:
      'SAML: how the browser sends a sign-in request. `redirect`: in the URL. `post`: in a form. Default `redirect`.',
  }),
  slo_binding: Type.Enum(['redirect', 'post'], {
    description: 'SAML: how the browser sends logout messages: `redirect` or `post`. Default `redirect`.',
  }),
  force_authn: Type.Boolean({
    description: 'Whether the provider must authenticate the user again at every sign-in. Default `false`.',
  }),
  name_id_format: nullable(
    text(200, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'),
    'SAML: NameID format to request. Null: the provider chooses the format.',
  ),
  want_assertions_signed: Type.Boolean({
    description:
      'SAML: whether the metadata asks for signed assertions. A signed response is accepted too. Default `true`.',
  }),
  want_assertions_encrypted: Type.Boolean({
    description:
      'SAML: whether to publish an encryption certificate and refuse unencrypted assertions. Default `false`.',
  }),
  allow_idp_initiated: Type.Boolean({
    description: 'SAML: whether sign-ins that start at the provider are accepted. Default `false`.',
  }),
  allow_sha1: Type.Boolean({
    description: 'SAML: whether signatures with SHA-1, which are weak, are accepted. Default `false`.',
  }),
  oidc_issuer: described(
    url('https://login.acme.com'),
    'OpenID Connect: the issuer, exactly as in its discovery document.',
  ),
  oidc_client_id: nullable(text(500, '0oa1b2c3d4'), 'OpenID Connect: client ID of your application at the provider.'),
  oidc_client_auth: Type.Enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'], {
    description: 'OpenID Connect: how the service authenticates at the token endpoint. Default `client_secret_basic`.',
  }),
  oidc_scopes: Type.Array(text(200, 'openid'), {
    description: 'OpenID Connect: scopes to request. Default `openid email profile`.',
    maxItems: 20,
  }),
  oidc_callback: Type.Enum(['connection', 'shared'], {
    description:
      'OpenID Connect: kind of redirect URI. `connection`: oidc_redirect_uri is used only for this connection. `shared`: one URI for all connections, kept for connections that were set up in earlier releases, until you set `connection`.',
    examples: ['connection'],
  }),
  group_role_mapping: Type.Record(Type.String(), Type.Union([Role, Type.Array(Role)]), {
    description:
      'Maps groups of the provider to `admin`, `member` or slugs of roles. The mapping is applied at every sign-in.',
  }),
  attribute_mapping: AttributeMapping,
  domains: Type.Array(text(253, 'acme.com'), {
    description: 'Verified domains that the connection serves. Empty: all verified domains of the organization.',
    maxItems: 20,
  }),
  jit_provisioning: nullable(
    Type.Boolean(),
    'Whether a user is created when an unknown person signs in. Default: true, or false if SCIM provisioning is enabled.',
  ),
  scim_match: nullable(
    text(300, 'oid'),
    'The claim or attribute that contains the SCIM externalId of the person. Default: the subject, the NameID or `oid`.',
  ),
  relink: Type.Boolean({
    description:
      'Whether a user who is already linked may be linked to a new subject of the connection. Turn this on while you migrate the identity provider.',
  }),
  default_role: Type.Enum([...ROLES], {
    description:
      'Role of users that the connection creates, and of users whose groups are not mapped to a role. Default `member`.',
  }),
  trust_idp_mfa: Type.Boolean({
    description:
      'Whether a second factor that the provider reports counts as the user’s second factor. Default `false`.',
  }),
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
  // Earlier releases did not store this field. Their connections are registered at providers with the shared address.
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

/** Reads a stored configuration and adds the defaults. Throws if no release could have written it. */
export function readConfig(stored: unknown): ConnectionConfig {
  const config: unknown = { ...DEFAULTS, ...Object(stored) }
  if (!fits(ConnectionConfig, config)) throw new Error('The configuration of a connection is not readable')
  return config
}

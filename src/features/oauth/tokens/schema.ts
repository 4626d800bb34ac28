import type { JWTPayload } from 'jose'
import { type Static, Type } from 'typebox'
import type { AccessClaims } from '../../../platform/crypto/signing-keys.ts'
import { named, nullable } from '../../../platform/schema.ts'
import { fits } from '../../../platform/validator.ts'
import { permissionsOf } from '../../access/claims/claims.ts'
import { Impersonator } from '../../access/sessions/sessions.ts'
import type { LiveToken } from './tokens.ts'

const ACCOUNT_ID = '0198b6f1-c4e2-7b60-8d17-95f3a2c06e4b'
const ISSUER = `https://auth.example.com/accounts/${ACCOUNT_ID}/production`
const USER_ID = '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'

/** Token introspection (RFC 7662 §2.2). For a token that is not live, `active: false` and nothing else. */
export const Introspection = named(
  'Introspection',
  Type.Object(
    {
      active: Type.Boolean({
        description:
          'Whether the token is valid: this service issued it, it has not expired, and its session has not ended.',
      }),
      token_type: Type.Optional(
        Type.String({ description: '`access_token` or `refresh_token`.', examples: ['access_token'] }),
      ),
      iss: Type.Optional(Type.String({ description: 'Issuer: the URL of the environment.', examples: [ISSUER] })),
      sub: Type.Optional(Type.String({ description: 'The auth account of the user.', examples: [USER_ID] })),
      aud: Type.Optional(
        Type.Union([Type.String({ examples: [ACCOUNT_ID] }), Type.Array(Type.String())], {
          description: 'Audience: the setting `audience`, or the account’s id.',
        }),
      ),
      exp: Type.Optional(
        Type.Integer({ description: 'When the token expires, in seconds since 1970.', examples: [1795343400] }),
      ),
      iat: Type.Optional(
        Type.Integer({
          description: 'When the token was issued, in seconds since 1970. Absent for a refresh token.',
          examples: [1795339800],
        }),
      ),
      sid: Type.Optional(
        Type.String({
          description: 'The session: `id` in `/v1/sessions`.',
          examples: ['0198b6f2-9a3c-7e18-b1d4-6c7f20e5a841'],
        }),
      ),
      org_id: Type.Optional(
        nullable(
          Type.String({ examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] }),
          'The organization of the user. Null: the account level.',
        ),
      ),
      username: Type.Optional(
        Type.String({ description: 'The email address of the user.', examples: ['ada@acme.example'] }),
      ),
      user_id: Type.Optional(Type.String({ description: 'The same as `sub`.', examples: [USER_ID] })),
      directory_user_id: Type.Optional(Type.String({ examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'] })),
      role: Type.Optional(
        Type.String({
          description: 'The current built-in role of the user. For a team member, the role in the team.',
          examples: ['member'],
        }),
      ),
      roles: Type.Optional(
        Type.Array(Type.String({ examples: ['editor'] }), {
          description: 'Slugs of the organization’s own roles that the user currently has.',
        }),
      ),
      permissions: Type.Optional(
        Type.Array(Type.String({ examples: ['members:read'] }), {
          description: 'Current permissions of the user.',
        }),
      ),
      amr: Type.Optional(Type.Array(Type.String({ examples: ['otp'] }))),
      aal: Type.Optional(Type.String({ examples: ['aal1'] })),
      connection_id: Type.Optional(
        nullable(
          Type.String({ examples: ['0198b6f2-b45d-7a02-9e7c-8f31d6c20b94'] }),
          'The SAML or OIDC connection of the session.',
        ),
      ),
      auth_time: Type.Optional(
        Type.Integer({
          description: 'When the user signed in or last completed a step-up, in seconds since 1970.',
          examples: [1795339800],
        }),
      ),
      env: Type.Optional(Type.String({ description: 'Slug of the environment.', examples: ['production'] })),
      act: Type.Optional(Impersonator),
    },
    {
      description:
        'The content of the token (RFC 7662). If the token is not valid, the response contains only `active: false`.',
    },
  ),
)

/**
 * `said` has the claims of the access token; for a refresh token, only issuer and audience. `team` is the current
 * role of a team member. It is not stored in the member's user record.
 */
export function toIntrospection(
  token: LiveToken,
  said: Pick<AccessClaims, 'iss' | 'aud'> & Pick<JWTPayload, 'exp' | 'iat'>,
  team: { role: string; permissions: string[] } | null,
): Static<typeof Introspection> {
  const { session, sessionId, directory, claims } = token
  const answer: Static<typeof Introspection> = {
    active: true,
    token_type: token.kind,
    iss: said.iss,
    sub: session.auth_account_id,
    aud: said.aud,
    exp: said.exp ?? Math.floor(session.expires_ms / 1000),
    sid: sessionId,
    org_id: directory.organizationId,
    username: session.email,
    user_id: session.auth_account_id,
    directory_user_id: session.user_id,
    role: team?.role ?? session.role,
    roles: (session.held_roles ?? []).map(({ slug }) => slug),
    permissions: team?.permissions ?? permissionsOf(session.role, session.held_roles),
    amr: session.amr === '' ? [] : session.amr.split(' '),
    aal: session.aal,
    connection_id: session.connection_id,
    auth_time: Math.floor(session.authenticated_ms / 1000),
    env: directory.environmentSlug,
  }
  if (said.iat !== undefined) answer.iat = said.iat
  const act: unknown = claims?.['act']
  // The impersonator, for an impersonation token.
  if (act !== undefined && fits(Impersonator, act)) answer.act = act
  return answer
}

/** A public key in the form for verifiers (RFC 7517 §4), with the fields of its type. */
const Jwk = named(
  'Jwk',
  Type.Object(
    {
      kty: Type.String({ description: 'Key type, such as `EC`.' }),
      kid: Type.String({ description: 'Key id: the `kid` in the header of the tokens that it signs.' }),
      use: Type.String({ description: 'Always `sig`: the key verifies signatures.' }),
      alg: Type.String({ description: 'Algorithm of the signatures, such as `ES256`.' }),
    },
    {
      description: 'A public key. Elliptic-curve keys also have `crv`, `x` and `y`.',
      additionalProperties: true,
      examples: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
          kid: '0198b6f2-2f61-7a0d-9c58-3e4b7d1a60f5',
          use: 'sig',
          alg: 'ES256',
        },
      ],
    },
  ),
)

export const JwkSet = named(
  'JwkSet',
  Type.Object(
    {
      keys: Type.Array(Jwk, {
        description: 'The current signing keys, the next one, and previous keys whose tokens are still valid.',
      }),
    },
    { description: 'Public keys (RFC 7517).' },
  ),
)

/** Issuer metadata (RFC 8414 §2), as far as verifiers and clients of this service need it. */
export const IssuerMetadata = named(
  'IssuerMetadata',
  Type.Object(
    {
      issuer: Type.String({ description: 'The `iss` of the tokens.', examples: [ISSUER] }),
      jwks_uri: Type.String({
        description: 'URL of the public keys.',
        examples: [`${ISSUER}/.well-known/jwks.json`],
      }),
      introspection_endpoint: Type.String({
        description: 'Token introspection endpoint (RFC 7662). Requires an API key.',
        examples: ['https://auth.example.com/api/v1/auth/token/introspect'],
      }),
      revocation_endpoint: Type.String({
        description: 'Token revocation endpoint. Requires an API key.',
        examples: ['https://auth.example.com/api/v1/auth/token/revoke'],
      }),
      response_types_supported: Type.Array(Type.String(), {
        description: 'Always empty, because there is no authorization endpoint.',
        examples: [[]],
      }),
    },
    { description: 'Metadata of the issuer (RFC 8414).' },
  ),
)

import { type Static, Type } from 'typebox'
import type { LiveToken } from './tokens.ts'

const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Union([schema, Type.Null()])

/** RFC 7662 §2.2; a token that is not live answers `active: false` and nothing else. */
export const Introspection = Type.Object({
  active: Type.Boolean(),
  token_type: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  sub: Type.Optional(Type.String()),
  aud: Type.Optional(Type.String()),
  exp: Type.Optional(Type.Integer()),
  iat: Type.Optional(Type.Integer()),
  sid: Type.Optional(Type.String()),
  org_id: Type.Optional(Nullable(Type.String())),
  username: Type.Optional(Type.String()),
  user_id: Type.Optional(Type.String()),
  directory_user_id: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  amr: Type.Optional(Type.Array(Type.String())),
  aal: Type.Optional(Type.String()),
  auth_time: Type.Optional(Type.Integer()),
  env: Type.Optional(Type.String()),
})

export function toIntrospection(token: LiveToken | null, issuer: string): Static<typeof Introspection> {
  if (!token) return { active: false }
  const { session, directory, claims } = token
  return {
    active: true,
    token_type: token.kind,
    iss: issuer,
    sub: session.auth_account_id,
    aud: directory.accountId,
    exp: claims?.exp ?? Math.floor(session.expires_at.getTime() / 1000),
    ...(claims?.iat === undefined ? {} : { iat: claims.iat }),
    sid: session.session_id,
    org_id: directory.organizationId,
    username: session.email,
    user_id: session.auth_account_id,
    directory_user_id: session.user_id,
    role: session.role,
    amr: session.amr,
    aal: session.aal,
    auth_time: Math.floor(session.authenticated_at.getTime() / 1000),
    env: directory.environmentSlug,
  }
}

/** A public key as verifiers read it (RFC 7517 §4), with the members of its type. */
const Jwk = Type.Object(
  { kty: Type.String(), kid: Type.String(), use: Type.String(), alg: Type.String() },
  { additionalProperties: true },
)

export const Jwks = Type.Object({ keys: Type.Array(Jwk) })

/** RFC 8414 §2, as far as it describes what verifiers and clients of this service need. */
export const IssuerMetadata = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  introspection_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  response_types_supported: Type.Array(Type.String()),
})

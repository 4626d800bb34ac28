import { Type } from 'typebox'
import { issuerOf, publicKeys } from '../../platform/crypto/signing-keys.ts'
import { httpErrors } from '../../platform/errors.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { doorErrors, SessionReply } from '../login/login.ts'
import { tokenErrors } from './errors.ts'
import { environmentOfIssuer, homeEnvironment, issuerMetadata } from './issuers.ts'
import { Introspection, IssuerMetadata, Jwks, toIntrospection } from './schema.ts'
import { endSession, findLiveToken, refreshSession } from './tokens.ts'

const tag = 'Tokens'
const Token = Type.String({ minLength: 1, maxLength: 8192 })
const Issuer = Type.Object({ accountId: Type.String(), environment: Type.String() })
// Verifiers keep the keys for a while; the next key is published at least a day before it signs.
const CACHE = 'public, max-age=300'

export const tokenRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/token/refresh',
    scope: 'auth.login',
    service: 'auth',
    tag,
    summary: 'Exchange a refresh token for new tokens',
    description:
      'Single use. The same token again within refresh_reuse_interval_seconds answers the same successor, so a lost ' +
      'answer can be asked for again; later it ends the session (RFC 9700 §4.14.2). A session of one factor answers a ' +
      'challenge instead once the MFA policy requires a second one of its user; its token stays good until then.',
    body: Type.Object({ refresh_token: Token }),
    reply: SessionReply,
    errors: [tokenErrors.refreshTokenInvalid, tokenErrors.refreshTokenReused, ...doorErrors],
    maybeEvents: ['mfa.challenge.created'],
    secretReply: true,
    handle: (work, { body }) => refreshSession(work, body.refresh_token),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/token/introspect',
    scope: 'auth.login',
    directory: 'reach',
    tag,
    summary: 'Tell whether a token is live right now',
    description:
      'RFC 7662. Takes access and refresh tokens; sees a revocation at once, which offline verifiers do not.',
    body: Type.Object({ token: Token }),
    reply: Introspection,
    secretReply: true,
    handle: async (work, { body }) => {
      const token = await findLiveToken(work, body.token)
      return toIntrospection(token, await issuerOf(work.platform, work.directory.environmentId))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/token/revoke',
    aliases: ['/v1/auth/logout'],
    scope: 'auth.login',
    directory: 'reach',
    tag,
    summary: 'End the session of a token',
    description:
      'Signs out. Exactly one of refresh_token, access_token and session_id; `everywhere` ends every session of the ' +
      'user. Succeeds as well when there was nothing to end (RFC 7009 §2.2).',
    body: Type.Object({
      refresh_token: Type.Optional(Token),
      access_token: Type.Optional(Token),
      session_id: Type.Optional(Type.String({ maxLength: 64, description: 'With an org-wide key also subOrgId.' })),
      everywhere: Type.Optional(Type.Boolean()),
    }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [httpErrors.subOrgRequired],
    maybeEvents: ['session.revoked'],
    secretReply: true,
    handle: async (work, { body }) => {
      await endSession(work, body)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    aliases: ['/v1/auth/jwks'],
    auth: 'public',
    tag,
    summary: 'Public keys of the home account’s production tokens',
    reply: Jwks,
    handle: async ({ platform, headers }) => {
      headers['cache-control'] = CACHE
      const environmentId = await homeEnvironment(platform)
      return { keys: environmentId ? await publicKeys(platform, environmentId) : [] }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    auth: 'public',
    tag,
    summary: 'Metadata of the issuer of the home account’s production tokens',
    reply: IssuerMetadata,
    errors: [httpErrors.notFound],
    handle: async ({ platform, headers }) => {
      headers['cache-control'] = CACHE
      const environmentId = await homeEnvironment(platform)
      if (!environmentId) throw httpErrors.notFound()
      return issuerMetadata(platform, environmentId)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/{accountId}/{environment}/.well-known/jwks.json',
    auth: 'public',
    tag,
    summary: 'Public keys of an environment’s tokens',
    params: Issuer,
    reply: Jwks,
    errors: [httpErrors.notFound],
    handle: async ({ platform, headers }, { params }) => {
      headers['cache-control'] = CACHE
      const environmentId = await environmentOfIssuer(platform, params.accountId, params.environment)
      if (!environmentId) throw httpErrors.notFound()
      return { keys: await publicKeys(platform, environmentId) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/{accountId}/{environment}/.well-known/oauth-authorization-server',
    // RFC 8414 §3.1 puts the well-known part before the issuer's path.
    aliases: ['/.well-known/oauth-authorization-server/accounts/{accountId}/{environment}'],
    auth: 'public',
    tag,
    summary: 'Metadata of the issuer of an environment’s tokens',
    params: Issuer,
    reply: IssuerMetadata,
    errors: [httpErrors.notFound],
    handle: async ({ platform, headers }, { params }) => {
      headers['cache-control'] = CACHE
      const environmentId = await environmentOfIssuer(platform, params.accountId, params.environment)
      if (!environmentId) throw httpErrors.notFound()
      return issuerMetadata(platform, environmentId)
    },
  }),
]

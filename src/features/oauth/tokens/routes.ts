import { Type } from 'typebox'
import { issuerOf, publicKeys } from '../../../platform/crypto/signing-keys.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { described, Success } from '../../../platform/schema.ts'
import { audienceOf, grantsInTeam } from '../../access/claims/claims.ts'
import { doorRoutes, loginEvents } from '../../access/login/login.ts'
import { SessionName, sessionEvents } from '../../access/sessions/sessions.ts'
import { tokenErrors } from './errors.ts'
import { environmentOfIssuer, homeEnvironment, issuerMetadata } from './issuers.ts'
import { Introspection, IssuerMetadata, JwkSet, toIntrospection } from './schema.ts'
import { endSession, findLiveToken, type LiveToken, refreshSession } from './tokens.ts'

const tag = 'Tokens'
const Token = Type.String({
  minLength: 1,
  maxLength: 8192,
  examples: ['rt_0H3fK9mQ2xVbT7cLwZ5nRyEaU8sJdGi4PoXqBkM1tWvN6hCe'],
})
const Issuer = Type.Object({
  accountId: Type.String({ description: 'Account: `accountId` in `GET /v1/api-keys/current`.' }),
  environment: Type.String({ description: 'Slug of the environment, such as `production`.' }),
})
/** Claims that a refresh token lacks: issuer and audience of the access token that it will be exchanged for. */
async function claimsOfSuccessor(platform: Platform, { directory }: LiveToken) {
  const aud = await audienceOf({ platform, directory })
  return { iss: await issuerOf(platform, directory.environmentId), aud }
}

// Verifiers may cache the keys for this long. The next key is published at least a day before it signs.
const CACHE = 'public, max-age=300'

export const refreshRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/token/refresh',
    team: true,
    operation: 'tokens.refresh',
    scope: 'auth.login',
    takesDevice: true,
    organizationToken: 'refresh_token',
    service: 'auth',
    tag,
    summary: 'Exchange a refresh token',
    description:
      'A refresh token works once and is replaced by a new one, its successor. If the old token is sent again within refresh_reuse_interval_seconds, the response has the same successor, so that a lost response can be requested again. If the old token is sent later, the session ends (RFC 9700 §4.14.2). If the MFA policy requires a second factor and the session has only one factor, the response contains a challenge instead, and the refresh token stays valid.',
    body: Type.Object({
      refresh_token: described(Token, 'The latest refresh token of the session. Each refresh token works once.'),
    }),
    examples: { body: { refresh_token: 'rt_0H3fK9mQ2xVbR4nYc7sWgZ1kTdLp8eJuAoXiMqBv5hGrN3tEwS2' } },
    reply: doorRoutes.login.reply,
    errors: [tokenErrors.refreshTokenInvalid, tokenErrors.refreshTokenReused, ...doorRoutes.errors],
    maybeEvents: [loginEvents.challengeCreated],
    handle: (work, { body }) => refreshSession(work, body.refresh_token),
  }),
]

export const sessionTokenRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/token/introspect',
    team: true,
    operation: 'tokens.introspect',
    repeatable: true,
    scope: 'auth.login',
    directory: 'reach',
    tag,
    summary: 'Introspect a token',
    description:
      'Accepts access tokens and refresh tokens (RFC 7662). Unlike offline verification, introspection shows at once that a session has been revoked.',
    body: Type.Object({ token: described(Token, 'An access token or a refresh token.') }),
    reply: Introspection,
    examples: { body: { token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk4YjZmMiJ9.5rKqv2mXcB8wYd0T' } },
    handle: async (work, { body }) => {
      const token = await findLiveToken(work, body.token)
      if (!token) return { active: false }
      const claims = token.claims ?? (await claimsOfSuccessor(work.platform, token))
      const { directory, session } = token
      const isTeam = directory.kind === 'console'
      const team = isTeam ? await grantsInTeam({ ...work, directory }, session.email) : null
      return toIntrospection(token, claims, team)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/token/revoke',
    team: true,
    operation: 'tokens.revoke',
    repeatable: true,
    aliases: ['/v1/auth/logout'],
    scope: 'auth.login',
    directory: 'reach',
    tag,
    summary: 'End the session of a token',
    description:
      'Signs the user out. Send exactly one of refresh_token, access_token and session_id. `everywhere` ends every session of the user. Sending a session_id also requires the scope sessions.revoke. The request succeeds even if there is no session to end (RFC 7009 §2.2).',
    body: Type.Object({
      ...SessionName.properties,
      everywhere: Type.Optional(Type.Boolean({ description: 'Ends every session of the user. Default `false`.' })),
    }),
    reply: Success,
    errors: [httpErrors.subOrgRequired],
    maybeEvents: [sessionEvents.revoked],
    examples: { body: { refresh_token: 'rt_0H3fK9mQ2xVbT7cLwZ5nRyEaU8sJdGi4PoXqBkM1tWvN6hCe' } },
    handle: async (work, { body }) => {
      await endSession(work, body)
      return { success: true }
    },
  }),
]

/** Public routes for verifiers of tokens. */
export const issuerRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operation: 'tokens.getHomeJwks',
    aliases: ['/v1/auth/jwks'],
    auth: 'public',
    cors: 'any',
    tag,
    summary: 'Read the public keys (home account)',
    reply: JwkSet,
    handle: async ({ platform, headers }) => {
      headers['cache-control'] = CACHE
      const { environmentId } = (await homeEnvironment(platform)) ?? {}
      return { keys: environmentId ? await publicKeys(platform, environmentId) : [] }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operation: 'tokens.getHomeMetadata',
    auth: 'public',
    cors: 'any',
    tag,
    summary: 'Read the issuer metadata (home account)',
    reply: IssuerMetadata,
    errors: [httpErrors.notFound],
    handle: async ({ platform, headers }) => {
      headers['cache-control'] = CACHE
      const { environmentId } = (await homeEnvironment(platform)) ?? {}
      if (!environmentId) throw httpErrors.notFound()
      return issuerMetadata(platform, environmentId)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/{accountId}/{environment}/.well-known/jwks.json',
    operation: 'tokens.getJwks',
    auth: 'public',
    cors: 'any',
    tag,
    summary: 'Read the public keys',
    params: Issuer,
    reply: JwkSet,
    errors: [httpErrors.notFound],
    handle: async ({ platform, headers }, { params }) => {
      headers['cache-control'] = CACHE
      const { environmentId } = (await environmentOfIssuer(platform, params.accountId, params.environment)) ?? {}
      if (!environmentId) throw httpErrors.notFound()
      return { keys: await publicKeys(platform, environmentId) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/{accountId}/{environment}/.well-known/oauth-authorization-server',
    operation: 'tokens.getMetadata',
    // RFC 8414 §3.1 puts the well-known path before the issuer's path.
    aliases: ['/.well-known/oauth-authorization-server/accounts/{accountId}/{environment}'],
    auth: 'public',
    cors: 'any',
    tag,
    summary: 'Read the issuer metadata',
    params: Issuer,
    reply: IssuerMetadata,
    errors: [httpErrors.notFound],
    handle: async ({ platform, headers }, { params }) => {
      headers['cache-control'] = CACHE
      const { environmentId } = (await environmentOfIssuer(platform, params.accountId, params.environment)) ?? {}
      if (!environmentId) throw httpErrors.notFound()
      return issuerMetadata(platform, environmentId)
    },
  }),
]

import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { answer } from '../../../platform/http/answer.ts'
import { open } from '../../../platform/http/object-schemas.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { providerLogoutEvents } from '../../access/federated-sessions/federated-sessions.ts'
import { callbackRoute } from '../federation/federation.ts'
import { finishOidc } from './callback.ts'
import { logoutErrors } from './errors.ts'
import { ClientKeySet, listClientKeys } from './keys.ts'
import { logOut } from './logout.ts'
import { finishLogout } from './rp-logout.ts'
import { CallbackFields } from './schema.ts'

export const oidcRoutes: Route[] = [
  defineRoute({
    ...callbackRoute,
    auth: 'public',
    method: 'GET',
    path: '/v1/auth/login/sso/oidc/callback',
    operation: 'oidc.completeShared',
    summary: 'Finish an OpenID sign-in (shared)',
    description:
      'The redirect URI of connections whose `oidc_callback` is `shared`. Refuses the state of a sign-in at any other connection.',
    query: CallbackFields,
    handle: (work, { query }) => finishOidc(work, query, null),
  }),
  defineRoute({
    ...callbackRoute,
    auth: 'public',
    method: 'GET',
    path: '/v1/auth/login/sso/oidc/callback/{connectionId}',
    operation: 'oidc.complete',
    summary: 'Finish an OpenID sign-in',
    description: 'The `oidc_redirect_uri` of a connection. Refuses the state of a sign-in at another connection.',
    params: Type.Object({
      connectionId: Type.String({ description: 'Connection: `id` in `GET /v1/sso/connections`.' }),
    }),
    query: CallbackFields,
    handle: (work, { params, query }) => finishOidc(work, query, params.connectionId.toLowerCase()),
  }),
  defineRoute({
    auth: 'public',
    media: 'form',
    redirects: true,
    tolerant: true,
    method: 'GET',
    path: '/v1/auth/login/sso/oidc/logged-out',
    operation: 'oidc.completeLogout',
    tag: 'Federation',
    summary: 'Return from an OpenID sign-out',
    query: Type.Pick(CallbackFields, ['state', 'error']),
    errors: callbackRoute.errors,
    handle: (work, { query }) => finishLogout(work, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/sso/oidc/logout/{connectionId}',
    auth: 'public',
    media: 'form',
    crossSite: true,
    bodyLimit: 16 * 1024,
    operation: 'oidc.logout',
    tag: 'Federation',
    summary: 'Receive an OpenID back-channel logout',
    description:
      'For OpenID Connect Back-Channel Logout. The provider calls this when a person signs out at the provider.',
    params: Type.Object({ connectionId: Type.String({ description: 'Connection: `id` in `/v1/sso/connections`.' }) }),
    body: open(
      Type.Object({
        logout_token: Type.String({
          description: 'The logout token of the provider (OpenID Connect Back-Channel Logout 1.0).',
          minLength: 1,
          maxLength: 8192,
          examples: [
            'eyJ0eXAiOiJsb2dvdXQrand0IiwiYWxnIjoiUlMyNTYifQ.eyJpc3MiOiJodHRwczovL2lkcC5leGFtcGxlLmNvbSJ9.c2lnbmF0dXJl',
          ],
        }),
      }),
    ),
    replies: { 204: Type.Null() },
    errors: [logoutErrors.invalid],
    maybeEvents: providerLogoutEvents,
    async handle(work, { params, body }) {
      await logOut(work, { connectionId: params.connectionId, token: body.logout_token })
      return answer(204, null)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/auth/login/sso/oidc/jwks/{connectionId}',
    auth: 'public',
    cors: 'any',
    operation: 'oidc.listKeys',
    tag: 'Federation',
    summary: 'List keys for private_key_jwt',
    description: 'The provider of a connection uses these keys to verify client assertions of the service.',
    params: Type.Object({ connectionId: Type.String({ description: 'Connection: `id` in `/v1/sso/connections`.' }) }),
    reply: ClientKeySet,
    errors: [httpErrors.notFound],
    handle: ({ platform }, { params }) => listClientKeys(platform, params.connectionId),
  }),
]

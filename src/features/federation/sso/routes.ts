import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Email } from '../../../platform/mail/address.ts'
import { described, named, nullable } from '../../../platform/schema.ts'
import { accountDefaults } from '../../../platform/settings/settings.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { assertRedirectAllowed, redirectErrors } from '../../access/redirects/redirects.ts'
import { SessionName, sessionEvents } from '../../access/sessions/sessions.ts'
import { Certificate, connectionErrors, connectionEvents } from '../connections/connections.ts'
import { changeSpKeys } from '../connections/sp-keys/sp-keys.ts'
import { federationErrors, StartReply, startFields } from '../federation/federation.ts'
import { beginLogout } from '../federation/logout/logout.ts'
import { discoverConnection, discoverInEnvironment } from './discover.ts'
import { ssoErrors } from './errors.ts'
import { listKeys, toKeys } from './keys.ts'
import { logOutAtProvider } from './logout.ts'
import { startSso } from './start.ts'

const about = { tag: 'Single sign-on', service: 'sso', scope: 'auth.login' } as const

const keys = { tag: 'Single sign-on', path: '/v1/sso/keys', directory: 'account' } as const
const KeysReply = named(
  'SpKeysReply',
  Type.Object({
    keys: Type.Array(
      Type.Object({
        use: Type.Enum(['signing', 'encryption'], {
          description: '`signing`: to verify requests. `encryption`: to encrypt assertions for this service.',
        }),
        certificate: described(Certificate, 'The certificate with its dates and status.'),
      }),
      { description: 'Certificates of the environment. All its SAML connections use them.' },
    ),
  }),
)

const ConnectionOfDomain = named(
  'ConnectionOfDomain',
  Type.Object({
    id: Type.String({ format: 'uuid', description: 'The connectionId of POST /v1/auth/login/sso/start.' }),
    subOrgId: nullable(Type.String({ format: 'uuid' }), 'The organization of the connection.'),
    name: Type.String({ description: 'The connection’s name, for the label of a button.', examples: ['Acme Okta'] }),
    protocol: Type.Enum(['saml', 'oidc'], {
      description: 'The protocol of the connection. A sign-in page can ignore it.',
    }),
  }),
)

export const ssoRoutes: Route[] = [
  defineRoute({
    ...about,
    method: 'POST',
    path: '/v1/auth/login/sso/start',
    operation: 'login.sso.start',
    summary: 'Start a single sign-on',
    description:
      'Send the browser to authorization_url. After the sign-in, the browser returns to redirectUri with `state` and with one of these: a code for POST /v1/auth/token/exchange, the tokens, or `error`. Check that the returned `state` equals the `state` in this response.',
    query: Type.Object({
      test: Type.Optional(
        Type.Boolean({ description: '`true` tests a connection: the sign-in creates a trace and no session.' }),
      ),
    }),
    body: Type.Object({
      connectionId: Type.String({
        description:
          'Id of the connection, from `POST /v1/auth/login/sso/discover` or from the method `sso` in `GET /v1/auth/methods`.',
        minLength: 1,
      }),
      ...startFields,
      force_authn: Type.Optional(
        Type.Boolean({
          description:
            'Whether the provider must authenticate the person again. Default: the connection’s `force_authn`.',
        }),
      ),
      login_hint: Type.Optional(
        Type.String({
          maxLength: 320,
          description: 'The email address that the provider should suggest to the person.',
        }),
      ),
    }),
    reply: StartReply,
    errors: [
      connectionErrors.notFound,
      connectionErrors.notActive,
      ssoErrors.incomplete,
      federationErrors.unreachable,
      redirectErrors.notAllowed,
      httpErrors.organizationSuspended,
    ],
    handle: (work, { query, body }) =>
      startSso(work, {
        connectionId: body.connectionId,
        redirectUri: body.redirectUri,
        responseMode: body.response_mode ?? 'query',
        isTest: query.test ?? false,
        forceAuthn: body.force_authn ?? false,
        loginHint: body.login_hint ?? null,
      }),
  }),
  defineRoute({
    ...about,
    method: 'POST',
    path: '/v1/auth/login/sso/discover',
    operation: 'login.sso.discover',
    repeatable: true,
    directory: 'reach',
    summary: 'Find the connection of an address',
    description:
      'Finds the organization that has verified the domain of the address. The response depends only on the domain and does not reveal whether the address has an account. With an org-wide key (not limited to one organization) and without subOrgId, all organizations of the ' +
      'environment are searched. Then, the domain of an organization counts as unknown if the organization is suspended or archived or has the service sso off.',
    body: Type.Object({ email: Email }),
    reply: Type.Object({
      connection: nullable(ConnectionOfDomain, 'The default connection, or null.'),
      connections: Type.Array(ConnectionOfDomain, {
        description: 'All active connections that serve the domain, the default one first.',
      }),
      connectionId: nullable(Type.String({ format: 'uuid' }), 'The id of `connection`.'),
      enforced: Type.Boolean({
        description:
          'Whether the organization that verified the domain refuses all other sign-in methods, except for exempt users. The person may also belong to other organizations that accept codes. A login page for all organizations should therefore also offer a code.',
      }),
    }),
    // The previous release required subOrgId, so its clients know this code.
    errors: [httpErrors.organizationSuspended, httpErrors.subOrgRequired],
    handle: ({ reach, ...work }, { body }) =>
      reach.directory
        ? discoverConnection({ ...work, directory: reach.directory }, body.email)
        : discoverInEnvironment({ ...work, reach }, body.email),
  }),
  defineRoute({
    ...keys,
    method: 'GET',
    operation: 'sso.listKeys',
    scope: 'sso.read',
    summary: 'List SAML service provider certificates',
    description:
      'Lists the certificates of the keys that sign and decrypt SAML messages for the environment. The metadata of the environment’s connections contains the same certificates.',
    reply: KeysReply,
    handle: async (work) => ({ keys: await listKeys(work) }),
  }),
  defineRoute({
    ...keys,
    method: 'POST',
    operation: 'sso.updateKeys',
    scope: 'sso.write',
    writes: 'own-environment',
    summary: 'Roll over SAML service provider keys',
    description:
      'Requires an org-wide key (not limited to one organization). A rollover has three steps, so that no sign-in fails. `prepare` publishes the next certificates in addition to the current ones. After every provider has the next certificates, `activate` starts to use them. `retire` stops publishing the previous certificates.',
    body: Type.Object({
      action: Type.Enum(['prepare', 'activate', 'retire'], {
        description: 'The step to take: `prepare`, then `activate`, then `retire`.',
      }),
    }),
    reply: KeysReply,
    errors: [connectionErrors.keysConflict],
    event: connectionEvents.keysChanged,
    async handle(work, { body }) {
      const account = accountDefaults(work.account)
      return { keys: toKeys(work.platform, await changeSpKeys({ ...work, account }, body.action)) }
    },
  }),
]

/**
 * Ends the session that a body names. `src/wiring` passes the function in, because this folder may not import tokens.
 */
interface SessionEnding {
  /**
   * Ends the session, after calling `check` with its directory. Returns the session, or null if there was none or the
   * caller may not learn who signed in. Throws `insufficient_scope`, `sub_org_required`.
   */
  end(
    work: ReachWork & { caller: ManagerCaller },
    named: SessionName,
    check: (work: Work) => Promise<void>,
  ): Promise<{ work: Work; sessionId: string } | null>
}

/** `ending` ends the session here, before the user signs out at the provider. */
export function logoutRoute(ending: SessionEnding): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/auth/login/sso/logout',
    operation: 'login.sso.logout',
    scope: 'auth.login',
    directory: 'reach',
    tag: 'Single sign-on',
    summary: 'Sign out, also at the provider',
    description:
      'Ends the session at once, like /v1/auth/logout. If the response has a logoutUrl, send the browser there to sign out at the provider. The browser then returns to redirectUri with `state`, and with `error` if the provider did not sign the person out.',
    body: Type.Object({
      ...SessionName.properties,
      redirectUri: startFields.redirectUri,
      state: Type.Optional(
        Type.String({
          maxLength: 500,
          description: 'Value that is returned to redirectUri. The value must not contain secrets.',
        }),
      ),
    }),
    reply: Type.Object({
      success: Type.Boolean(),
      logoutUrl: nullable(
        Type.String({ examples: ['https://idp.example.com/logout?client_id=0oa1b2c3d4&state=6qW0h3TqkY2v'] }),
        'URL to sign out at the provider. Null if the session did not come from single sign-on, or the provider has no such URL.',
      ),
    }),
    errors: [httpErrors.subOrgRequired, redirectErrors.notAllowed],
    maybeEvents: [sessionEvents.revoked],
    examples: {
      body: {
        refresh_token: 'rt_0H3fK9mQ2xVbR4nYc7sWgZ1kTdLp8eJuAoXiMqBv5hGrN3tEwS2',
        redirectUri: 'https://app.example.com/goodbye',
      },
    },
    async handle(work, { body }) {
      const { redirectUri, state = null, ...named } = body
      // Checked before the session ends.
      const assertAllowed = (there: Work) => assertRedirectAllowed(there, redirectUri)
      const ended = await ending.end(work, named, assertAllowed)
      const logoutUrl =
        ended &&
        (await beginLogout(
          ended.work,
          { sessionId: ended.sessionId, redirectUri, applicationState: state },
          logOutAtProvider,
        ))
      return { success: true, logoutUrl }
    },
  })
}

import { Type } from 'typebox'
import { answer } from '../../../platform/http/answer.ts'
import { open } from '../../../platform/http/object-schemas.ts'
import { defineRoute, type RequestContext, type Route } from '../../../platform/http/route.ts'
import { named } from '../../../platform/schema.ts'
import { providerLogoutEvents } from '../../access/federated-sessions/federated-sessions.ts'
import { callbackRoute, federationErrors } from '../federation/federation.ts'
import { FORM_LIMIT_BYTES } from '../xml/message.ts'
import { signedOctets } from '../xml/query-signatures.ts'
import { finishSaml } from './acs.ts'
import { logOut } from './logout.ts'
import { finishLogout } from './sp-logout.ts'

const acs = {
  ...callbackRoute,
  method: 'POST' as const,
  crossSite: true,
  bodyLimit: FORM_LIMIT_BYTES,
  body: named(
    'SamlResponseForm',
    open(
      Type.Object({
        SAMLResponse: Type.String({
          description: 'The SAML response, in base64.',
          examples: ['PHNhbWxwOlJlc3BvbnNlIHhtbG5zOnNhbWxwPSJ1cm46b2FzaXM6bmFtZXM6dGM6U0FNTDoyLjA6cHJvdG9jb2wiLz4='],
        }),
        RelayState: Type.Optional(
          Type.String({ description: 'The state of the sign-in.', examples: ['6qW0h3TqkY2v'] }),
        ),
      }),
    ),
  ),
}

const logoutFields = {
  SAMLRequest: Type.Optional(
    Type.String({ description: 'The request to log out.', examples: ['fZHBTsMwDIZfJcq9Tdp1Y0TtpIkdmDQk'] }),
  ),
  SAMLResponse: Type.Optional(
    Type.String({ description: 'The provider’s answer to a logout request of this service.' }),
  ),
  RelayState: Type.Optional(
    Type.String({
      description: 'The relay state of the logout request, which is returned to the provider.',
      examples: ['7f3a'],
    }),
  ),
}

const slo = {
  auth: 'public' as const,
  media: 'form' as const,
  redirects: true,
  shows: true,
  tolerant: true,
  path: '/v1/auth/login/sso/saml/slo/{connectionId}' as const,
  tag: 'Federation',
  params: Type.Object({ connectionId: Type.String({ description: 'Connection: `id` in `GET /v1/sso/connections`.' }) }),
  replies: { 204: Type.Null() },
  errors: callbackRoute.errors,
  maybeEvents: providerLogoutEvents,
}

interface LogoutFields {
  SAMLRequest?: string
  SAMLResponse?: string
  RelayState?: string
}

const NOTHING_ASKED =
  'Identity providers use this address to sign people out, and it was opened without their message. To sign out, ' +
  'go back to your application.'

/**
 * Handles a logout request from the provider, or its response to our request. Exactly one must be present. Throws
 * `state_invalid`.
 */
async function takeLogoutMessage(
  work: RequestContext,
  connectionId: string,
  { SAMLRequest: request, SAMLResponse: response, RelayState: relayState }: LogoutFields,
  signature: { SigAlg: string; Signature: string } | null,
) {
  const field = request === undefined ? 'SAMLResponse' : 'SAMLRequest'
  const message = request ?? response
  if (message === undefined || (request !== undefined && response !== undefined))
    throw federationErrors.stateUnknown({ detail: NOTHING_ASKED })
  const octets = signature && signedOctets(work.queryText(), field)
  const query = signature && {
    octets,
    algorithm: signature.SigAlg,
    signature: signature.Signature,
  }
  const posted = { connectionId, message, relayState: relayState ?? null, query }
  if (field === 'SAMLResponse') return finishLogout(work, posted)
  return (await logOut(work, posted)) ?? answer(204, null)
}

/** The addresses where providers send browsers with responses and logout messages (SAML bindings §3.4, §3.5). */
export const samlRoutes: Route[] = [
  defineRoute({
    ...acs,
    path: '/v1/auth/login/sso/saml/acs',
    operation: 'saml.completeShared',
    summary: 'Finish a SAML sign-in (shared)',
    description:
      'For providers that use one URL for all connections. Accepts only responses to sign-ins that were started here.',
    handle: (work: RequestContext, { body }) =>
      finishSaml(work, { response: body.SAMLResponse, relayState: body.RelayState ?? null, connectionId: null }),
  }),
  defineRoute({
    ...acs,
    path: '/v1/auth/login/sso/saml/acs/{connectionId}',
    operation: 'saml.complete',
    summary: 'Finish a SAML sign-in',
    description:
      'Also accepts sign-ins that were started at the provider, if the connection allows them (`allow_idp_initiated`).',
    params: Type.Object({
      connectionId: Type.String({ description: 'Connection: `id` in `GET /v1/sso/connections`.' }),
    }),
    handle: (work: RequestContext, { params, body }) =>
      finishSaml(work, {
        response: body.SAMLResponse,
        relayState: body.RelayState ?? null,
        connectionId: params.connectionId,
      }),
  }),
  defineRoute({
    ...slo,
    method: 'GET',
    operation: 'saml.logoutByRedirect',
    summary: 'Receive a SAML logout (redirect)',
    // Both fields are optional. A message without them counts as unsigned: a refused response to our logout request
    // still sends the browser back to the application.
    query: Type.Object({
      ...logoutFields,
      SigAlg: Type.Optional(Type.String({ description: 'Algorithm of `Signature` (SAML bindings §3.4.4.1).' })),
      Signature: Type.Optional(Type.String({ description: 'Signature of the query, in base64.' })),
    }),
    handle(work: RequestContext, { params, query }) {
      const { SigAlg = '', Signature = '' } = query
      return takeLogoutMessage(work, params.connectionId, query, { SigAlg, Signature })
    },
  }),
  defineRoute({
    ...slo,
    method: 'POST',
    operation: 'saml.logout',
    summary: 'Receive a SAML logout (POST)',
    crossSite: true,
    bodyLimit: FORM_LIMIT_BYTES,
    body: open(Type.Object(logoutFields)),
    handle: (work: RequestContext, { params, body }) => takeLogoutMessage(work, params.connectionId, body, null),
  }),
]

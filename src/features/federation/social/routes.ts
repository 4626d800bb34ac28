import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { accountDefaults } from '../../../platform/settings/settings.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import { requireService } from '../../../platform/tenancy/services.ts'
import type { AccountWork, Work } from '../../../platform/work.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { callbackRoute, federationErrors, StartReply } from '../federation/federation.ts'
import { CallbackFields } from '../oidc/oidc.ts'
import { changeProvider } from './change.ts'
import { socialErrors } from './errors.ts'
import { socialEvents } from './events.ts'
import { listProviders } from './providers.ts'
import { ProviderParams, SocialCallbackForm, SocialProviderPut, SocialProvidersReply, SocialStart } from './schema.ts'
import { finishSocial, startSocial } from './sign-in.ts'

const tag = 'Social login'

/** The work of the environment's defaults. Throws `sub_org_mismatch`. */
const defaultsOf = (work: AccountWork): Work => ({ ...work, directory: accountDefaults(work.account).directory })

/** Changes one provider, for an organization or an environment. */
const put = {
  method: 'PUT',
  scope: 'social.write',
  tag,
  body: SocialProviderPut,
  reply: SocialProvidersReply,
  event: socialEvents.updated,
  examples: {
    body: {
      provider: 'github',
      enabled: true,
      client_id: 'Iv1.0123456789abcdef',
      client_secret: '6f1a0c8e6d219b425a1f7d3e9c4b2a8e5f7d3c1b',
    },
  },
} as const

export const socialRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/social/start',
    operation: 'social.start',
    scope: 'auth.login',
    directory: 'reach',
    service: 'social',
    tag,
    summary: 'Start a social sign-in',
    description:
      'Send the browser to authorization_url. After the sign-in, the browser returns to redirectUri with the same parameters as after single sign-on. With an org-wide key (not limited to one organization) and without subOrgId, the providers, `allowed_redirect_uris` and services of the environment’s defaults apply. The browser then always returns with a code. POST /v1/auth/token/exchange exchanges this code for a discovery_token and the organizations of the person.',
    body: SocialStart,
    reply: StartReply,
    errors: [
      socialErrors.providerDisabled,
      socialErrors.notConfigured,
      federationErrors.unreachable,
      redirectErrors.notAllowed,
      httpErrors.organizationSuspended,
      // Earlier releases required subOrgId, so their clients know this code.
      httpErrors.subOrgRequired,
    ],
    async handle({ reach, ...work }, { body }) {
      const { response_mode: responseMode, openSignup = null, provider, redirectUri } = body
      const asked = { provider, redirectUri, openSignup }
      if (reach.directory)
        return startSocial({ ...work, directory: reach.directory }, { ...asked, responseMode: responseMode ?? 'query' })
      if (responseMode === 'query')
        throw invalidField(
          'response_mode',
          'code_required',
          'A sign-in without an organization cannot return tokens: send response_mode code.',
        )
      const inside = { ...work, directory: await accountDirectory(work.platform, reach) }
      await requireService(inside, 'social')
      return startSocial(inside, { ...asked, responseMode: 'code' })
    },
  }),
  defineRoute({
    ...callbackRoute,
    auth: 'public',
    method: 'GET',
    path: '/v1/auth/login/social/callback',
    operation: 'social.completeShared',
    tag,
    summary: 'Finish a social sign-in (shared)',
    description:
      'The redirect URI of provider applications whose `callback` is `shared`. Refuses the state of a sign-in with any other application.',
    query: CallbackFields,
    handle: (work, { query }) => finishSocial(work, query, null),
  }),
  defineRoute({
    ...callbackRoute,
    auth: 'public',
    method: 'GET',
    path: '/v1/auth/login/social/callback/{provider}',
    operation: 'social.complete',
    tag,
    summary: 'Finish a social sign-in',
    description: 'The `callback_url` of a provider. Refuses the state of a sign-in at another provider.',
    params: ProviderParams,
    query: CallbackFields,
    handle: (work, { params, query }) => finishSocial(work, query, params.provider),
  }),
  defineRoute({
    ...callbackRoute,
    auth: 'public',
    method: 'POST',
    path: '/v1/auth/login/social/callback',
    operation: 'social.completeSharedByForm',
    tag,
    summary: 'Finish a social sign-in (shared, form)',
    description: 'The same route for Apple, which returns with a form (`response_mode=form_post`).',
    crossSite: true,
    bodyLimit: 64 * 1024,
    body: SocialCallbackForm,
    examples: { body: { code: 'c8f2k9mQsVgPeAo3RuIx', state: '6qW0h3TqkY2v' } },
    handle: (work, { body }) => finishSocial(work, body, null),
  }),
  defineRoute({
    ...callbackRoute,
    auth: 'public',
    method: 'POST',
    path: '/v1/auth/login/social/callback/{provider}',
    operation: 'social.completeByForm',
    tag,
    summary: 'Finish a social sign-in (form)',
    description: 'The same route for Apple, which returns with a form (`response_mode=form_post`).',
    params: ProviderParams,
    crossSite: true,
    bodyLimit: 64 * 1024,
    body: SocialCallbackForm,
    examples: { body: { code: 'c8f2k9mQsVgPeAo3RuIx', state: '6qW0h3TqkY2v' } },
    handle: (work, { params, body }) => finishSocial(work, body, params.provider),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/social/providers',
    operation: 'social.listProviders',
    scope: 'social.read',
    tag,
    summary: 'List the social providers',
    reply: SocialProvidersReply,
    handle: async (work) => ({ providers: await listProviders(work) }),
  }),
  defineRoute({
    ...put,
    path: '/v1/social/providers',
    operation: 'social.updateProvider',
    summary: 'Configure a social provider',
    description:
      'Omitted fields are not changed, and null removes a value. If the organization has its own application at the provider, register the `callback_url` in the response as its redirect URI.',
    handle: async (work, { body }) => ({ providers: await changeProvider(work, body) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/social/providers/defaults',
    operation: 'social.listDefaults',
    scope: 'social.read',
    tag,
    directory: 'account',
    summary: 'List the default social providers',
    description:
      'Requires an org-wide key (not limited to one organization). Sign-ins without an organization use these providers.',
    reply: SocialProvidersReply,
    handle: async (work) => ({ providers: await listProviders(defaultsOf(work)) }),
  }),
  defineRoute({
    ...put,
    path: '/v1/social/providers/defaults',
    operation: 'social.updateDefaults',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Change a default social provider',
    description:
      'Requires an org-wide key (not limited to one organization). `enabled` only lets people start a sign-in without an organization. Organizations of the environment use these credentials unless they have their own. Each organization must turn the provider on itself.',
    handle: async (work, { body }) => ({ providers: await changeProvider(defaultsOf(work), body) }),
  }),
]

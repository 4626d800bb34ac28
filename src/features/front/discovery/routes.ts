import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import type { AccountWork, Work } from '../../../platform/work.ts'
import { doorRoutes, loginErrors } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { userEvents } from '../../directory/users/users.ts'
import { federationEvents } from '../../federation/federation/federation.ts'
import { socialErrors, socialEvents } from '../../federation/social/social.ts'
import {
  linkErrors,
  linkRoute,
  magicLinkEvents,
  SentMagicLinkReply,
  toSentMagicLink,
} from '../../sign-in/links/links.ts'
import { otpEvents, SentCodeReply, signInCodeErrors, toSentCode, VerifyCodeBody } from '../../sign-in/otp/otp.ts'
import { passkeyEvents } from '../../sign-in/passkeys/passkeys.ts'
import { OrganizationCreate, organizationEvents } from '../../tenancy/organizations/organizations.ts'
import { discoverByCode, sendDiscoveryCode } from './by-code.ts'
import { discoverByLink, sendDiscoveryLink } from './by-link.ts'
import { createByToken } from './create.ts'
import { enter } from './enter.ts'
import { discoveryErrors } from './errors.ts'
import { assertServiceOn, type DiscoveryMethod } from './methods.ts'
import { DiscoveryReply, DiscoveryToken, toDiscovery } from './schema.ts'

const about = { method: 'POST', scope: 'auth.login', tag: 'Authentication' } as const

/** Throws `sub_org_mismatch` for a caller limited to one organization. */
function orgWide(work: AccountWork): Work {
  const { organizationId, directory } = work.account
  if (organizationId !== null)
    throw httpErrors.subOrgMismatch({
      detail:
        'Discovery covers all organizations. Use an org-wide key (not limited to one organization), and omit subOrgId.',
    })
  return { ...work, directory }
}

/** The work of the environment. Throws `sub_org_mismatch`, `service_disabled`. */
async function environmentOf(work: AccountWork, method: DiscoveryMethod): Promise<Work> {
  const inside = orgWide(work)
  await assertServiceOn(inside, method)
  return inside
}

export const discoveryRoutes: Route[] = [
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/otp/send',
    operation: 'discovery.otp.send',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Mail a discovery code',
    description:
      'Starts a sign-in before the organization is known. Mails a code to any address, even if no user has the address, so that the response reveals nothing. Requires an org-wide key (not limited to one organization).',
    body: Type.Object({ email: Email }),
    reply: SentCodeReply,
    errors: [loginErrors.methodDisabled, loginErrors.accountLocked, httpErrors.serviceDisabled],
    maybeEvents: [otpEvents.sent],
    handle: async (work, { body }) =>
      toSentCode(showRate(work, await sendDiscoveryCode(await environmentOf(work, 'otp'), body.email))),
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/otp/verify',
    operation: 'discovery.otp.verify',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Exchange a discovery code for organizations',
    description:
      'Returns a discovery_token and the organizations of the environment that accept codes and that the person belongs to, is invited to, or may join by email domain. Requires an org-wide key (not limited to one organization).',
    body: VerifyCodeBody,
    reply: DiscoveryReply,
    errors: [...Object.values(signInCodeErrors), httpErrors.serviceDisabled],
    maybeEvents: [],
    async handle(work, { body }) {
      const { email, otp_id: otpId, code } = body
      return toDiscovery(await discoverByCode(await environmentOf(work, 'otp'), { email, otpId, code }))
    },
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/magic-link/send',
    operation: 'discovery.magicLink.send',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Mail a discovery link',
    description:
      'Starts a sign-in before the organization is known. Mails a link to any address. If codes are on, the email also contains a code (`otp_id`). Requires an org-wide key (not limited to one organization).',
    body: Type.Object({ email: Email, ...linkRoute.Delivery }),
    reply: SentMagicLinkReply,
    errors: [
      loginErrors.methodDisabled,
      loginErrors.accountLocked,
      httpErrors.serviceDisabled,
      redirectErrors.notAllowed,
    ],
    maybeEvents: [magicLinkEvents.sent],
    async handle(work, { body }) {
      const inside = await environmentOf(work, 'magic_link')
      const delivery = await linkRoute.readDelivery(inside, work.caller, body)
      return toSentMagicLink(showRate(work, await sendDiscoveryLink(inside, { email: body.email, delivery })))
    },
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/magic-link/verify',
    operation: 'discovery.magicLink.verify',
    directory: 'account',
    writes: 'own-environment',
    summary: 'Exchange a discovery link for organizations',
    description:
      'Returns the same as POST /v1/auth/discovery/otp/verify, with the organizations that accept magic links. Call this only when the user acts on your page, because mail scanners also open links. Requires an org-wide key (not limited to one organization).',
    body: linkRoute.PresentedBody,
    reply: DiscoveryReply,
    errors: [...Object.values(linkErrors), httpErrors.serviceDisabled],
    maybeEvents: [],
    async handle(work, { body }) {
      const { email, token_hash: token } = body
      return toDiscovery(await discoverByLink(await environmentOf(work, 'magic_link'), { email, token }))
    },
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/exchange',
    operation: 'discovery.exchange',
    takesDevice: true,
    summary: 'Enter a discovered organization',
    description:
      'Signs the person in to the organization in `subOrgId`. The sign-in method is the one that the discovery token came from: a code, a link, a passkey or a social provider. Returns the session, or a challenge if a second factor is required.',
    body: Type.Object({ discovery_token: DiscoveryToken }),
    errors: [
      discoveryErrors.tokenInvalid,
      httpErrors.serviceDisabled,
      ...doorRoutes.errors,
      socialErrors.providerDisabled,
      socialErrors.ownApplication,
    ],
    ...doorRoutes.mailboxLogin,
    maybeEvents: [
      ...doorRoutes.mailboxLogin.maybeEvents,
      userEvents.created,
      passkeyEvents.updated,
      federationEvents.linked,
      federationEvents.unlinked,
    ],
    handle: (work, { body }) => enter(work, body.discovery_token),
  }),
  defineRoute({
    ...about,
    path: '/v1/auth/discovery/create',
    operation: 'discovery.createOrganization',
    directory: 'account',
    writes: 'new-organization',
    takesDevice: true,
    summary: 'Create an organization after discovery',
    description:
      'Requires an org-wide key (not limited to one organization), and the setting discovery_create_organizations in the defaults. The person becomes the admin of the new organization and is signed in there. A discovery token can create one organization. A token from a passkey, or from a social provider that does not vouch for the email address, cannot create any. If the person used a social provider, the provider is turned on in the organization. If the slug is taken, it gets a suffix. The response contains the final slug.',
    body: Type.Object({
      discovery_token: DiscoveryToken,
      name: OrganizationCreate.properties.name,
      slug: Type.Optional(OrganizationCreate.properties.slug),
    }),
    errors: [
      discoveryErrors.tokenInvalid,
      httpErrors.serviceDisabled,
      ...doorRoutes.errors,
      socialErrors.providerDisabled,
    ],
    ...doorRoutes.mailboxLogin,
    maybeEvents: [
      ...doorRoutes.mailboxLogin.maybeEvents,
      organizationEvents.created,
      userEvents.created,
      userEvents.updated,
      socialEvents.updated,
    ],
    async handle(work, { body: { discovery_token: token, ...wanted } }) {
      const inside = orgWide(work)
      return showRate(work, await createByToken(inside, work.account, { token, ...wanted })).answer
    },
  }),
]

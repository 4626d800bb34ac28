import { authSettingsRoutes, loginRoutes } from '../features/access/login/routes.ts'
import { ownDeviceRoutes } from '../features/access/mfa/own-routes.ts'
import { mfaRoutes } from '../features/access/mfa/routes.ts'
import { ownSessionRoutes } from '../features/access/sessions/own-routes.ts'
import { sessionRoutes } from '../features/access/sessions/routes.ts'
import { sessionEvents } from '../features/access/sessions/sessions.ts'
import { roleEvents } from '../features/directory/roles/roles.ts'
import { roleRoutes } from '../features/directory/roles/routes.ts'
import { userRoutes } from '../features/directory/users/routes.ts'
import { userEvents } from '../features/directory/users/users.ts'
import { connectionRoutes } from '../features/federation/connections/routes.ts'
import { devIdpPages } from '../features/federation/dev-idp/pages.ts'
import { exchangeRoute, federationRoutes } from '../features/federation/federation/routes.ts'
import { oidcRoutes } from '../features/federation/oidc/routes.ts'
import { samlPages } from '../features/federation/saml/pages.ts'
import { samlRoutes } from '../features/federation/saml/routes.ts'
import { socialRoutes } from '../features/federation/social/routes.ts'
import { logoutRoute, ssoRoutes } from '../features/federation/sso/routes.ts'
import { discoveryRoutes } from '../features/front/discovery/routes.ts'
import { docsRoutes } from '../features/front/docs/routes.ts'
import { healthRoutes } from '../features/front/health/routes.ts'
import { hostedPages } from '../features/front/hosted/hosted.ts'
import { profileRoutes } from '../features/front/me/routes.ts'
import { stepUpRoutes } from '../features/front/me/step-up-routes.ts'
import { issuerRoutes, refreshRoutes, sessionTokenRoutes } from '../features/oauth/tokens/routes.ts'
import { endNamedSession } from '../features/oauth/tokens/tokens.ts'
import { userInfoRoutes } from '../features/oauth/userinfo/routes.ts'
import { bulkRoutes } from '../features/provisioning/bulk/routes.ts'
import { groupRoutes } from '../features/provisioning/groups/routes.ts'
import { provisioningRoutes } from '../features/provisioning/provisioning/routes.ts'
import { scimEvents } from '../features/provisioning/scim/events.ts'
import { scimRoutes } from '../features/provisioning/scim/routes.ts'
import { auditRoutes } from '../features/records/audit/routes.ts'
import { eventRoutes } from '../features/records/events/routes.ts'
import { exportRoutes } from '../features/records/exports/routes.ts'
import { webhookRoutes } from '../features/records/webhooks/routes.ts'
import { challengeRoutes } from '../features/sign-in/challenges/routes.ts'
import { deviceRoutes } from '../features/sign-in/devices/routes.ts'
import { ownEmailRoutes, undoEmailRoutes } from '../features/sign-in/email-change/routes.ts'
import { emailVerificationRoutes } from '../features/sign-in/email-verification/routes.ts'
import { ownFactorRoutes } from '../features/sign-in/factors/own-routes.ts'
import { factorRoutes } from '../features/sign-in/factors/routes.ts'
import { impersonationRoutes } from '../features/sign-in/impersonation/routes.ts'
import { inviteEvents } from '../features/sign-in/invites/events.ts'
import { inviteRoutes } from '../features/sign-in/invites/routes.ts'
import { linkRoutes } from '../features/sign-in/links/routes.ts'
import { lockoutRoutes } from '../features/sign-in/lockout/routes.ts'
import { otpRoutes } from '../features/sign-in/otp/routes.ts'
import { ownPasskeyRoutes } from '../features/sign-in/passkeys/own-routes.ts'
import { passkeyRoutes } from '../features/sign-in/passkeys/routes.ts'
import { ownPasswordRoutes } from '../features/sign-in/password/own-routes.ts'
import { passwordRoutes } from '../features/sign-in/password/routes.ts'
import { sendCodeBySms } from '../features/sign-in/phone-codes/phone-codes.ts'
import { relyingPartyRoutes } from '../features/sign-in/relying-party/routes.ts'
import { signupRoutes } from '../features/sign-in/signup/routes.ts'
import { adminPortalRoutes } from '../features/tenancy/admin-portal/routes.ts'
import { apiKeyRoutes } from '../features/tenancy/api-keys/routes.ts'
import { bounceRoutes } from '../features/tenancy/bounces/routes.ts'
import { environmentRoutes } from '../features/tenancy/environments/routes.ts'
import { erasureRoutes } from '../features/tenancy/erasure/routes.ts'
import { mailRoutes } from '../features/tenancy/mail/routes.ts'
import { mailTemplateRoutes } from '../features/tenancy/mail/templates/routes.ts'
import { memberRoutes } from '../features/tenancy/members/routes.ts'
import { organizationRoutes } from '../features/tenancy/organizations/routes.ts'
import { serviceRoutes } from '../features/tenancy/services/routes.ts'
import type { Route } from '../platform/http/route.ts'
import { mailPages } from '../platform/mail/pages.ts'
import { assetRoutes } from '../platform/pages/asset-routes.ts'
import { authSettingsFamily } from './auth-settings.ts'
import { belongings } from './belongings.ts'
import { linkPages } from './link-pages.ts'
import { methods } from './sign-in-methods.ts'

/** Events of rows that belong to a user and end with a change of the user. */
const announced = belongings.flatMap(({ announce }) => (announce && !announce.onProofAlone ? [announce.event] : []))

/** A lock only ends sessions. Links to identity providers, and group memberships, stay. */
const ended = [sessionEvents.revoked]

/** Events of changes of secrets that waited in a challenge for the second factor. */
const changes = methods.flatMap(({ heldChange }) => heldChange?.events ?? [])

/** Events of the roles that a user gets in a sign-in, an import or provisioning. */
const given = [userEvents.updated, roleEvents.assigned, roleEvents.unassigned]

const declared: Route[] = [
  ...healthRoutes,
  ...organizationRoutes,
  ...erasureRoutes,
  ...memberRoutes,
  ...environmentRoutes,
  ...apiKeyRoutes,
  ...serviceRoutes,
  ...userRoutes({ announced, assigned: roleEvents.assigned }),
  ...exportRoutes,
  ...userInfoRoutes,
  ...roleRoutes,
  ...profileRoutes,
  ...ownSessionRoutes,
  ...stepUpRoutes,
  ...ownPasswordRoutes,
  ...ownEmailRoutes,
  ...ownFactorRoutes,
  ...ownDeviceRoutes,
  ...ownPasskeyRoutes,
  ...undoEmailRoutes,
  ...inviteRoutes,
  ...otpRoutes(sendCodeBySms),
  ...discoveryRoutes,
  ...impersonationRoutes,
  ...loginRoutes,
  ...authSettingsRoutes(authSettingsFamily),
  ...linkRoutes,
  ...passwordRoutes,
  ...mfaRoutes,
  ...factorRoutes(changes),
  ...challengeRoutes(changes),
  ...passkeyRoutes,
  ...lockoutRoutes(ended),
  ...deviceRoutes,
  ...relyingPartyRoutes,
  ...signupRoutes,
  ...emailVerificationRoutes,
  ...federationRoutes,
  ...ssoRoutes,
  ...connectionRoutes,
  ...webhookRoutes,
  ...oidcRoutes,
  ...socialRoutes,
  ...samlRoutes,
  ...samlPages,
  ...scimRoutes,
  ...provisioningRoutes([...announced, ...given]),
  ...groupRoutes,
  ...bulkRoutes([...announced, ...given]),
  ...refreshRoutes,
  exchangeRoute,
  ...sessionTokenRoutes,
  logoutRoute({ end: endNamedSession }),
  ...issuerRoutes,
  ...sessionRoutes,
  ...mailRoutes(),
  ...mailTemplateRoutes,
  ...bounceRoutes,
  ...adminPortalRoutes(),
  ...eventRoutes,
  ...auditRoutes,
  ...assetRoutes,
  ...hostedPages(linkPages),
  ...mailPages,
  ...devIdpPages,
  ...docsRoutes(() => routes),
]

/** Events of rows that a first proof of a mailbox removes. Any route where the proof is made may record them. */
const withdrawn = belongings.flatMap(({ announce, proof }) =>
  announce && typeof proof === 'function' ? [announce.event] : [],
)
const proves = ({ maybeEvents }: Route) => maybeEvents.some(({ type }) => type === userEvents.emailVerified.type)

/** A person who signs in accepts open invitations, and an invited user becomes active. */
const welcomed = [inviteEvents.accepted, userEvents.updated]
const isWayIn = ({ maybeEvents }: Route) => maybeEvents.some(({ type }) => type === sessionEvents.created.type)

/** Operations that change which roles groups give. */
const GIVE_ROLES = ['connections.update', 'connections.delete', 'scim.updateConfig', 'users.deleteIdentity']

/** Deleting a connection unlinks provisioning from it. */
const UNLINKS = 'connections.delete'

function followersOf(route: Route) {
  return [
    ...(proves(route) ? withdrawn : []),
    ...(proves(route) || isWayIn(route) ? welcomed : []),
    ...(GIVE_ROLES.includes(route.operation) ? given : []),
    ...(route.operation === UNLINKS ? [scimEvents.configUpdated] : []),
  ]
}

/** A search by POST is described together with the list that returns the same. */
const isSearch = ({ path }: Route) => path.endsWith('/.search')

/** Every route of the service. */
export const routes: Route[] = declared.map((route) => {
  const more = followersOf(route)
  if (isSearch(route)) return { ...route, hidden: true }
  return more.length > 0 ? { ...route, maybeEvents: [...new Set([...route.maybeEvents, ...more])] } : route
})

import { authSettingsFamily } from './auth-settings.ts'
import { belongings } from './belongings.ts'
import { adminPortalRoutes } from './features/admin-portal/routes.ts'
import { apiKeyRoutes } from './features/api-keys/routes.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { bulkRoutes } from './features/bulk/routes.ts'
import { challengeRoutes } from './features/challenges/routes.ts'
import { connectionRoutes } from './features/connections/routes.ts'
import { deviceRoutes } from './features/devices/routes.ts'
import { discoveryRoutes } from './features/discovery/routes.ts'
import { docsRoutes } from './features/docs/routes.ts'
import { emailVerificationRoutes } from './features/email-verification/routes.ts'
import { environmentRoutes } from './features/environments/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { exportRoutes } from './features/exports/routes.ts'
import { factorRoutes } from './features/factors/routes.ts'
import { federationRoutes } from './features/federation/routes.ts'
import { groupRoutes } from './features/groups/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { hostedPages } from './features/hosted/hosted.ts'
import { impersonationRoutes } from './features/impersonation/routes.ts'
import { inviteRoutes } from './features/invites/routes.ts'
import { linkRoutes } from './features/links/routes.ts'
import { lockoutRoutes } from './features/lockout/routes.ts'
import { authSettingsRoutes, loginRoutes } from './features/login/routes.ts'
import { mailRoutes } from './features/mail/routes.ts'
import { ownRoutes, undoRoutes } from './features/me/routes.ts'
import { memberRoutes } from './features/members/routes.ts'
import { mfaRoutes } from './features/mfa/routes.ts'
import { oidcRoutes } from './features/oidc/routes.ts'
import { organizationRoutes } from './features/organizations/routes.ts'
import { otpRoutes } from './features/otp/routes.ts'
import { passkeyRoutes } from './features/passkeys/routes.ts'
import { passwordRoutes } from './features/password/routes.ts'
import { provisioningRoutes } from './features/provisioning/routes.ts'
import { relyingPartyRoutes } from './features/relying-party/routes.ts'
import { roleEvents } from './features/roles/roles.ts'
import { roleRoutes } from './features/roles/routes.ts'
import { samlPages } from './features/saml/pages.ts'
import { samlRoutes } from './features/saml/routes.ts'
import { scimEvents } from './features/scim/events.ts'
import { scimRoutes } from './features/scim/routes.ts'
import { serviceRoutes } from './features/services/routes.ts'
import { sessionRoutes } from './features/sessions/routes.ts'
import { sessionEvents } from './features/sessions/sessions.ts'
import { signupRoutes } from './features/signup/routes.ts'
import { socialRoutes } from './features/social/routes.ts'
import { ssoRoutes } from './features/sso/routes.ts'
import { tokenRoutes } from './features/tokens/routes.ts'
import { userInfoRoutes } from './features/userinfo/routes.ts'
import { userRoutes } from './features/users/routes.ts'
import { userEvents } from './features/users/users.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import type { Route } from './platform/http/route.ts'
import { mailPages } from './platform/mail/pages.ts'

/** What hangs on a user and ends with a change of them. */
const announced = belongings.flatMap(({ announce }) => (announce && !announce.onProofAlone ? [announce.event] : []))

/** A lock ends sessions. Links to providers and groups stay. */
const ended = [sessionEvents.revoked]

/** What somebody is given. */
const given = [userEvents.updated, roleEvents.assigned, roleEvents.unassigned]

const declared: Route[] = [
  ...healthRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...environmentRoutes,
  ...apiKeyRoutes,
  ...serviceRoutes,
  ...userRoutes(announced),
  ...exportRoutes,
  ...userInfoRoutes,
  ...roleRoutes,
  ...ownRoutes,
  ...undoRoutes,
  ...inviteRoutes,
  ...otpRoutes,
  ...discoveryRoutes,
  ...impersonationRoutes,
  ...loginRoutes,
  ...authSettingsRoutes(authSettingsFamily),
  ...linkRoutes,
  ...passwordRoutes,
  ...mfaRoutes,
  ...factorRoutes,
  ...challengeRoutes,
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
  ...tokenRoutes,
  ...sessionRoutes,
  ...mailRoutes(),
  ...adminPortalRoutes(),
  ...eventRoutes,
  ...auditRoutes,
  ...hostedPages,
  ...mailPages,
  ...docsRoutes(() => routes),
]

/** What a first proof of a mailbox takes away is recorded by whichever route it is made at. */
const withdrawn = belongings.flatMap(({ announce, proof }) =>
  announce && typeof proof === 'function' ? [announce.event] : [],
)
const proves = ({ maybeEvents }: Route) => maybeEvents.some(({ type }) => type === userEvents.emailVerified.type)

/** These change what groups give. */
const GIVE_ROLES = ['connections.update', 'connections.delete', 'scim.updateConfig', 'users.unlinkIdentity']

/** Provisioning is unlinked from a connection that is deleted. */
const UNLINKS = 'connections.delete'

function followersOf(route: Route) {
  return [
    ...(proves(route) ? withdrawn : []),
    ...(GIVE_ROLES.includes(route.operation) ? given : []),
    ...(route.operation === UNLINKS ? [scimEvents.configUpdated] : []),
  ]
}

/** A search by POST is described with the list that it is the same as. */
const isSearch = ({ path }: Route) => path.endsWith('/.search')

/** Every route of the service. */
export const routes: Route[] = declared.map((route) => {
  const more = followersOf(route)
  if (isSearch(route)) return { ...route, hidden: true }
  return more.length > 0 ? { ...route, maybeEvents: [...new Set([...route.maybeEvents, ...more])] } : route
})

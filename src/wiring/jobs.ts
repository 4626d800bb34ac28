import { cleanUpFederatedSessions } from '../features/access/federated-sessions/cleanup.ts'
import { cleanUpTrustedDevices } from '../features/access/mfa/cleanup.ts'
import { cleanUpSessions } from '../features/access/sessions/cleanup.ts'
import { markEndedSessions, settleCutOffs } from '../features/access/sessions/cut-off-job.ts'
import { recheckDomain, recheckDueDomains } from '../features/directory/domains/recheck.ts'
import { userCleanup } from '../features/directory/users/cleanup.ts'
import { cleanUpTraces } from '../features/federation/connections/cleanup.ts'
import { maintainConnection, maintainDueConnections } from '../features/federation/connections/upkeep.ts'
import { cleanUpFederation } from '../features/federation/federation/cleanup.ts'
import { cleanUpLogoutTokens } from '../features/federation/oidc/cleanup.ts'
import { cleanUpAssertions } from '../features/federation/saml/cleanup.ts'
import { cleanUpProvisioning } from '../features/provisioning/provisioning/cleanup.ts'
import { cleanUpScim } from '../features/provisioning/scim/cleanup.ts'
import { tellExpiringTokens } from '../features/provisioning/scim/expiry.ts'
import { chainNewEvents } from '../features/records/audit/chain.ts'
import { cleanUpEvents } from '../features/records/audit/retention.ts'
import { cleanUpWebhooks } from '../features/records/deliveries/cleanup.ts'
import { measureWebhooks } from '../features/records/deliveries/measure.ts'
import { forgetWebhook, replayWebhook } from '../features/records/webhooks/repeat.ts'
import { cleanUpChallenges } from '../features/sign-in/challenges/cleanup.ts'
import { cleanUpDevices } from '../features/sign-in/devices/cleanup.ts'
import { noticeNewDevices } from '../features/sign-in/devices/notices.ts'
import { cleanUpFactors } from '../features/sign-in/factors/cleanup.ts'
import { announceEndedImpersonations } from '../features/sign-in/impersonation/ending.ts'
import { announceExpiredInvites } from '../features/sign-in/invites/expiry.ts'
import { cleanUpLinks } from '../features/sign-in/links/cleanup.ts'
import { cleanUpLockouts } from '../features/sign-in/lockout/cleanup.ts'
import { cleanUpOtps } from '../features/sign-in/otp/cleanup.ts'
import { cleanUpCeremonies } from '../features/sign-in/passkeys/cleanup.ts'
import { provisionSignup } from '../features/sign-in/signup/pending.ts'
import { eraseOrganizations } from '../features/tenancy/erasure/erase.ts'
import { cleanUpFormerRoles } from '../features/tenancy/members/cleanup.ts'
import { countUsersOfOrganizations } from '../features/tenancy/organizations/user-counts.ts'
import { markEventStream } from '../platform/events/event-epoch.ts'
import { recordCountedFailures } from '../platform/events/failures.ts'
import { cleanUpPlatform, rotateSigningKeysWhenDue } from '../platform/jobs/cleanup.ts'
import { measureJobs } from '../platform/jobs/measure.ts'
import type { JobHandler } from '../platform/jobs/queue.ts'
import { measureHold, remindOfHold } from '../platform/lifecycle/deployment.ts'
import { mailDelivery, mailJobs } from '../platform/mail/jobs.ts'
import type { Platform } from '../platform/platform.ts'
import { smsDelivery, smsJobs } from '../platform/sms/jobs.ts'

/** Every background job. */
export const jobs: JobHandler[] = [
  ...mailJobs,
  ...smsJobs,
  cleanUpOtps,
  cleanUpLinks,
  cleanUpLockouts,
  cleanUpFactors,
  cleanUpChallenges,
  cleanUpTrustedDevices,
  cleanUpFormerRoles,
  eraseOrganizations,
  noticeNewDevices,
  cleanUpDevices,
  userCleanup,
  provisionSignup,
  countUsersOfOrganizations,
  announceExpiredInvites,
  announceEndedImpersonations,
  cleanUpCeremonies,
  cleanUpSessions,
  cleanUpFederatedSessions,
  markEndedSessions,
  settleCutOffs,
  recheckDueDomains,
  recheckDomain,
  cleanUpTraces,
  maintainDueConnections,
  maintainConnection,
  cleanUpFederation,
  cleanUpAssertions,
  cleanUpScim,
  tellExpiringTokens,
  cleanUpProvisioning,
  cleanUpLogoutTokens,
  cleanUpWebhooks,
  replayWebhook,
  forgetWebhook,
  cleanUpPlatform,
  markEventStream,
  remindOfHold,
  recordCountedFailures,
  chainNewEvents,
  cleanUpEvents,
  rotateSigningKeysWhenDue,
]

/** Updates the gauges of rows that wait in the database. Every process whose metrics are read does this for itself. */
export async function measureWaiting(platform: Platform): Promise<void> {
  await Promise.all([
    measureHold(platform),
    mailDelivery.measure(platform),
    smsDelivery.measure(platform),
    measureWebhooks(platform),
    measureJobs(platform),
  ])
}

import { chainNewEvents } from './features/audit/chain.ts'
import { cleanUpEvents } from './features/audit/retention.ts'
import { cleanUpChallenges } from './features/challenges/cleanup.ts'
import { cleanUpTraces } from './features/connections/cleanup.ts'
import { lookAfterConnection, lookAfterDueConnections } from './features/connections/upkeep.ts'
import { cleanUpDevices } from './features/devices/cleanup.ts'
import { noticeNewDevices } from './features/devices/notices.ts'
import { recheckDomain, recheckDueDomains } from './features/domains/recheck.ts'
import { cleanUpFactors } from './features/factors/cleanup.ts'
import { cleanUpFederation } from './features/federation/cleanup.ts'
import { announceEndedImpersonations } from './features/impersonation/ending.ts'
import { announceExpiredInvites } from './features/invites/expiry.ts'
import { cleanUpLinks } from './features/links/cleanup.ts'
import { cleanUpLockouts } from './features/lockout/cleanup.ts'
import { cleanUpFormerRoles } from './features/members/cleanup.ts'
import { cleanUpTrustedDevices } from './features/mfa/cleanup.ts'
import { cleanUpLogoutTokens } from './features/oidc/cleanup.ts'
import { countUsersOfOrganizations } from './features/organizations/user-counts.ts'
import { cleanUpOtps } from './features/otp/cleanup.ts'
import { cleanUpCeremonies } from './features/passkeys/cleanup.ts'
import { cleanUpProvisioning } from './features/provisioning/cleanup.ts'
import { cleanUpAssertions } from './features/saml/cleanup.ts'
import { cleanUpScim } from './features/scim/cleanup.ts'
import { cleanUpSessions } from './features/sessions/cleanup.ts'
import { markEndedSessions, settleCutOffs } from './features/sessions/cut-off-job.ts'
import { provisionSignup } from './features/signup/pending.ts'
import { cleanUpTies } from './features/ties/cleanup.ts'
import { userCleanup } from './features/users/cleanup.ts'
import { forgetWebhook, replayWebhook } from './features/webhooks/repeat.ts'
import { measureHold, remindOfHold } from './platform/deployment.ts'
import { markEventStream } from './platform/event-epoch.ts'
import { recordCountedFailures } from './platform/failures.ts'
import { cleanUpPlatform, rotateSigningKeysWhenDue } from './platform/jobs/cleanup.ts'
import { measureJobs } from './platform/jobs/measure.ts'
import type { JobHandler } from './platform/jobs/queue.ts'
import { mailDelivery, mailJobs } from './platform/mail/jobs.ts'
import type { Platform } from './platform/platform.ts'
import { smsDelivery, smsJobs } from './platform/sms/jobs.ts'
import { cleanUpWebhooks } from './platform/webhooks/cleanup.ts'
import { measureWebhooks } from './platform/webhooks/measure.ts'

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
  noticeNewDevices,
  cleanUpDevices,
  userCleanup,
  provisionSignup,
  countUsersOfOrganizations,
  announceExpiredInvites,
  announceEndedImpersonations,
  cleanUpCeremonies,
  cleanUpSessions,
  cleanUpTies,
  markEndedSessions,
  settleCutOffs,
  recheckDueDomains,
  recheckDomain,
  cleanUpTraces,
  lookAfterDueConnections,
  lookAfterConnection,
  cleanUpFederation,
  cleanUpAssertions,
  cleanUpScim,
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

/** Updates the gauges of what waits in the database; every process that is scraped does so for itself. */
export async function measureWaiting(platform: Platform): Promise<void> {
  await Promise.all([
    measureHold(platform),
    mailDelivery.measure(platform),
    smsDelivery.measure(platform),
    measureWebhooks(platform),
    measureJobs(platform),
  ])
}

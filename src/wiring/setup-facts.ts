import { requiresFactors } from '../features/access/mfa/policy.ts'
import { hasActiveConnection } from '../features/federation/connections/known/known.ts'
import { isProvisioned } from '../features/provisioning/scim/config.ts'
import { hasWebhook } from '../features/records/webhooks/webhooks.ts'
import type { SetupFacts } from '../features/tenancy/admin-portal/admin-portal.ts'

/** Facts that show which setup steps are done, in addition to branding and domains. */
export const facts: SetupFacts = {
  mfa: requiresFactors,
  sso: hasActiveConnection,
  scim: isProvisioned,
  webhook: hasWebhook,
}

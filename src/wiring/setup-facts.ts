import { requiresFactors } from '../features/access/mfa/policy.ts'
import { hasActiveConnection } from '../features/federation/connections/known/known.ts'
import { isProvisioned } from '../features/provisioning/scim/config.ts'
import { hasWebhook } from '../features/records/webhooks/webhooks.ts'
import type { SetupFacts } from '../features/tenancy/admin-portal/admin-portal.ts'

/** What tells which steps of the setup are done, beside the branding and the domains. */
export const facts: SetupFacts = {
  mfa: requiresFactors,
  sso: hasActiveConnection,
  scim: isProvisioned,
  webhook: hasWebhook,
}

import type { SetupFacts } from './features/admin-portal/admin-portal.ts'
import { hasActiveConnection } from './features/connections/connections.ts'
import { requiresFactors } from './features/mfa/mfa.ts'
import { isProvisioned } from './features/scim/config.ts'
import { hasWebhook } from './features/webhooks/webhooks.ts'

/** What tells which steps of the setup are done, beside the branding and the domains. */
export const facts: SetupFacts = {
  mfa: requiresFactors,
  sso: hasActiveConnection,
  scim: isProvisioned,
  webhook: hasWebhook,
}

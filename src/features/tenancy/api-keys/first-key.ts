import { makeKey } from '../../../platform/crypto/api-key.ts'
import { assertBootstrapKey } from '../../../platform/crypto/bootstrap-key.ts'
import type { Platform } from '../../../platform/platform.ts'
import { homeAccount } from '../accounts/accounts.ts'
import { createApiKey } from './api-keys.ts'
import { hasAnyApiKey, lockFirstKey } from './store.ts'

/**
 * Stores the operator's key with every scope, org-wide and in production, unless the deployment already has a key.
 * Safe if several processes start at the same time. Throws ConfigError for a key that could not be sent in a header.
 * Returns whether the key was stored.
 */
export async function storeBootstrapKey(platform: Platform, key: string): Promise<boolean> {
  assertBootstrapKey(key)
  return createFirstKey(platform, key, 'bootstrap')
}

/**
 * Like `storeBootstrapKey`, with a newly made key. Returns its text, to be printed once, or null if the deployment
 * already has a key.
 */
export async function firstDevelopmentKey(platform: Platform): Promise<string | null> {
  const key = makeKey('production')
  return (await createFirstKey(platform, key, 'development')) ? key : null
}

/** Whether the deployment has no API key yet. Then no request can be authenticated. */
export async function hasNoKey(platform: Platform): Promise<boolean> {
  return !(await hasAnyApiKey(platform.db))
}

async function createFirstKey(platform: Platform, key: string, createdBy: string): Promise<boolean> {
  if (await hasAnyApiKey(platform.db)) return false
  return platform.tx(async (tx) => {
    await lockFirstKey(tx)
    if (await hasAnyApiKey(tx)) return false
    const account = await homeAccount(tx)
    const spec = {
      accountId: account.accountId,
      environmentId: account.productionId,
      environmentSlug: 'production',
      organizationId: null,
      name: createdBy,
      scopes: ['*'],
      expiresAt: null,
      requestsPerSecond: null,
      createdBy,
    }
    await createApiKey(platform, tx, spec, key)
    return true
  })
}

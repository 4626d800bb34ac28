import { ConfigError } from '../../platform/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { homeAccount } from '../accounts/accounts.ts'
import { createApiKey, isDamaged, isPresentable, makeKey } from './api-keys.ts'
import { hasAnyApiKey, lockFirstKey } from './store.ts'

/**
 * Stores the operator's key with every scope, org-wide and in production, if the deployment has no key at all; safe
 * when several processes start at once. Returns whether it did. Throws ConfigError for a key that could not be sent.
 */
export async function storeBootstrapKey(platform: Platform, key: string): Promise<boolean> {
  if (isDamaged(key))
    throw new ConfigError(
      'WATCHWORD_BOOTSTRAP_API_KEY begins as a key made by Watchword does, and is mistyped or cut off: its checksum does not match. Copy the whole key again, or make another (openssl rand -hex 32).',
    )
  if (!isPresentable(key))
    throw new ConfigError(
      'WATCHWORD_BOOTSTRAP_API_KEY can never be presented: use 32 to 200 visible ASCII characters (openssl rand -hex 32).',
    )
  return createFirstKey(platform, key, 'bootstrap')
}

/** The same with a key made here. Returns its text, to be printed this once, or null when the deployment has a key. */
export async function firstDevelopmentKey(platform: Platform): Promise<string | null> {
  const key = makeKey('production')
  return (await createFirstKey(platform, key, 'development')) ? key : null
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

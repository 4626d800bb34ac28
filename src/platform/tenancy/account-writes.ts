import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { ManagerCaller } from './caller.ts'
import { type AccountScope, accountDirectory, type EnvironmentRef, homeEnvironmentOf } from './directory.ts'

/**
 * Which environments may write a record that belongs to the account. Every write route with `directory: 'account'`
 * declares one of these rules.
 * - `own-environment`: the record belongs to the caller's environment, as API keys and defaults do.
 * - `new-organization`: the record is a new organization. The caller's environment becomes its home.
 * - `home`: several environments see the record, and its owner's home environment writes it (see `admitWrite`). The
 * route finds the owner (`ownerOf`).
 */
export type AccountWrite = 'own-environment' | 'new-organization' | 'home'

/** The errors that a route declares because of its rule. */
export const accountWriteErrors = {
  'own-environment': [],
  'new-organization': [],
  home: [httpErrors.productionKeyRequired, httpErrors.homeKeyRequired],
}

/**
 * Decides whether a caller may write a record that several environments see. The owner is an organization, or null for
 * the account, which owns its team and the shared environments. An API key must belong to the owner's home
 * environment. For the account that is production. A member's rights depend only on the role. Returns the scope that
 * records events in that environment.
 * Throws `production_key_required`, `home_key_required`.
 */
export async function authorizeWrite(
  platform: Platform,
  caller: ManagerCaller,
  scope: AccountScope,
  ownerId: string | null,
): Promise<AccountScope> {
  const home = await homeEnvironmentOf(platform, scope.accountId, ownerId)
  if (caller.kind === 'key' && caller.environmentId !== home.environmentId) throw refusal(home)
  return { ...scope, directory: await accountDirectory(platform, home) }
}

function refusal({ environmentSlug }: EnvironmentRef) {
  if (environmentSlug === PRODUCTION) return httpErrors.productionKeyRequired()
  return httpErrors.homeKeyRequired({ detail: `Use an API key of the environment ${environmentSlug}.` })
}

const PRODUCTION = 'production'

/**
 * The home of an organization created in an environment. Null for production, whose organizations every environment
 * sees.
 */
export function homeOfNew({ environmentId, environmentSlug }: EnvironmentRef): string | null {
  return environmentSlug === PRODUCTION ? null : environmentId
}

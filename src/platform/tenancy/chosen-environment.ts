import type { IncomingHttpHeaders } from 'node:http'
import { existsIn } from '../db/home-environment.ts'
import { httpErrors } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import type { ManagerCaller } from './caller.ts'
import { type EnvironmentRef, homeEnvironmentOf } from './directory.ts'

/** The header with the id of the environment in which a member's request works. */
export const ENVIRONMENT_HEADER = 'X-Watchword-Environment'

/** The id in the header, or null. */
export function namedEnvironment(headers: IncomingHttpHeaders): string | null {
  const value = headers['x-watchword-environment']
  return value === undefined ? null : String(value).toLowerCase()
}

/**
 * Returns the environment in which a member works: the one in the header, or else the home environment of the
 * organization for which they act. For the account, that is production. Throws `environment_not_found` for another
 * account's environment, and for one in which that organization does not exist.
 */
export async function memberEnvironment(
  platform: Platform,
  { accountId, organizationId }: Pick<ManagerCaller, 'accountId' | 'organizationId'>,
  named: string | null,
): Promise<EnvironmentRef> {
  if (named === null) return homeEnvironmentOf(platform, accountId, organizationId)
  const found = await findEnvironment(platform, { accountId, organizationId, named })
  if (!found) throw httpErrors.environmentNotFound({ detail: UNKNOWN })
  return found
}

const UNKNOWN = `${ENVIRONMENT_HEADER} must be the id of an environment that you can see: GET /v1/environments lists them.`

/** Checks that a key's request names the key's own environment. Throws `environment_not_found` for another one. */
export function assertOwnEnvironment(caller: ManagerCaller, named: string): void {
  if (named !== caller.environmentId)
    throw httpErrors.environmentNotFound({
      detail: `An API key works only in its own environment. Omit ${ENVIRONMENT_HEADER}, or use a key of the named environment.`,
    })
}

async function findEnvironment(
  { db }: Platform,
  { accountId, organizationId, named }: { accountId: string; organizationId: string | null; named: string },
): Promise<EnvironmentRef | null> {
  if (!isId(named)) return null
  // Foreign tables environments, organizations: finds the tenant of a request before any feature runs.
  const row = await db
    .selectFrom('environments')
    .leftJoin('organizations', (join) => join.on('organizations.id', '=', organizationId))
    .select(['environments.id', 'environments.slug'])
    .where('environments.account_id', '=', accountId)
    .where('environments.id', '=', named)
    .$if(organizationId !== null, (query) => query.where(existsIn('organizations', 'environments')))
    .executeTakeFirst()
  return row ? { accountId, environmentId: row.id, environmentSlug: row.slug } : null
}

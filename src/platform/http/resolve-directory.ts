import { scopes } from '../../contract.ts'
import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { isServiceEnabled } from '../services.ts'
import { type Caller, isManager, type KeyCaller } from './caller.ts'
import {
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  namedOrganization,
  resolveAccount,
  resolveReach,
  teamReach,
} from './directory.ts'
import type { Route } from './route.ts'
import { isSubset } from './scopes.ts'

/** Where a request works, as its route, its caller and the organization that it names say; the service must be on. */
export async function resolveDirectory(
  route: Route,
  platform: Platform,
  caller: Caller,
  sent: { query: unknown; body: unknown },
) {
  if (!isManager(caller)) {
    await requireService(route, platform, caller.directory)
    return caller.directory
  }
  const organizationId = namedOrganization(caller, sent.query, sent.body)
  if (route.team && organizationId === TEAM) {
    const team = await resolveTeam(platform, caller)
    await requireService(route, platform, team.directory)
    return route.directory === 'reach' ? team : team.directory
  }
  if (route.directory === 'account') return resolveAccount(platform, caller, organizationId)
  if (route.directory === 'reach') {
    const reach = await resolveReach(platform, caller, organizationId)
    await requireService(route, platform, reach.directory)
    return reach
  }
  if (organizationId === null && route.method !== 'GET' && route.directory === 'one')
    throw httpErrors.subOrgRequired({
      detail: 'This key reaches every organization: name one in subOrgId, in the query or the body.',
    })
  const directory = organizationId
    ? await directoryOfOrganization(platform, caller, organizationId)
    : await accountDirectory(platform, caller)
  await requireService(route, platform, directory)
  return directory
}

async function requireService(route: Route, platform: Platform, directory: Directory | null): Promise<void> {
  if (!route.service || !directory || (await isServiceEnabled({ platform, directory }, route.service))) return
  throw httpErrors.serviceDisabled({
    detail: `The service ${route.service} is not enabled here.`,
    extra: { service: route.service },
  })
}

/** In place of an organization: the account's own team. */
const TEAM = 'team'

/**
 * Where the account's own team signs in, for a key that may do everything there: what it gets to know, the sessions of
 * owners, can then do no more than the key. Throws `insufficient_scope`, `organization_not_found`.
 */
async function resolveTeam(platform: Platform, caller: KeyCaller) {
  if (!isSubset(scopes, caller.scopes))
    throw httpErrors.insufficientScope({
      detail: 'Only a key with every scope signs the team in.',
      extra: { scope: '*' },
    })
  const team = await teamReach(platform, caller)
  if (!team) throw httpErrors.organizationNotFound({ detail: 'The team signs in to production: use a key of it.' })
  return team
}

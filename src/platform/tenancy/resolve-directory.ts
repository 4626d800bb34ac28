import { type Awaitable, whenThere } from '../awaitable.ts'
import { httpErrors } from '../errors.ts'
import { type Route, requiresOrganization } from '../http/route.ts'
import type { Platform } from '../platform.ts'
import { assertOwner, assertSignsTeamIn } from './authorize.ts'
import { type Caller, isManager, type ManagerCaller } from './caller.ts'
import {
  type AccountScope,
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  type Reach,
  resolveAccount,
  resolveReach,
  teamDirectory,
  teamReach,
} from './directory.ts'
import { namedOrganization, namesEnvironment, TEAM } from './named-organization.ts'
import { requireService } from './services.ts'

/** Where a request works, as its route, its caller and the organization that it names say; the service must be on. */
export function resolveDirectory(
  route: Route,
  platform: Platform,
  caller: Caller,
  sent: { query: unknown; body: unknown },
): Awaitable<Directory | Reach | AccountScope> {
  const served = <W>(where: W, directory: Directory | null): Awaitable<W> =>
    directory ? requireService({ platform, directory }, route.service, where) : where
  if (!isManager(caller)) return served(caller.directory, caller.directory)
  if (route.team === 'own' && caller.kind === 'member' && namesTeam(sent))
    return whenThere(resolveOwnTeam(route, platform, caller), (team) => served(team, team))
  const organizationId = namedOrganization(caller, sent.query, sent.body)
  if (route.team === 'own' && organizationId === TEAM && route.method !== 'GET') assertOwner(caller)
  if (route.team && organizationId === TEAM)
    return whenThere(resolveTeam(platform, caller), (team) =>
      served(route.directory === 'reach' ? team : team.directory, team.directory),
    )
  if (route.directory === 'account') return resolveAccount(platform, caller, organizationId)
  if (route.directory === 'reach')
    return whenThere(resolveReach(platform, caller, organizationId, route.service), (reach) =>
      served(reach, reach.directory),
    )
  if (route.directory === 'one-or-environment' && namesEnvironment(caller, sent.query, sent.body))
    return whenThere(accountDirectory(platform, caller), (directory) => served(directory, directory))
  if (organizationId === null && requiresOrganization(route)) throw subOrgRequired(route)
  const resolving = organizationId
    ? directoryOfOrganization(platform, caller, organizationId)
    : accountDirectory(platform, caller)
  return whenThere(resolving, (directory) => served(directory, directory))
}

function subOrgRequired({ directory }: Route) {
  const whole =
    directory === 'one-or-environment' ? ' For the whole environment send scope: "environment" instead.' : ''
  const detail = `This key reaches every organization: name one in subOrgId, in the query or the body.${whole}`
  return httpErrors.subOrgRequired({ detail })
}

const namesTeam = (sent: { query: unknown; body: unknown }) =>
  namedOrganization({ organizationId: null }, sent.query, sent.body) === TEAM

/** The directory of a member's own team, which only owners of the account change. Throws `insufficient_scope`. */
function resolveOwnTeam(route: Route, platform: Platform, caller: ManagerCaller): Awaitable<Directory> {
  if (route.method !== 'GET') assertOwner(caller)
  return teamDirectory(platform, caller.accountId)
}

/**
 * The directory that the account's own team signs in to. Throws `insufficient_scope`, `privilege_escalation`,
 * `organization_not_found`.
 */
async function resolveTeam(platform: Platform, caller: ManagerCaller) {
  assertSignsTeamIn(caller)
  const team = await teamReach(platform, caller)
  if (!team) throw httpErrors.organizationNotFound({ detail: 'The team signs in to production: use a key of it.' })
  return team
}

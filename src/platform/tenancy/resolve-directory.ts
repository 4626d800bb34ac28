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

/**
 * Where a request works: its route, its caller and the organization that it names decide. Throws `service_disabled` if the
 * service of the route is off in that directory. A whole environment and an account have no such check here.
 */
export async function resolveDirectory(
  route: Route,
  platform: Platform,
  caller: Caller,
  sent: { query: unknown; body: unknown },
): Promise<Directory | Reach | AccountScope> {
  const place = await findPlace(route, platform, caller, sent)
  if (route.service && place.served) await requireService({ platform, directory: place.served }, route.service)
  return place.where
}

/** Where a request works, and the directory in which the service of its route must be on, if there is one. */
interface RequestPlace {
  where: Directory | Reach | AccountScope
  served: Directory | null
}

async function findPlace(
  route: Route,
  platform: Platform,
  caller: Caller,
  sent: { query: unknown; body: unknown },
): Promise<RequestPlace> {
  const within = (directory: Directory): RequestPlace => ({ where: directory, served: directory })
  if (!isManager(caller)) return within(caller.directory)
  if (route.team === 'own' && caller.kind === 'member' && namesTeam(sent))
    return within(await resolveOwnTeam(route, platform, caller))
  const organizationId = namedOrganization(caller, sent.query, sent.body)
  if (route.team === 'own' && organizationId === TEAM && route.method !== 'GET') assertOwner(caller)
  if (route.team && organizationId === TEAM) {
    const team = await resolveTeam(platform, caller)
    return { where: route.directory === 'reach' ? team : team.directory, served: team.directory }
  }
  if (route.directory === 'account')
    return { where: await resolveAccount(platform, caller, organizationId), served: null }
  if (route.directory === 'reach') {
    const reach = await resolveReach(platform, caller, organizationId, route.service)
    return { where: reach, served: reach.directory }
  }
  if (route.directory === 'one-or-environment' && namesEnvironment(caller, sent.query, sent.body))
    return within(await accountDirectory(platform, caller))
  if (organizationId === null && requiresOrganization(route)) throw subOrgRequired(route)
  return within(
    organizationId
      ? await directoryOfOrganization(platform, caller, organizationId)
      : await accountDirectory(platform, caller),
  )
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
async function resolveOwnTeam(route: Route, platform: Platform, caller: ManagerCaller): Promise<Directory> {
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

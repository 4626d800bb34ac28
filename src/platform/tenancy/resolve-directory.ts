import { httpErrors } from '../errors.ts'
import type { Route } from '../http/route.ts'
import { defineSlot, type Platform } from '../platform.ts'
import { assertOwner, assertSignsTeamIn } from './authorize.ts'
import { type Caller, isManager, type ManagerCaller } from './caller.ts'
import {
  type AccountScope,
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  type EnvironmentRef,
  type Reach,
  resolveAccount,
  resolveReach,
  teamDirectory,
  teamReach,
} from './directory.ts'
import { namedOrganization, namesEnvironment, TEAM } from './named-organization.ts'
import { requireService } from './services.ts'

interface Sent {
  query: unknown
  body: unknown
  /** Throws `invalid_request` if the query or body is invalid. */
  check(): void
}

/**
 * Returns the organization of a token in an environment. For every other token, throws the refusal of a made-up token.
 */
type FindOrganization = (platform: Platform, environment: EnvironmentRef, token: string) => Promise<Directory>

// Slot: feature folders, which may not be imported from here, know their own tokens. `src/wiring` fills the slot.
/** One function for each body field with a token. */
export const organizationOfToken = defineSlot<ReadonlyMap<string, FindOrganization>>('the organization of a token')

/**
 * Decides in which directory, reach or account a request works, from its route, its caller and the organization that
 * it names. Throws `service_disabled` if the route's service is off in that directory. For a whole environment or an
 * account, the service is not checked here.
 */
export async function resolveDirectory(
  route: Route,
  platform: Platform,
  caller: Caller,
  sent: Sent,
): Promise<Directory | Reach | AccountScope> {
  const place = await findPlace(route, platform, caller, sent)
  if (route.service && place.served) await requireService({ platform, directory: place.served }, route.service)
  return place.where
}

/** Where a request works, and the directory in which the route's service must be on, if there is one. */
interface RequestPlace {
  where: Directory | Reach | AccountScope
  served: Directory | null
}

async function findPlace(route: Route, platform: Platform, caller: Caller, sent: Sent): Promise<RequestPlace> {
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
  if (organizationId === null && route.organizationToken !== null)
    return within(await resolveByToken(route, route.organizationToken, { platform, caller, sent }))
  if (organizationId === null && requiresOrganization(route)) throw subOrgRequired(route)
  return within(
    organizationId
      ? await directoryOfOrganization(platform, caller, organizationId)
      : await accountDirectory(platform, caller),
  )
}

/**
 * Returns the directory of the organization that a token identifies. The rest of the request is checked first, as it
 * is for requests with `subOrgId`. Throws `sub_org_required` if there is no token, and the route's refusal of a
 * made-up token.
 */
async function resolveByToken(
  route: Route,
  field: string,
  { platform, caller, sent }: { platform: Platform; caller: ManagerCaller; sent: Sent },
): Promise<Directory> {
  const token: unknown = Reflect.get(Object(sent.body), field)
  if (token === undefined) throw subOrgRequired(route)
  sent.check()
  const find = organizationOfToken.of(platform).get(field)
  if (!find) throw new Error(`No token in ${field} identifies an organization`)
  return find(platform, caller, String(token))
}

/** Whether a request with an org-wide key needs `subOrgId`, or `scope` if the route accepts it. */
export function requiresOrganization(route: Pick<Route, 'directory' | 'method' | 'organizationToken'>): boolean {
  const { directory, method, organizationToken } = route
  return method !== 'GET' && organizationToken === null && (directory === 'one' || directory === 'one-or-environment')
}

function subOrgRequired({ directory, organizationToken }: Route) {
  const whole =
    directory === 'one-or-environment' ? ' For the whole environment, send scope: "environment" instead.' : ''
  const token = organizationToken === null ? '' : ` Or send ${organizationToken}, which identifies the organization.`
  const detail = `This key reaches every organization. Send the subOrgId of one organization in the query or the body.${whole}${token}`
  return httpErrors.subOrgRequired({ detail })
}

const namesTeam = (sent: Sent) => namedOrganization({ organizationId: null }, sent.query, sent.body) === TEAM

/**
 * Returns the directory of a member's own team, which only owners of the account may change. Throws
 * `insufficient_scope`.
 */
async function resolveOwnTeam(route: Route, platform: Platform, caller: ManagerCaller): Promise<Directory> {
  if (route.method !== 'GET') assertOwner(caller)
  return teamDirectory(platform, caller.accountId)
}

/**
 * Returns the directory in which the account's own team signs in. Throws `insufficient_scope`, `privilege_escalation`,
 * `organization_not_found`.
 */
async function resolveTeam(platform: Platform, caller: ManagerCaller) {
  assertSignsTeamIn(caller)
  const team = await teamReach(platform, caller)
  if (!team)
    throw httpErrors.organizationNotFound({
      detail: 'The team signs in to the environment production. Use an API key of production.',
    })
  return team
}

import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { isServiceEnabled } from '../services.ts'
import type { Caller } from './caller.ts'
import {
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  namedOrganization,
  resolveAccount,
  resolveReach,
} from './directory.ts'
import type { Route } from './route.ts'

/** Where a request works, as its route, its caller and the organization that it names say; the service must be on. */
export async function resolveDirectory(
  route: Route,
  platform: Platform,
  caller: Caller,
  sent: { query: unknown; body: unknown },
) {
  if (caller.kind !== 'key') {
    await requireService(route, platform, caller.directory)
    return caller.directory
  }
  const organizationId = namedOrganization(caller, sent.query, sent.body)
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

import { isOfDomain, requireEmail } from '../../../platform/mail/address.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { findOrganizationOfDomain, ownsDomainOf } from '../../directory/domains/domains.ts'
import { type KnownConnection, usableConnections } from '../connections/known/known.ts'
import { enforcementSettings } from './settings.ts'

/** A connection that a sign-in page can offer. */
export interface FoundConnection extends Pick<KnownConnection, 'id' | 'name' | 'protocol'> {
  subOrgId: string | null
}

/** The connections for the domain of an address. */
export interface DiscoveredConnections {
  /** The default connection. */
  connection: FoundConnection | null
  /** All connections that serve the domain, the default first. */
  connections: FoundConnection[]
  connectionId: string | null
  /** Whether every other sign-in method is refused, even for an address without a connection. */
  enforced: boolean
}

/**
 * Finds the connections for an address by its domain only. The answer does not depend on users, so it reveals neither
 * who exists nor who is exempt. Throws `organization_suspended`.
 */
export async function discoverConnection(work: Work, email: string): Promise<DiscoveredConnections> {
  const { norm } = requireEmail(email)
  await assertDoorOpen(work, null)
  return describe(work, norm, () => ownsDomainOf(work, norm))
}

/**
 * Finds the connections of the organization in the environment that has verified the domain. If this organization is
 * suspended or archived, or has the service off, the answer is the same as for an unknown domain.
 */
export async function discoverInEnvironment(work: ReachWork, email: string): Promise<DiscoveredConnections> {
  const { norm } = requireEmail(email)
  const { platform, db, reach, origin } = work
  const owner = await findOrganizationOfDomain(db, reach, norm)
  const directory = owner && (await findDirectory(platform, owner.directory_id))
  if (!directory || !(await isServiceEnabled({ platform, directory }, 'sso')))
    return { connection: null, connections: [], connectionId: null, enforced: false }
  return describe({ platform, db, origin, directory }, norm, async () => true)
}

async function describe(
  work: Work,
  emailNorm: string,
  ownsDomain: () => Promise<boolean>,
): Promise<DiscoveredConnections> {
  const { enforce_sso: enforced } = await enforcementSettings.effective(work)
  const usable = await usableConnections(work)
  const chosen = usable.length > 0 && (await ownsDomain()) ? choose(usable, emailNorm) : []
  const { organizationId: subOrgId } = work.directory
  const connections = chosen.map(({ id, name, protocol }) => ({ id, subOrgId, name, protocol }))
  const [connection = null] = connections
  return { connection, connections, connectionId: connection?.id ?? null, enforced }
}

/** Connections that name the domain, and then connections that name no domains, each oldest first. */
export function choose(connections: KnownConnection[], emailNorm: string): KnownConnection[] {
  return [
    ...connections.filter(({ domains }) => isOfDomain(emailNorm, domains)),
    ...connections.filter(({ domains }) => domains.length === 0),
  ]
}

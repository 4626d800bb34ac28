import { isOfDomain, requireEmail } from '../../../platform/mail/address.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { findOrganizationOfDomain, ownsDomainOf } from '../../directory/domains/domains.ts'
import { type KnownConnection, usableConnections } from '../connections/known/known.ts'
import { enforcementSettings } from './settings.ts'

/** A connection as a sign-in page offers it. */
export interface FoundConnection extends Pick<KnownConnection, 'id' | 'name' | 'protocol'> {
  subOrgId: string | null
}

/** The connections of the domain of an address. */
export interface DiscoveredConnections {
  /** The default one. */
  connection: FoundConnection | null
  /** All that take the domain; the default one is first. */
  connections: FoundConnection[]
  connectionId: string | null
  /** Whether every other sign-in method is refused, also to an address without a connection. */
  enforced: boolean
}

/**
 * The connections for an address, from its domain alone: the answer does not depend on users, and so reveals neither
 * who exists nor who is exempt. Throws `organization_suspended`.
 */
export async function discoverConnection(work: Work, email: string): Promise<DiscoveredConnections> {
  const { norm } = requireEmail(email)
  await assertDoorOpen(work, null)
  return describe(work, norm, () => ownsDomainOf(work, norm))
}

/**
 * The same among all organizations of an environment: the one that has verified the domain. One that is suspended or
 * archived, or has the service off, is answered like an unknown domain.
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

/** Those that name the domain, then those that name none: of each the oldest first. */
export function choose(connections: KnownConnection[], emailNorm: string): KnownConnection[] {
  return [
    ...connections.filter(({ domains }) => isOfDomain(emailNorm, domains)),
    ...connections.filter(({ domains }) => domains.length === 0),
  ]
}

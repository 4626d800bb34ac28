import type { Work } from '../../../platform/work.ts'
import type { SsoAccess } from '../../access/login/sso-only/sso-only.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import { type KnownConnection, usableConnections } from '../connections/known/known.ts'
import { findConnectionsOfUser } from '../federation/federation.ts'
import { choose } from './discover.ts'

/**
 * The connection that a person must use, after they have proved their address or signed in with another method. This
 * is the connection for the address's domain. If there is none, it is for an existing user the connection that they
 * used last, the one that provisioning is linked to, or the organization's only one. Null in all other cases.
 */
export async function connectionToStart(work: Work, emailNorm: string): Promise<string | null> {
  const usable = await usableConnections(work)
  if (usable.length === 0) return null
  const [ofDomain] = (await ownsDomainOf(work, emailNorm)) ? choose(usable, emailNorm) : []
  if (ofDomain) return ofDomain.id
  const user = await findConnectionsOfUser(work, emailNorm)
  if (!user) return null
  const ids = usable.map(({ id }) => id)
  const known = [...user.used, user.provisioning].find((id) => id !== null && ids.includes(id))
  return known ?? (ids.length === 1 ? (ids[0] ?? null) : null)
}

/**
 * Whether a connection can sign in the person with this address. It can if the organization has verified the domain
 * and the connection serves the domain. It can also if the user is linked to the connection, or provisioned: an
 * `externalId` works without a verified domain.
 */
export async function ssoAccessOf(work: Work, emailNorm: string): Promise<SsoAccess> {
  const usable = await usableConnections(work)
  if (usable.length === 0) return 'unavailable'
  return (await isTaken(work, usable, emailNorm)) ? 'singleSignOn' : 'noAccess'
}

async function isTaken(work: Work, usable: KnownConnection[], emailNorm: string): Promise<boolean> {
  if (choose(usable, emailNorm).length > 0 && (await ownsDomainOf(work, emailNorm))) return true
  const user = await findConnectionsOfUser(work, emailNorm)
  if (!user) return false
  const ids = usable.map(({ id }) => id)
  const known = user.is_provisioned ? [...user.used, user.provisioning] : user.used
  return known.some((id) => id !== null && ids.includes(id))
}

import type { Work } from '../../../platform/work.ts'
import { ssoProtocols } from '../connections/connections.ts'
import { findConnection } from '../connections/known/known.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { LogoutDemand } from '../federation/logout/logout.ts'

/**
 * Where the user of a session from a connection can sign out at the provider. Null if the connection is gone, or if
 * the provider has no address for it or cannot be reached: the session has ended in any case.
 */
export async function logOutAtProvider(work: Work, demand: LogoutDemand): Promise<string | null> {
  const connection = await findConnection(work, demand.source)
  const protocol = connection && ssoProtocols.of(work.platform)[connection.protocol]
  try {
    return (connection && (await protocol?.logOut?.(work, connection, demand))) ?? null
  } catch (error) {
    if (error instanceof FederationFailure) return null
    throw error
  }
}

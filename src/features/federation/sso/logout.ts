import type { Work } from '../../../platform/work.ts'
import { ssoProtocols } from '../connections/connections.ts'
import { findConnection } from '../connections/known/known.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { LogoutDemand } from '../federation/logout/logout.ts'

/**
 * Where the person of a session that came by a connection signs out; null if the connection, or its provider's address for
 * that, is not there, also for now: the session has ended, whatever the provider does.
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

import type { EndReason } from '../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../platform/work.ts'
import { revokeSessions, sessionEvents, stopSignIns } from '../sessions/sessions.ts'
import { hashNames, type NamingProvider } from './names.ts'
import { findChallengedUsers, findFederatedRows, findSessionIdsOf, type HashedLogout } from './store.ts'

/** The events that may be recorded when a provider ends its sessions. */
export const providerLogoutEvents = [sessionEvents.revoked]

/** A link of a user. */
interface LinkedIdentity {
  id: string
  user_id: string
  method: string
}

/**
 * Hashes the names and sessions of a logout, to compare them with the stored hashes. If there are no sessions, the
 * logout ends all sessions of the person.
 */
export function hashLogout(
  { platform }: Pick<TxWork, 'platform'>,
  provider: NamingProvider,
  { names, sessions }: { names: readonly (readonly string[])[]; sessions: readonly string[] },
): HashedLogout {
  const hashed = [...names.map((name) => ({ name })), ...sessions.map((session) => ({ session }))].map((each) =>
    hashNames(platform.keyring, provider, each),
  )
  return {
    names: hashed.flatMap(({ nameHash }) => nameHash ?? []),
    sessions: hashed.flatMap(({ sessionHash }) => sessionHash ?? []),
  }
}

/**
 * Ends sessions and challenges that came from sessions of a provider. `linked` is the user of the logout, if known: then
 * sessions of the user whose provider session is unknown end too. Codes end with `endCodes`, after the users are locked,
 * as in an exchange. Returns whether the logout matches any user.
 */
export async function endSessionsOfLogout(
  work: TxWork,
  logout: HashedLogout,
  { linked, reason, endCodes }: { linked: LinkedIdentity | null; reason: EndReason; endCodes: () => Promise<void> },
): Promise<boolean> {
  const { db, directory } = work
  const found = await findFederatedRows(db, directory, logout)
  const isEverySession = logout.sessions.length === 0
  const stopped = found.filter((row) => isEverySession || row.session_id === null).map(({ user_id }) => user_id)
  // Also stops the linked user's sign-ins in progress, since one of them may still create a session that this logout has
  // to end.
  const users = new Set([...stopped, ...(linked ? [linked.user_id] : [])])
  // Lock order: other transactions may lock the same users, so every transaction locks users in the same order.
  for (const userId of [...users].sort()) await stopSignIns(work, userId)
  await endCodes()
  // Read again, because a sign-in may have completed before its user was locked.
  const federated = (await findFederatedRows(db, directory, logout)).filter(({ is_live }) => is_live)
  const nameless = linked ? await findSessionIdsOf(db, directory, linked, { isNameless: true }) : []
  await revokeSessions(work, [...federated.map(({ id }) => id), ...nameless], reason)
  return found.length > 0 || linked !== null
}

/** Ends the sessions that came from a linked identity. Returns how many ended. */
export async function endSessionsOfIdentity(work: TxWork, linked: LinkedIdentity, reason: EndReason): Promise<number> {
  const ids = await findSessionIdsOf(work.db, work.directory, linked, { isNameless: false })
  return revokeSessions(work, ids, reason)
}

/** Ends challenges of sign-ins at a connection or provider, by cancelling the pending sign-ins of their users. */
export async function endChallengesOfProvider(work: TxWork, of: { method: string; source: string }): Promise<void> {
  for (const userId of await findChallengedUsers(work.db, work.directory, of)) await stopSignIns(work, userId)
}

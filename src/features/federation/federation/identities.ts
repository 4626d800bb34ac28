import { record } from '../../../platform/events/events.ts'
import type { Found, Page } from '../../../platform/http/pagination.ts'
import { isId } from '../../../platform/ids.ts'
import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import {
  endChallengesOfProvider,
  endSessionsOfIdentity,
  endSessionsOfLogout,
  hashLogout,
} from '../../access/federated-sessions/federated-sessions.ts'
import { withdrawConnectionRoles, withdrawUserRoles } from '../../directory/roles/sso/sso.ts'
import { voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import { getUser, getUserForUpdate } from '../../directory/users/users.ts'
import { federationErrors } from './errors.ts'
import { federationEvents } from './events.ts'
import { toIdentity } from './schema.ts'
import {
  type ConnectionsOfUser,
  deleteCodeRows,
  deleteIdentityRow,
  deleteIdentityRows,
  deleteNamedCodeRows,
  findConnectionsOfUserRow,
  findIdentityRow,
  type IdentityRow,
  lockConnectionForSignIn,
  type Subject,
  selectIdentityPage,
} from './store.ts'

const reasons = defineEndReasons('idp_logout', 'identity_unlinked')

/**
 * The connections that the user with this address has used, latest first, and the one that provisioning is linked to.
 * Null if there is no such user.
 */
export async function findConnectionsOfUser(
  { db, directory }: Work,
  emailNorm: string,
): Promise<ConnectionsOfUser | null> {
  return (await findConnectionsOfUserRow(db, directory, emailNorm)) ?? null
}

/** Removes the identities of a deleted connection or provider. The users stay. */
export async function unlinkSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  await closeSource(work, of)
  await deleteIdentityRows(work.db, work.directory, of)
}

/** The user that a provider signs out, with the provider's names. */
export interface ProviderLogout extends Omit<Subject, 'method' | 'subject'> {
  /**
   * The subject of the user's identity. Null if the provider does not say it, or identifies the user by another
   * attribute.
   */
  subject: string | null
  /** The names, in parts, that a sign-in of the person may have had. Empty if the provider only names sessions. */
  names: readonly (readonly string[])[]
  /** The provider's session ids. Empty: all sessions of the person. */
  sessions: readonly string[]
}

/**
 * Called when a provider signs a user out, with any protocol. Ends the user's sessions from the connection, and
 * sign-ins in progress. Returns whether the provider's names match a user.
 */
export async function endSessionsOfProvider(work: Work, said: ProviderLogout): Promise<boolean> {
  const { source, issuer, subject } = said
  const logout = hashLogout(work, said, said)
  return inTx(work, async (work) => {
    const { db, directory } = work
    await lockConnectionForSignIn(db, directory, source, true)
    const linked =
      subject === null
        ? null
        : await findIdentityRow(db, directory, { method: 'sso', source, issuer, subject, sector: null })
    const endCodes = () => deleteNamedCodeRows(db, directory, logout)
    return endSessionsOfLogout(work, logout, { linked: linked ?? null, reason: reasons.idp_logout, endCodes })
  })
}

/**
 * Called when a connection or provider is switched off. Ends its sign-ins in progress (challenges, and codes that are
 * not exchanged yet), and removes the roles that its groups gave.
 */
export async function closeSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  if (of.method === 'sso') await withdrawConnectionRoles(work, of.source)
  await endChallengesOfProvider(work, of)
  await deleteCodeRows(work.db, work.directory, of)
}

/** A page of a user's identities at providers. */
export function listIdentities({ db, directory }: Work, userId: string, page: Page): Promise<Found<IdentityRow>> {
  return selectIdentityPage(db, directory, userId, page)
}

/**
 * Removes an identity, the sessions that began with it, and sign-ins in progress. If the person signs in at the
 * provider again, they may become a new user. Throws `user_not_found`, `identity_not_found`.
 */
export async function unlinkIdentity(work: Work, { userId, id }: { userId: string; id: string }): Promise<number> {
  const known = await getUser(work, userId)
  return inTx(work, async (work) => {
    const { db, directory } = work
    const user = await getUserForUpdate(work, known.id)
    const one = { userId: user.id, id: id.toLowerCase() }
    const identity = isId(one.id) ? await deleteIdentityRow(db, directory, one) : undefined
    if (!identity) throw federationErrors.identityNotFound()
    if (identity.method === 'sso') await withdrawUserRoles(work, user, identity.source)
    await voidPendingSignIns(work, user, reasons.identity_unlinked)
    const target = { type: 'identity', id: identity.id }
    await record(work, federationEvents.unlinked({ target, data: toIdentity(identity, user) }))
    return endSessionsOfIdentity(work, identity, reasons.identity_unlinked)
  })
}

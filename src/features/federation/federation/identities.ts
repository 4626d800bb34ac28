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

/** The connections by which the user of an address has signed in, the latest first, and that of provisioning. Null: no user. */
export async function findConnectionsOfUser(
  { db, directory }: Work,
  emailNorm: string,
): Promise<ConnectionsOfUser | null> {
  return (await findConnectionsOfUserRow(db, directory, emailNorm)) ?? null
}

/** Forgets who people are at a connection or provider that is gone; the users stay. */
export async function unlinkSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  await closeSource(work, of)
  await deleteIdentityRows(work.db, work.directory, of)
}

/** The user that a provider signs out, in the provider's own terms. */
export interface ProviderLogout extends Omit<Subject, 'method' | 'subject'> {
  /** The subject that its name for the person is here; null where that is told by something else, or not said. */
  subject: string | null
  /** The names, in parts, that a sign-in of the person may have had; none where it names sessions alone. */
  names: readonly (readonly string[])[]
  /** Its sessions; none: all of the person. */
  sessions: readonly string[]
}

/**
 * Runs when a provider signs a user out, with any protocol: ends the user's sessions from the connection and the
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
 * Ends what is under way by a connection or provider that was switched off, challenges and codes not exchanged yet, and
 * takes the roles that it gave by groups.
 */
export async function closeSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  if (of.method === 'sso') await withdrawConnectionRoles(work, of.source)
  await endChallengesOfProvider(work, of)
  await deleteCodeRows(work.db, work.directory, of)
}

/** A page of who a user is at providers. */
export function listIdentities({ db, directory }: Work, userId: string, page: Page): Promise<Found<IdentityRow>> {
  return selectIdentityPage(db, directory, userId, page)
}

/**
 * Removes a link, the sessions that began by it, and the sign-ins in progress. The person may sign in at the provider
 * again and become a new user. Throws `user_not_found`, `identity_not_found`.
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

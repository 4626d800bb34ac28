import { changedFrom, record } from '../../../platform/events/events.ts'
import { isId } from '../../../platform/ids.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { inTx, type ReachWork, type TxWork, type Work } from '../../../platform/work.ts'
import { lacksFactor } from '../../access/mfa/mfa.ts'
import { findUserForUpdate, reachUser, type UserRow } from '../../directory/users/users.ts'
import { passkeyDeletedMail } from './emails.ts'
import { passkeyErrors } from './errors.ts'
import { passkeyEvents } from './events.ts'
import { type Passkey, toPasskey } from './schema.ts'
import { deletePasskey, findPasskey, listPasskeys, setDeviceName } from './store.ts'

/** Lists the passkeys of a user, oldest first. Throws `user_not_found`. */
export async function listPasskeysOf(work: ReachWork, userId: string): Promise<Passkey[]> {
  const { user, there } = await reachUser(work, userId)
  const rows = await listPasskeys(there.db, there.directory, user.id)
  return rows.map((row) => toPasskey(row, user))
}

export interface Removal {
  user: UserRow
  /** How many passkeys the user has left. */
  left: number
}

/**
 * Deletes a passkey and notifies the user. `which` is this service's id or the authenticator's id. If an owner is
 * named, the passkey must be theirs. Throws `passkey_not_found`.
 */
export async function deletePasskeyOf(work: Work, which: string, ownerId: string | null = null): Promise<Removal> {
  return inTx(work, async (work) => {
    const { directory, db } = work
    const passkey = await findNamed(work, which, ownerId)
    const user = passkey ? await findUserForUpdate(work, passkey.user_id) : null
    if (!passkey || !user) throw passkeyErrors.notFound()
    const left = await deletePasskey(db, directory, passkey)
    if (left === undefined) throw passkeyErrors.notFound()
    const data = toPasskey(passkey, user)
    await queueMail(work, passkeyDeletedMail(user, [data.deviceName]), NOTICE_USEFUL_SECONDS)
    await record(work, passkeyEvents.deleted({ target: { type: 'passkey', id: data.id }, data }))
    return { user, left }
  })
}

/**
 * Renames a passkey, given by either id. If an owner is named, the passkey must be theirs. Null restores the
 * authenticator's name. Throws `passkey_not_found`.
 */
export function renamePasskeyOf(
  work: Work,
  which: string,
  name: string | null,
  ownerId: string | null = null,
): Promise<Passkey> {
  return inTx(work, async (work) => {
    const named = await findNamed(work, which, ownerId)
    const user = named ? await findUserForUpdate(work, named.user_id) : null
    // Read again under the lock, because a concurrent request may have renamed or deleted the passkey.
    const passkey = user ? await findNamed(work, which, user.id) : undefined
    if (!passkey || !user) throw passkeyErrors.notFound()
    const before = toPasskey(passkey, user)
    const data = toPasskey(await setDeviceName(work.db, work.directory, passkey.id, name), user)
    const target = { type: 'passkey', id: data.id }
    if (data.deviceName !== before.deviceName)
      await record(work, passkeyEvents.updated({ target, data, previous: changedFrom(before, data) }))
    return data
  })
}

/** Finds a passkey by either id. If an owner is named, the passkey must be theirs. */
async function findNamed({ directory, db }: TxWork, which: string, ownerId: string | null) {
  const id = which.toLowerCase()
  const byId = isId(id) ? await findPasskey(db, directory, { id }) : undefined
  const found = byId ?? (await findPasskey(db, directory, { credentialId: which }))
  return ownerId === null || found?.user_id === ownerId ? found : undefined
}

/** Tells the caller who removed a passkey that the user has no factor left, and whether the policy requires one. */
export async function describeFactorsLeft(
  work: Work,
  { user, left }: Removal,
): Promise<{ last_factor?: true; mfa_required?: true }> {
  if (left > 0 || user.mfa_enrolled) return {}
  const isRequired = await lacksFactor(work, { ...user, passkey_count: left })
  return { last_factor: true, ...(isRequired ? { mfa_required: true } : {}) }
}

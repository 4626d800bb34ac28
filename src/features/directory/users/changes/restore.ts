import { now } from '../../../../platform/db/now.ts'
import { isId } from '../../../../platform/ids.ts'
import { belongingsOf } from '../../../../platform/lifecycle/belongings.ts'
import type { EmailAddress } from '../../../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import { userErrors } from '../errors.ts'
import { userEvents } from '../events.ts'
import { findUserForUpdate, freeAddress, orTaken, present } from '../hold.ts'
import { purgeKept } from '../purge.ts'
import { type HeldUser, lockDeletedRow, restoreRow, type UserChanges, type UserRow } from '../store.ts'
import { recordUser } from '../user-event.ts'

// Whoever may restore users, move them, or provision them, need not be allowed to give roles.
export const AS_MEMBER = { role: 'member', own_role: 'member', sso_role: null, scim_role: null, role_since: now }

/** The columns of another mailbox, which is unproved unless `isProved`. A lock belongs to the old address. */
export function movedTo(
  { email, norm }: EmailAddress,
  isProved: boolean,
  before: Pick<UserRow, 'email_verified' | 'proved_before'>,
) {
  const proved_before = before.email_verified || before.proved_before
  return { email, email_norm: norm, email_verified: isProved, locked_until: null, proved_before }
}

const WITHOUT_FACTORS = { mfa_enrolled: false, passkey_count: 0 }

/**
 * Brings back a user who was deleted, with ids and profile, active if they were; second factors and passkeys are there
 * again, since whoever may delete and restore people need not be allowed to take them away. What else the deletion ended
 * stays ended, roles among it. One who is there is answered as they are. Throws `user_not_found`, also for one who was
 * deleted thirty days ago, `email_exists`, `external_id_taken`, and `scim_managed` for one whom provisioning had set,
 * unless that is forced.
 */
export async function restoreDeleted(work: Work, id: string, { force = false } = {}): Promise<UserRow> {
  return inTx(work, async (work) => {
    const find = () => findUserForUpdate(work, id)
    // Whoever another request restored meanwhile was neither there at first nor deleted then.
    return (await find()) ?? (await bringBack(work, id, { force })) ?? present(await find())
  })
}

/**
 * The same for a client that provisions them anew, under the address that it names now: the old one may belong to another
 * user. Factors and passkeys are gone: the deletion may have been the answer to a takeover. Null if there is none any more; inactive until the client says otherwise. `isProved`: the
 * organization has verified the domain of a new address. Throws `email_exists`, `external_id_taken`.
 */
export async function restoreUser(
  work: TxWork,
  id: string,
  address: EmailAddress,
  isProved: boolean,
): Promise<HeldUser | null> {
  const changes = { ...WITHOUT_FACTORS, active: false }
  const user = await bringBack(work, id, { force: true, changes, moved: { address, isProved } })
  if (user) await purgeKept(work.db, belongingsOf(work.platform), work.directory.id, [user.id])
  return user
}

interface Restore {
  force: boolean
  changes?: UserChanges
  moved?: { address: EmailAddress; isProved: boolean }
}

async function bringBack(
  work: TxWork,
  text: string,
  { force, changes = {}, moved }: Restore,
): Promise<HeldUser | null> {
  const gone = isId(text.toLowerCase()) ? await lockDeletedRow(work.db, work.directory, text.toLowerCase()) : undefined
  if (!gone) return null
  if (gone.scim_managed && !force) throw userErrors.scimManaged()
  const mailbox = moved && moved.address.norm !== gone.email_norm ? movedTo(moved.address, moved.isProved, gone) : {}
  await freeAddress(work, work.directory, moved?.address.norm ?? gone.email_norm)
  const user = await orTaken(
    restoreRow(work.db, work.directory, gone.id, { ...AS_MEMBER, invited_at: null, ...changes, ...mailbox }),
  )
  await recordUser(work, userEvents.restored, user)
  return user
}

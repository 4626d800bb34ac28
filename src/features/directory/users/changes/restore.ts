import { now } from '../../../../platform/db/now.ts'
import { isId } from '../../../../platform/ids.ts'
import { belongingsOf } from '../../../../platform/lifecycle/belongings.ts'
import type { EmailAddress } from '../../../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import { userErrors } from '../errors.ts'
import { userEvents } from '../events.ts'
import { findUserForUpdate, freeAddress, mapTakenErrors, orNotFound } from '../hold.ts'
import { purgeKept } from '../purge.ts'
import { type HeldUser, lockDeletedRow, restoreRow, type UserChanges, type UserRow } from '../store.ts'
import { recordUser } from '../user-event.ts'

// Roles are reset, since a caller who may restore, move or provision users may lack the right to assign roles.
export const AS_MEMBER = { role: 'member', own_role: 'member', sso_role: null, scim_role: null, role_since: now }

/**
 * The columns to set when a user gets another address. It is unproved unless `isProved`. A lock stays with the old
 * address.
 */
export function newMailboxColumns(
  { email, norm }: EmailAddress,
  isProved: boolean,
  before: Pick<UserRow, 'email_verified' | 'proved_before'>,
) {
  const proved_before = before.email_verified || before.proved_before
  return { email, email_norm: norm, email_verified: isProved, locked_until: null, proved_before }
}

const WITHOUT_FACTORS = { mfa_enrolled: false, passkey_count: 0 }

/**
 * Restores a deleted user with ids and profile. Users who were active are active again. Second factors and passkeys
 * are restored, since a caller who may delete and restore users may lack the right to remove factors. Sessions, roles
 * and everything else that the deletion ended are not restored. A user who is not deleted is returned unchanged.
 * Throws `user_not_found` (also if the user was deleted more than 30 days ago), `email_exists`, `external_id_taken`,
 * and `scim_managed` for a provisioned user without `force`.
 */
export async function restoreDeleted(work: Work, id: string, { force = false } = {}): Promise<UserRow> {
  return inTx(work, async (work) => {
    const find = () => findUserForUpdate(work, id)
    // If another request restored the user meanwhile, only the third lookup finds them.
    return (await find()) ?? (await bringBack(work, id, { force })) ?? orNotFound(await find())
  })
}

/**
 * Restores a deleted user that a provisioning client creates again, under the address in the client's request:
 * another user may have the old address now. Deletes factors and passkeys, since the user may have been deleted
 * because of a takeover. The user stays inactive until the client activates them. `isProved` means that the
 * organization has verified the domain of a new address. Returns null if there is no deleted user with this id.
 * Throws `email_exists`, `external_id_taken`.
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
  const mailbox =
    moved && moved.address.norm !== gone.email_norm ? newMailboxColumns(moved.address, moved.isProved, gone) : {}
  await freeAddress(work, work.directory, moved?.address.norm ?? gone.email_norm)
  const user = await mapTakenErrors(
    restoreRow(work.db, work.directory, gone.id, { ...AS_MEMBER, invited_at: null, ...changes, ...mailbox }),
  )
  await recordUser(work, userEvents.restored, user)
  return user
}

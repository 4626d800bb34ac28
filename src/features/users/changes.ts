import { isDeepStrictEqual } from 'node:util'
import { isUniqueViolation } from '../../platform/db/pool.ts'
import { httpErrors } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { matches, tagOf } from '../../platform/http/precondition.ts'
import { isId } from '../../platform/ids.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { movePasswords, removePassword } from '../credentials/credentials.ts'
import { moveFactors, removeFactors, removeGrace } from '../factors/factors.ts'
import { movePasskeys, removePasskeys } from '../passkey-credentials/passkey-credentials.ts'
import { cutOff } from './cut-off.ts'
import { addressChangedMail } from './emails.ts'
import { userErrors } from './errors.ts'
import { userEvents } from './events.ts'
import { toColumns, type UserPatch } from './schema.ts'
import {
  deleteExpiredRow,
  lockUserRow,
  markUserRowDeleted,
  putUserRow,
  takeUserRow,
  type UserChanges,
  type UserRow,
  updateUserRow,
} from './store.ts'
import { assertMetadataFits, recordUser, userEvent } from './users.ts'

/** What every change may require. */
interface Condition {
  /** `If-Match`: change the record only if it still has this version. */
  ifMatch: string | null
}

/**
 * Changes a user: absent fields stay, null clears. Throws `user_not_found`, `email_exists`, `version_conflict`.
 */
export async function changeUser(
  work: Work,
  id: string,
  { patch, ifMatch }: Condition & { patch: UserPatch },
): Promise<UserRow> {
  return inTx(work, async (work) => {
    const { db, directory } = work
    const before = await getUserForUpdate(work, id, ifMatch)
    const address = patch.email === undefined ? null : requireEmail(patch.email)
    assertMetadataFits(patch)
    const movesMailbox = address !== null && address.norm !== before.email_norm
    const changes: UserChanges = {
      ...toColumns(patch),
      ...(address ? { email: address.email, email_norm: address.norm } : {}),
      // The new mailbox is unproved.
      ...(movesMailbox
        ? { email_verified: false, locked_until: null, proved_before: before.email_verified || before.proved_before }
        : {}),
    }
    const turned = patch.active !== undefined && patch.active !== before.active
    const edited = Object.entries(changes).some(([column, value]) => !sameValue(Reflect.get(before, column), value))
    if (!turned && !edited) return before
    if (movesMailbox) await deleteExpiredRow(db, directory, address.norm)
    const asked = turned ? { ...changes, active: patch.active } : changes
    const after = await orEmailExists(updateUserRow(db, directory, before.id, asked))
    if (edited) await recordUser(work, userEvents.updated, after, before)
    if (turned) await recordUser(work, after.active ? userEvents.activated : userEvents.deactivated, after, before)
    if (movesMailbox) await announceNewAddress(work, before, after)
    if (turned && !after.active) await cutOff(work, before, 'user_deactivated')
    else if (movesMailbox) await cutOff(work, before, 'email_changed')
    return after
  })
}

/** Deletes a user and frees their address at once. Throws `user_not_found`, `version_conflict`. */
export async function deleteUser(work: Work, id: string, { ifMatch }: Condition): Promise<void> {
  await inTx(work, async (work) => {
    const { db, directory } = work
    const user = await getUserForUpdate(work, id, ifMatch)
    await markUserRowDeleted(db, directory, user.id)
    await removePassword(db, directory, user.id)
    await removeFactors(work, user.id)
    await removeGrace(db, directory, user.id)
    await removePasskeys(db, directory, user.id)
    await recordUser(work, userEvents.deleted, user)
    await cutOff(work, user, 'user_deleted')
  })
}

/**
 * Moves a user to another organization of the account: ids and profile stay, but the role becomes `member`, and the
 * link to the old organization's provisioning and every session end. Both organizations record it.
 * Throws `user_not_found`, `email_exists`, `version_conflict`.
 */
export async function moveUser(
  work: Work,
  id: string,
  { target, ifMatch }: Condition & { target: Directory },
): Promise<UserRow> {
  return inTx(work, async (work) => {
    const { db, directory } = work
    const before = await getUserForUpdate(work, id, ifMatch)
    if (target.id === directory.id) return before
    await cutOff(work, before, 'user_moved')
    const move = { from: directory, to: target, userId: before.id }
    await movePasswords(db, move)
    await moveFactors(work, target, before.id)
    const passkeys = await movePasskeys(db, move)
    await takeUserRow(db, directory, before.id)
    await deleteExpiredRow(db, target, before.email_norm)
    const row = { ...before, role: 'member', scim_managed: false, passkey_count: passkeys }
    const after = await orEmailExists(putUserRow(db, target, row))
    const moved = userEvent(target, userEvents.moved, after)
    const event = { ...moved, previous: { subOrgId: directory.organizationId } }
    await record(work, event)
    await record({ ...work, directory: target }, event)
    return after
  })
}

async function getUserForUpdate(work: TxWork, id: string, ifMatch: string | null): Promise<UserRow> {
  const known = id.toLowerCase()
  const user = isId(known) ? await lockUserRow(work.db, work.directory, known) : undefined
  if (!user) throw userErrors.notFound()
  if (!matches(ifMatch, tagOf(user))) throw httpErrors.versionConflict()
  return user
}

async function orEmailExists<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    throw isUniqueViolation(error, 'users_by_email') ? userErrors.emailExists({ cause: error }) : error
  }
}

/** Notifies the old address, so that a takeover does not go unnoticed (ASVS 6.3.7). */
async function announceNewAddress(work: TxWork, before: UserRow, after: UserRow): Promise<void> {
  await queueMail(work, addressChangedMail(before.email, after.email), NOTICE_USEFUL_SECONDS)
}

function sameValue(stored: unknown, given: unknown): boolean {
  // The database returns JSON with its keys in another order.
  if (typeof stored === 'object' && stored !== null && typeof given === 'string')
    return isDeepStrictEqual(stored, JSON.parse(given))
  return stored === given
}

import { isDeepStrictEqual } from 'node:util'
import { isUniqueViolation, type Tx } from '../../platform/db/pool.ts'
import { httpErrors } from '../../platform/errors.ts'
import { type Origin, record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { isId } from '../../platform/ids.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import type { Platform } from '../../platform/platform.ts'
import { movePasswords, removePassword } from '../credentials/credentials.ts'
import { moveFactors, removeFactors } from '../factors/factors.ts'
import { movePasskeys, removePasskeys } from '../passkey-credentials/passkey-credentials.ts'
import { cutOff } from './cut-off.ts'
import { addressChangedMail } from './emails.ts'
import { userErrors } from './errors.ts'
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

/** Who asks for a change of whom. */
export interface ChangeContext {
  platform: Platform
  directory: Directory
  origin: Origin
  /** `If-Match`: only if the record is still this version. */
  ifMatch: string | null
}

/** The weak entity tag of a user. */
export function userTag(user: UserRow): string {
  return `W/"${user.version}"`
}

/**
 * Changes a user: absent fields stay, null clears. Throws `user_not_found`, `email_exists`, `version_conflict`.
 */
export async function changeUser(tx: Tx, context: ChangeContext, id: string, patch: UserPatch): Promise<UserRow> {
  const { directory, origin } = context
  const before = await lockUser(tx, context, id)
  const address = patch.email === undefined ? null : requireEmail(patch.email)
  assertMetadataFits(patch)
  const movesMailbox = address !== null && address.norm !== before.email_norm
  const changes: UserChanges = {
    ...toColumns(patch),
    ...(address ? { email: address.email, email_norm: address.norm } : {}),
    // Nobody has shown yet that the new mailbox is theirs.
    ...(movesMailbox
      ? { email_verified: false, locked_until: null, proved_before: before.email_verified || before.proved_before }
      : {}),
  }
  const turned = patch.active !== undefined && patch.active !== before.active
  const edited = Object.entries(changes).some(([column, value]) => !sameValue(Reflect.get(before, column), value))
  if (!turned && !edited) return before
  if (movesMailbox) await deleteExpiredRow(tx, directory, address.norm)
  const after = await updateRow(tx, directory, before.id, turned ? { ...changes, active: patch.active } : changes)
  if (edited) await recordUser(tx, directory, origin, 'user.updated', after, before)
  if (turned)
    await recordUser(tx, directory, origin, after.active ? 'user.activated' : 'user.deactivated', after, before)
  if (movesMailbox) await announceNewAddress(tx, context, before, after)
  if (turned && !after.active) await cutOff(tx, context, before, 'user_deactivated')
  else if (movesMailbox) await cutOff(tx, context, before, 'email_changed')
  return after
}

/** Deletes a user, whose address is free at once. Throws `user_not_found`, `version_conflict`. */
export async function deleteUser(tx: Tx, context: ChangeContext, id: string): Promise<void> {
  const { directory, origin } = context
  const user = await lockUser(tx, context, id)
  await markUserRowDeleted(tx, directory, user.id)
  await removePassword(tx, directory, user.id)
  await removeFactors(tx, directory, user.id)
  await removePasskeys(tx, directory, user.id)
  await recordUser(tx, directory, origin, 'user.deleted', user)
  await cutOff(tx, context, user, 'user_deleted')
}

/**
 * Moves a user into another organization of the account: the same ids and profile, but the plain role, no tie to the
 * old organization's provisioning, and no session. Both organizations record it.
 * Throws `user_not_found`, `email_exists`, `version_conflict`.
 */
export async function moveUser(tx: Tx, context: ChangeContext, id: string, target: Directory): Promise<UserRow> {
  const { directory, origin } = context
  const before = await lockUser(tx, context, id)
  if (target.id === directory.id) return before
  await cutOff(tx, context, before, 'user_moved')
  await movePasswords(tx, directory, target, before.id)
  await moveFactors(tx, directory, target, before.id)
  const passkeys = await movePasskeys(tx, directory, target, before.id)
  await takeUserRow(tx, directory, before.id)
  await deleteExpiredRow(tx, target, before.email_norm)
  const row = { ...before, role: 'member', scim_managed: false, passkey_count: passkeys }
  const after = await orEmailExists(putUserRow(tx, target, row))
  const moved = userEvent(target, 'user.moved', after)
  const event = { ...moved, previous: { subOrgId: directory.organizationId } }
  await record(tx, directory, origin, event)
  await record(tx, target, origin, event)
  return after
}

async function lockUser(tx: Tx, context: ChangeContext, id: string): Promise<UserRow> {
  const known = id.toLowerCase()
  const user = isId(known) ? await lockUserRow(tx, context.directory, known) : undefined
  if (!user) throw userErrors.notFound()
  const { ifMatch } = context
  const tags = ifMatch?.split(',').map((tag) => tag.trim()) ?? ['*']
  if (!tags.includes('*') && !tags.includes(userTag(user))) throw httpErrors.versionConflict()
  return user
}

async function updateRow(tx: Tx, directory: Directory, id: string, changes: UserChanges): Promise<UserRow> {
  return orEmailExists(updateUserRow(tx, directory, id, changes))
}

async function orEmailExists<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isUniqueViolation(error, 'users_by_email') ? userErrors.emailExists({ cause: error }) : error
  }
}

/** The old address hears of it, so that a takeover does not go unnoticed (ASVS 6.3.7). */
async function announceNewAddress(tx: Tx, context: ChangeContext, before: UserRow, after: UserRow): Promise<void> {
  const { platform, directory } = context
  await queueMail(tx, platform, directory, addressChangedMail(before.email, after.email), NOTICE_USEFUL_SECONDS)
}

function sameValue(stored: unknown, given: unknown): boolean {
  // JSON comes back from the database with its keys in another order.
  if (typeof stored === 'object' && stored !== null && typeof given === 'string')
    return isDeepStrictEqual(stored, JSON.parse(given))
  return stored === given
}

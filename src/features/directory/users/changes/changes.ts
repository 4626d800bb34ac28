import { isDeepStrictEqual } from 'node:util'
import { now } from '../../../../platform/db/now.ts'
import { httpErrors } from '../../../../platform/errors.ts'
import { type EventInput, record } from '../../../../platform/events/events.ts'
import { matches, tagOf } from '../../../../platform/http/precondition.ts'
import { defineEndReasons, type EndReason } from '../../../../platform/lifecycle/end-reasons.ts'
import { requireEmail } from '../../../../platform/mail/address.ts'
import { type Message, NOTICE_USEFUL_SECONDS, queueMail } from '../../../../platform/mail/outbox.ts'
import { assertMetadataFits } from '../../../../platform/metadata.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import { applyToBelongings, moveWithBelongings } from '../belongings.ts'
import { userErrors } from '../errors.ts'
import { userEvents } from '../events.ts'
import { freeAddress, getUserForUpdate, mapTakenErrors } from '../hold.ts'
import { toColumns, type UserPatch } from '../schema.ts'
import {
  asNewVersion,
  type HeldUser,
  type NewUserRow,
  NOT_INVITED,
  type UserChanges,
  type UserRow,
  updateUserRow,
} from '../store.ts'
import { userEvent } from '../user-event.ts'
import { addressChangedMail } from './emails.ts'
import { nameFollower } from './followers.ts'
import { AS_MEMBER, newMailboxColumns } from './restore.ts'

export { cutOff, voidPendingSignIns } from './cut-off.ts'
export { nameFollower } from './followers.ts'
export { restoreDeleted, restoreUser } from './restore.ts'
export { reasons as userEndReasons }

export const reasons = defineEndReasons('user_deactivated', 'email_changed', 'user_deleted', 'user_moved')

const DELETES_MANAGED =
  'The directory of the organization manages the user. Remove the user there, or delete with force=true: the directory may ' +
  'add the user again.'

const MOVES_MANAGED =
  'The directory of the organization manages the user. Remove the user there, or move with force=true: the directory may add ' +
  'the user to the old organization again.'

/** A newly set external id must be unique. Rows from before this rule may share one. */
const OF_ONE: UserChanges & Partial<NewUserRow> = { external_id_repeated: false }

/** A condition that any change may have. */
interface Condition {
  /** `If-Match`: change the record only if it still has this version. */
  ifMatch: string | null
}

/**
 * Changes a user: absent fields stay, null clears. Throws `user_not_found`, `email_exists`, `external_id_taken`,
 * `version_conflict`, and `scim_managed` for what provisioning has set, unless that is forced.
 */
export async function changeUser(
  work: Work,
  id: string,
  { patch: { force = false, ...patch }, ifMatch }: Condition & { patch: UserPatch },
): Promise<UserRow> {
  return inTx(work, async (work) => {
    const before = await getUnchanged(work, id, ifMatch)
    if (before.scim_managed && !force) refuseManaged(before, patch)
    return changeHeldUser(work, before, patch)
  })
}

/** What a provisioning client sets in addition to the patch. */
interface Managed {
  scim_managed: boolean
  /**
   * Whether the new address counts as proved, because its mailbox is proved or the organization has verified its
   * domain.
   */
  isProved: boolean
  /** Whether something changed that the user's columns do not show. */
  isTouched: boolean
  /**
   * The notice to the old address when the user made the change. The user's sessions then stay until the caller ends
   * them.
   */
  noticeOfOwn?: Message
}

/** Changes a user whose row is locked, as `changeUser` does. Throws `email_exists`, `external_id_taken`. */
export async function changeHeldUser(
  work: TxWork,
  before: HeldUser,
  patch: Omit<UserPatch, 'force'>,
  managed: Managed = { scim_managed: before.scim_managed, isProved: false, isTouched: false },
): Promise<UserRow> {
  const { directory } = work
  const address = patch.email === undefined ? null : requireEmail(patch.email)
  assertMetadataFits(patch.metadata)
  const movesMailbox = address !== null && address.norm !== before.email_norm
  const changes: UserChanges = {
    ...toColumns(patch),
    ...(patch.externalId !== undefined && (patch.externalId || null) !== before.external_id ? OF_ONE : {}),
    scim_managed: managed.scim_managed,
    ...(address && movesMailbox ? newMailboxColumns(address, managed.isProved, before) : {}),
    ...(address && !movesMailbox ? { email: address.email } : {}),
  }
  const turned = patch.active !== undefined && patch.active !== before.active
  const edited = Object.entries(changes).some(([column, value]) => !sameValue(Reflect.get(before, column), value))
  if (!turned && !edited && !managed.isTouched) return before
  if (movesMailbox) await freeAddress(work, directory, address.norm)
  const asked = turned ? { ...changes, active: patch.active } : changes
  const reason = turned && !patch.active ? reasons.user_deactivated : movesMailbox ? reasons.email_changed : null
  const written = writeChanges(work, before, asked, { reason, keepsSessions: managed.noticeOfOwn !== undefined })
  const { user: after, announced } = await mapTakenErrors(written)
  const turn = after.active ? userEvents.activated : userEvents.deactivated
  const events = [
    ...(edited ? [userEvent(directory, userEvents.updated, after, before)] : []),
    ...(turned ? [userEvent(directory, turn, after, before)] : []),
  ]
  await record(work, ...events, ...announced)
  if (after.scim_managed && after.display_name !== before.display_name)
    await nameFollower.of(work.platform)(work, after.id)
  // A mail to the old address makes a takeover visible (ASVS 6.3.7).
  const notice = managed.noticeOfOwn ?? addressChangedMail(before, after.email)
  if (movesMailbox) await queueMail(work, notice, NOTICE_USEFUL_SECONDS)
  return after
}

/**
 * Refuses to change what a provisioning client has set: the client would set it again. The change must be made in the
 * organization's own directory.
 */
function refuseManaged(user: UserRow, patch: UserPatch): void {
  const { metadata: _, externalId: __, locale: ___, active, email, ...profile } = patch
  const said = { ...toColumns(profile), ...(active !== undefined && { active }), ...(email !== undefined && { email }) }
  const changed = Object.entries(said).filter(([column, value]) => Reflect.get(user, column) !== value)
  if (changed.length > 0) throw userErrors.scimManaged()
}

/**
 * Deletes a user and frees their address at once. Throws `user_not_found`, `version_conflict`, and `scim_managed` for
 * a provisioned user without `force`, because the provisioning client would go on updating a user who is gone.
 */
export async function deleteUser(
  work: Work,
  id: string,
  { ifMatch, force }: Condition & { force: boolean },
): Promise<void> {
  await inTx(work, async (work) => {
    const user = await getUnchanged(work, id, ifMatch)
    if (user.scim_managed && !force) throw userErrors.scimManaged({ detail: DELETES_MANAGED })
    const removal = { user, reason: reasons.user_deleted }
    const { announced } = await applyToBelongings(work, 'removal', removal, { deleted_at: now, ...asNewVersion })
    await record(work, userEvent(work.directory, userEvents.deleted, user), ...announced)
  })
}

/**
 * Moves a user to another organization of the account. Ids and profile stay. The role becomes `member`, every session
 * ends, and the user is no longer provisioned by the old organization. Both organizations record the move. Throws
 * `user_not_found`, `email_exists`, `external_id_taken`, `version_conflict`, and `scim_managed` for a provisioned
 * user without `force`.
 */
export async function moveUser(
  work: Work,
  id: string,
  { target, ifMatch, force }: Condition & { target: Directory; force: boolean },
): Promise<UserRow> {
  return inTx(work, async (work) => {
    const { directory } = work
    const before = await getUnchanged(work, id, ifMatch)
    if (target.id === directory.id) return before
    if (before.scim_managed && !force) throw userErrors.scimManaged({ detail: MOVES_MANAGED })
    await freeAddress(work, target, before.email_norm)
    const move = { user: before, reason: reasons.user_moved, to: target }
    // A lock stays with the address in the old directory.
    const changes = { ...AS_MEMBER, ...OF_ONE, ...NOT_INVITED, scim_managed: false, locked_until: null }
    const { user: after, announced } = await mapTakenErrors(moveWithBelongings(work, move, changes))
    const event = { ...userEvent(target, userEvents.moved, after), previous: { subOrgId: directory.organizationId } }
    await record(work, ...announced, event)
    await record({ ...work, directory: target }, event)
    return after
  })
}

/** Locks and returns the user, if the record still has the version that the caller named. */
async function getUnchanged(work: TxWork, id: string, ifMatch: string | null): Promise<HeldUser> {
  const user = await getUserForUpdate(work, id)
  if (!matches(ifMatch, tagOf(user))) throw httpErrors.versionConflict()
  return user
}

/** Writes the changes. `reason` is set if the change ends the user's sessions. */
async function writeChanges(
  work: TxWork,
  user: HeldUser,
  changes: UserChanges,
  { reason, keepsSessions }: { reason: EndReason | null; keepsSessions: boolean },
): Promise<{ user: UserRow; announced: EventInput[] }> {
  const change = { user, keepsSessions, devices: true }
  if (reason) {
    // The cut-off withdraws all invitations except those to the team.
    const invitation = work.directory.kind === 'console' ? {} : NOT_INVITED
    return applyToBelongings(work, 'cutOff', { ...change, reason }, { ...changes, ...invitation, ...asNewVersion })
  }
  return { user: await updateUserRow(work.db, work.directory, user.id, changes), announced: [] }
}

function sameValue(stored: unknown, given: unknown): boolean {
  // PostgreSQL returns JSON with its keys in another order, so the texts cannot be compared.
  if (typeof stored === 'object' && stored !== null && typeof given === 'string')
    return isDeepStrictEqual(stored, JSON.parse(given))
  return stored === given
}

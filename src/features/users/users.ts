import { invalidField } from '../../platform/errors.ts'
import { changedFrom, type EventFactory, type EventInput, record } from '../../platform/events.ts'
import type { Directory, Reach } from '../../platform/http/directory.ts'
import type { Page } from '../../platform/http/pagination.ts'
import { isId, newId } from '../../platform/ids.ts'
import { type EmailAddress, parseEmail, requireEmail } from '../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { removePassword } from '../credentials/credentials.ts'
import { removeFactors } from '../factors/factors.ts'
import { voidLinks } from '../links/links.ts'
import { removePasskeys, voidCeremonies } from '../passkey-credentials/passkey-credentials.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { userErrors } from './errors.ts'
import { userEvents } from './events.ts'
import { findListedByEmail } from './lookup.ts'
import {
  MAX_METADATA_BYTES,
  type Profile,
  type SignupProfile,
  toColumns,
  toUser,
  type User,
  type UserCreate,
} from './schema.ts'
import {
  aDayFromNow,
  countUserRows,
  findUserRowByEmail,
  findUserRowById,
  findUserRowInReach,
  insertUserRows,
  type ListedUserRow,
  lockUserRow,
  type NewUserRow,
  raiseEpoch,
  selectUserPage,
  setAuthAccount,
  setInvited,
  setLockedUntil,
  setVerified,
  type UserFilter,
  type UserRow,
} from './store.ts'

export { cutOff, voidPendingSignIns } from './cut-off.ts'
export { userErrors } from './errors.ts'
export { userEvents } from './events.ts'
export { SignupProfile, toUser, User, UserCreate, UserParams } from './schema.ts'
export type { UserRow } from './store.ts'

/** The user of this address (`EmailAddress.norm`), or null. An expired sign-up does not count. */
export async function findUserByEmail(work: Work, emailNorm: string): Promise<UserRow | null> {
  return (await findUserRowByEmail(work.db, work.directory, emailNorm)) ?? null
}

/** By the id of the directory user or of the auth account; null if there is none. */
export async function findUserById(work: Work, id: string): Promise<UserRow | null> {
  const known = id.toLowerCase()
  return isId(known) ? ((await findUserRowById(work.db, work.directory, known)) ?? null) : null
}

/** The same. Throws `user_not_found`. */
export async function getUser(work: Work, id: string): Promise<UserRow> {
  const user = await findUserById(work, id)
  if (!user) throw userErrors.notFound()
  return user
}

/** By either id, within the caller's reach. Throws `user_not_found`. */
export async function getUserInReach(work: Work<Reach>, id: string): Promise<ListedUserRow> {
  const known = id.toLowerCase()
  const user = isId(known) ? await findUserRowInReach(work.db, work.directory, known) : undefined
  if (!user) throw userErrors.notFound()
  return user
}

/** One page of what the caller reaches, and the total if requested. */
export async function listUsers(
  work: Work<Reach>,
  query: Omit<UserFilter, 'emailNorm'> & { email?: string },
  page: Page,
): Promise<{ rows: ListedUserRow[]; total: number | undefined }> {
  const { db, directory: reach } = work
  if (query.updatedSince !== undefined && Number.isNaN(Date.parse(query.updatedSince)))
    throw invalidField('updatedSince', 'format', 'updatedSince must be a date and time')
  // A text that is not an address matches nothing.
  const emailNorm = query.email === undefined ? undefined : (parseEmail(query.email)?.norm ?? '')
  const filter = { ...query, emailNorm }
  if (isLookup(query, page) && emailNorm !== undefined && reach.directory) {
    const found = await findListedByEmail(work.platform)({ directory: reach.directory, emailNorm })
    return { rows: found ? [found] : [], total: undefined }
  }
  const rows = await selectUserPage(db, reach, filter, page).execute()
  return { rows, total: page.includeTotal ? await countUserRows(db, reach, filter) : undefined }
}

/** Whether the query is a plain look-up by address. */
function isLookup(query: object, page: Page): boolean {
  const { after, order, includeTotal } = page
  const asked = Object.keys(query).filter((name) => name !== 'limit' && name !== 'subOrgId')
  return asked.join() === 'email' && after === null && order === 'asc' && !includeTotal
}

/** Adds one user. Throws `email_exists`, and `invalid_request` for an invalid address. */
export async function createUser(work: Work, input: UserCreate): Promise<UserRow> {
  return inTx(work, async (work) => {
    const address = requireEmail(input.email)
    assertMetadataFits(input)
    const row = { ...toColumns(input), ...identityOf(address), source: 'api' }
    const [user] = await insertUserRows(work.db, work.directory, [row], 'pending')
    if (!user) throw userErrors.emailExists()
    await recordUser(work, userEvents.created, user)
    return user
  })
}

/**
 * The invited user: a new one, or the existing user of the address, unchanged. A pending sign-up becomes the new user,
 * without the data typed there. Either row is locked until the transaction ends.
 */
export async function provisionInvitedUser(
  work: TxWork,
  input: EmailAddress & Pick<UserCreate, 'displayName' | 'firstName' | 'lastName'>,
): Promise<UserRow> {
  const { displayName = null, firstName = null, lastName = null } = input
  const row = { ...toColumns({ displayName, firstName, lastName }), ...identityOf(input), source: 'invite' }
  const [made] = await insertUserRows(work.db, work.directory, [row], 'pending')
  if (made) {
    await recordUser(work, userEvents.created, made)
    return made
  }
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address has no user')
  return user
}

/**
 * The user who signs up: a new one that must prove the mailbox within a day, or the existing user of the address,
 * unchanged.
 */
export async function provisionPendingUser(work: TxWork, input: EmailAddress & SignupProfile): Promise<UserRow> {
  const made = await insertSignup(work, input, { pending_until: aDayFromNow })
  if (made) return made
  // The insert that did nothing has locked the conflicting row, so it still exists.
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address has no user')
  return user
}

/** Creates the user who signs up. Returns null when the address is taken, even by a pending sign-up. */
export async function createSignup(
  work: TxWork,
  input: EmailAddress & SignupProfile,
  emailVerified: boolean,
): Promise<UserRow | null> {
  return insertSignup(work, input, { email_verified: emailVerified })
}

async function insertSignup(
  work: TxWork,
  input: EmailAddress & SignupProfile,
  columns: Partial<NewUserRow>,
): Promise<UserRow | null> {
  const { firstName = null, lastName = null, phone = null } = input
  const row = { ...toColumns({ firstName, lastName, phone }), ...identityOf(input), source: 'signup', ...columns }
  const [made] = await insertUserRows(work.db, work.directory, [row], 'expired')
  if (made) await recordUser(work, userEvents.created, made)
  return made ?? null
}

/** The id of the user's auth account, created if there was none. Throws `user_not_found`. */
export async function ensureAuthAccount(work: TxWork, user: UserRow): Promise<string> {
  const id = user.auth_account_id ?? (await setAuthAccount(work.db, work.directory, user.id, newId()))
  if (id === undefined) throw userErrors.notFound()
  return id
}

/** Records that the user was invited, and creates the auth account if there is none. */
export async function markInvited(work: TxWork, user: UserRow): Promise<void> {
  await ensureAuthAccount(work, user)
  await setInvited(work.db, work.directory, user.id, true)
}

/** Records that the invitation was accepted or withdrawn. */
export async function markNotInvited(work: TxWork, id: string): Promise<void> {
  await setInvited(work.db, work.directory, id, false)
}

/** Records that the user's address is locked; the user shows as locked until then. */
export async function markLocked(work: TxWork, id: string, until: Date): Promise<void> {
  const user = await setLockedUntil(work.db, work.directory, id, until)
  if (user) await recordUser(work, userEvents.locked, user)
}

/**
 * Locks the user's row until the transaction ends. Lock order: before any other row of the user, to avoid deadlocks.
 */
export async function findUserForUpdate(work: TxWork, id: string): Promise<UserRow | null> {
  return (await lockUserRow(work.db, work.directory, id)) ?? null
}

/** Records that the lock was ended early. */
export async function markUnlocked(work: TxWork, id: string): Promise<void> {
  const user = (await setLockedUntil(work.db, work.directory, id, null)) ?? (await findUserById(work, id))
  if (user) await recordUser(work, userEvents.unlocked, user)
}

/** What the first proof of a mailbox spares. */
export interface Kept {
  /** The link that proves it. */
  linkId?: string | undefined
  /** True when the user has proved that the password is theirs. */
  password?: boolean
}

/**
 * Records that the user has just proved the mailbox. The first proof confirms the address, completes a pending sign-up
 * and removes what was set before; later ones change nothing. Either way the user's row is locked.
 * @returns false when the address has changed since `user` was read, or the user was deleted.
 */
export async function proveMailbox(work: TxWork, user: UserRow, kept: Kept = {}): Promise<boolean> {
  const { db, directory } = work
  const proven = await setVerified(db, directory, user)
  if (!proven) return (await lockUserRow(db, directory, user.id))?.email_norm === user.email_norm
  await removeUnprovenAccess(work, proven, kept)
  const left = keepsFactors(proven) ? proven : { ...proven, mfa_enrolled: false, passkey_count: 0 }
  await recordUser(work, userEvents.emailVerified, left, user)
  return true
}

/**
 * A user with a second factor whose earlier address was proved is asked for that factor at this sign-in, so factors and
 * passkeys stay: otherwise the new mailbox alone could remove them. Without a second factor nothing proves who set the
 * account up, and they go.
 */
function keepsFactors(user: UserRow): boolean {
  return user.proved_before && user.mfa_enrolled
}

/**
 * Someone who registered an address before its owner must not keep access (account pre-hijacking): removes every
 * session, password, link and factor set up before the first proof of the mailbox. The one place for it.
 */
async function removeUnprovenAccess(work: TxWork, user: UserRow, kept: Kept): Promise<void> {
  const { db, directory } = work
  await revokeUserSessions(work, user.id, 'mailbox_proved')
  if (!kept.password) await removePassword(db, directory, user.id)
  await voidCeremonies(db, directory, user.id)
  if (!keepsFactors(user)) {
    await removeFactors(work, user.id)
    await removePasskeys(db, directory, user.id)
  }
  await voidLinks(work, user, { exceptId: kept.linkId })
  await raiseEpoch(db, directory, user.id)
}

/** Records a `user.*` event with the user as the API shows them, and with `before` also what changed. */
export async function recordUser(work: TxWork, event: UserEvent, after: UserRow, before?: UserRow): Promise<void> {
  await record(work, userEvent(work.directory, event, after, before))
}

type UserEvent = EventFactory<typeof User>

export function userEvent(directory: Directory, event: UserEvent, after: UserRow, before?: UserRow): EventInput {
  const data = toUser(after, directory.organizationId)
  const previous = before ? { previous: changedFrom(toUser(before, directory.organizationId), data) } : {}
  return event({ target: { type: 'user', id: after.id }, data, ...previous })
}

/** The columns that a new row starts with. */
export function identityOf(address: EmailAddress) {
  return { id: newId(), email: address.email, email_norm: address.norm }
}

export function assertMetadataFits(fields: Profile): void {
  if (fitsMetadata(fields)) return
  throw invalidField('metadata', 'too_large', `metadata must not be larger than ${MAX_METADATA_BYTES} bytes`)
}

export function fitsMetadata(fields: Profile): boolean {
  return Buffer.byteLength(toColumns(fields).metadata ?? '') <= MAX_METADATA_BYTES
}

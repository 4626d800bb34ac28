import type { Db, Tx } from '../../platform/db/pool.ts'
import { httpErrors } from '../../platform/errors.ts'
import { changedFrom, type EventInput, type Origin, record } from '../../platform/events.ts'
import type { Directory, Reach } from '../../platform/http/directory.ts'
import type { Page } from '../../platform/http/pagination.ts'
import { isId, newId } from '../../platform/ids.ts'
import { type EmailAddress, parseEmail, requireEmail } from '../../platform/mail/address.ts'
import type { Platform } from '../../platform/platform.ts'
import { removePassword } from '../credentials/credentials.ts'
import { removeFactors } from '../factors/factors.ts'
import { voidLinks } from '../links/links.ts'
import { removePasskeys, voidCeremonies } from '../passkey-credentials/passkey-credentials.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { userErrors } from './errors.ts'
import { MAX_METADATA_BYTES, type Profile, type SignupProfile, toColumns, toUser, type UserCreate } from './schema.ts'
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

export { cutOff, voidWhatWaits } from './cut-off.ts'
export { userErrors } from './errors.ts'
export { SignupProfile, toUser, User, UserCreate, UserParams } from './schema.ts'
export type { UserRow } from './store.ts'

/** Whoever has this address (`EmailAddress.norm`) here, or null. An expired sign-up counts as nobody. */
export async function findUserByEmail(db: Db, directory: Directory, emailNorm: string): Promise<UserRow | null> {
  return (await findUserRowByEmail(db, directory, emailNorm)) ?? null
}

/** By the id of the directory user or of the auth account; null when nobody here has it. */
export async function findUserById(db: Db, directory: Directory, id: string): Promise<UserRow | null> {
  const known = id.toLowerCase()
  return isId(known) ? ((await findUserRowById(db, directory, known)) ?? null) : null
}

/** The same. Throws `user_not_found`. */
export async function getUser(db: Db, directory: Directory, id: string): Promise<UserRow> {
  const user = await findUserById(db, directory, id)
  if (!user) throw userErrors.notFound()
  return user
}

/** By either id, in all that the caller reaches. Throws `user_not_found`. */
export async function getUserInReach(db: Db, reach: Reach, id: string): Promise<ListedUserRow> {
  const known = id.toLowerCase()
  const user = isId(known) ? await findUserRowInReach(db, reach, known) : undefined
  if (!user) throw userErrors.notFound()
  return user
}

/** One page of what the caller reaches, and their number if it was asked for. */
export async function listUsers(
  db: Db,
  reach: Reach,
  query: Omit<UserFilter, 'emailNorm'> & { email?: string },
  page: Page,
): Promise<{ found: ListedUserRow[]; total: number | undefined }> {
  if (query.updatedSince !== undefined && Number.isNaN(Date.parse(query.updatedSince)))
    throw httpErrors.invalidRequest({
      detail: 'updatedSince must be a moment.',
      errors: [{ field: 'updatedSince', code: 'format', message: 'updatedSince must be a moment' }],
    })
  // What is no address belongs to nobody.
  const emailNorm = query.email === undefined ? undefined : (parseEmail(query.email)?.norm ?? '')
  const filter = { ...query, emailNorm }
  const found = await selectUserPage(db, reach, filter, page).execute()
  return { found, total: page.includeTotal ? await countUserRows(db, reach, filter) : undefined }
}

/** Adds one person. Throws `email_exists`, and `invalid_request` for what is no address. */
export async function createUser(tx: Tx, directory: Directory, origin: Origin, input: UserCreate): Promise<UserRow> {
  const address = requireEmail(input.email)
  assertMetadataFits(input)
  const row = { ...toColumns(input), ...identityOf(address), source: 'api' }
  const [user] = await insertUserRows(tx, directory, [row], 'pending')
  if (!user) throw userErrors.emailExists()
  await recordUser(tx, directory, origin, 'user.created', user)
  return user
}

/**
 * The person who is invited: a fresh user, or whoever has the address already, unchanged. A sign-up that waits for its
 * proof becomes the fresh user, with nothing of what was typed there. Either row is held until the transaction ends.
 */
export async function provisionInvitedUser(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  input: EmailAddress & Pick<UserCreate, 'displayName' | 'firstName' | 'lastName'>,
): Promise<UserRow> {
  const { displayName = null, firstName = null, lastName = null } = input
  const row = { ...toColumns({ displayName, firstName, lastName }), ...identityOf(input), source: 'invite' }
  const [made] = await insertUserRows(tx, directory, [row], 'pending')
  if (made) {
    await recordUser(tx, directory, origin, 'user.created', made)
    return made
  }
  const user = await findUserRowByEmail(tx, directory, input.norm)
  if (!user) throw new Error('A taken address belongs to nobody')
  return user
}

/**
 * The person who signs up: a fresh user that waits a day for the proof of its mailbox, or whoever has the address
 * already, unchanged.
 */
export async function provisionPendingUser(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  input: EmailAddress & SignupProfile,
): Promise<UserRow> {
  const made = await insertSignup(tx, directory, origin, input, { pending_until: aDayFromNow })
  if (made) return made
  // The insert that gave way has locked the row it gave way to, so it is still there.
  const user = await findUserRowByEmail(tx, directory, input.norm)
  if (!user) throw new Error('A taken address belongs to nobody')
  return user
}

/** The person who signs up, a user at once. Null: somebody has the address, be it a sign-up that waits. */
export async function createSignup(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  input: EmailAddress & SignupProfile,
  emailVerified: boolean,
): Promise<UserRow | null> {
  return insertSignup(tx, directory, origin, input, { email_verified: emailVerified })
}

async function insertSignup(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  input: EmailAddress & SignupProfile,
  columns: Partial<NewUserRow>,
): Promise<UserRow | null> {
  const { firstName = null, lastName = null, phone = null } = input
  const row = { ...toColumns({ firstName, lastName, phone }), ...identityOf(input), source: 'signup', ...columns }
  const [made] = await insertUserRows(tx, directory, [row], 'expired')
  if (made) await recordUser(tx, directory, origin, 'user.created', made)
  return made ?? null
}

/** The id of the account that the user signs in with, made now if there was none. Throws `user_not_found`. */
export async function ensureAuthAccount(tx: Tx, directory: Directory, user: UserRow): Promise<string> {
  const id = user.auth_account_id ?? (await setAuthAccount(tx, directory, user.id, newId()))
  if (id === undefined) throw userErrors.notFound()
  return id
}

/** Notes that an invitation was sent to the user, and makes the account that they will sign in with. */
export async function markInvited(tx: Tx, directory: Directory, user: UserRow): Promise<void> {
  await ensureAuthAccount(tx, directory, user)
  await setInvited(tx, directory, user.id, true)
}

/** The invitation was accepted or withdrawn. */
export async function markNotInvited(tx: Tx, directory: Directory, id: string): Promise<void> {
  await setInvited(tx, directory, id, false)
}

/** A lock of the user's address has begun; the record shows it until then. */
export async function markLocked(tx: Tx, directory: Directory, origin: Origin, id: string, until: Date): Promise<void> {
  const user = await setLockedUntil(tx, directory, id, until)
  if (user) await recordUser(tx, directory, origin, 'user.locked', user)
}

/** Holds the user's row until the transaction ends: before anything else of theirs, so that nobody waits crosswise. */
export async function lockUser(tx: Tx, directory: Directory, id: string): Promise<UserRow | null> {
  return (await lockUserRow(tx, directory, id)) ?? null
}

/** The lock was ended early. */
export async function markUnlocked(tx: Tx, directory: Directory, origin: Origin, id: string): Promise<void> {
  const user = (await setLockedUntil(tx, directory, id, null)) ?? (await findUserById(tx, directory, id))
  if (user) await recordUser(tx, directory, origin, 'user.unlocked', user)
}

interface ProofContext {
  platform: Platform
  directory: Directory
  origin: Origin
}

/** What the first proof of a mailbox leaves of what was set before it. */
export interface Kept {
  /** The link that proves it. */
  linkId?: string | undefined
  /** The person has shown that the password is theirs. */
  password?: boolean
}

/**
 * The user has just shown that the mailbox is theirs. The first time this confirms the address, ends the wait of a
 * sign-up and takes away what was set before; later it changes nothing.
 * False: the address has become another since `user` was read, or the user has gone.
 */
export async function proveMailbox(tx: Tx, context: ProofContext, user: UserRow, kept: Kept = {}): Promise<boolean> {
  const { directory, origin } = context
  const proven = await setVerified(tx, directory, user)
  if (!proven) return (await lockUserRow(tx, directory, user.id))?.email_norm === user.email_norm
  await removeWhatPrecededProof(tx, context, proven, kept)
  const left = keepsFactors(proven) ? proven : { ...proven, mfa_enrolled: false, passkey_count: 0 }
  await recordUser(tx, directory, origin, 'user.email_verified', left, user)
  return true
}

/**
 * Whose address was proved once and is another now, and who has a second factor, is asked for it at this sign-in: then
 * factors and passkeys stay, for else the new mailbox alone would do away with them. Without one there is nothing that
 * tells who prepared the account, and they go.
 */
function keepsFactors(user: UserRow): boolean {
  return user.proved_before && user.mfa_enrolled
}

/**
 * Whoever registered an address before its owner came must not keep a way in (account pre-hijacking):
 * every session, password, link and factor set up before the first proof of the mailbox goes. The one place for it.
 */
async function removeWhatPrecededProof(
  tx: Tx,
  { platform, directory, origin }: ProofContext,
  user: UserRow,
  kept: Kept,
): Promise<void> {
  await revokeUserSessions(tx, directory, origin, user.id, 'mailbox_proved')
  if (!kept.password) await removePassword(tx, directory, user.id)
  await voidCeremonies(tx, directory, user.id)
  if (!keepsFactors(user)) {
    await removeFactors(tx, directory, user.id)
    await removePasskeys(tx, directory, user.id)
  }
  await voidLinks(tx, platform, directory, user, { exceptId: kept.linkId })
  await raiseEpoch(tx, directory, user.id)
}

/** Records a `user.*` event with the user as the API shows them; `before`: also what changed. */
export async function recordUser(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  type: string,
  after: UserRow,
  before?: UserRow,
): Promise<void> {
  await record(tx, directory, origin, userEvent(directory, type, after, before))
}

export function userEvent(directory: Directory, type: string, after: UserRow, before?: UserRow): EventInput {
  const data = toUser(after, directory.organizationId)
  const previous = before ? { previous: changedFrom(toUser(before, directory.organizationId), data) } : {}
  return { type, target: { type: 'user', id: after.id }, data, ...previous }
}

/** The columns that a new row starts with. */
export function identityOf(address: EmailAddress) {
  return { id: newId(), email: address.email, email_norm: address.norm }
}

export function assertMetadataFits(fields: Profile): void {
  if (fitsMetadata(fields)) return
  const message = `metadata must not be larger than ${MAX_METADATA_BYTES} bytes`
  throw httpErrors.invalidRequest({
    detail: `${message}.`,
    errors: [{ field: 'metadata', code: 'too_large', message }],
  })
}

export function fitsMetadata(fields: Profile): boolean {
  return Buffer.byteLength(toColumns(fields).metadata ?? '') <= MAX_METADATA_BYTES
}

import { httpErrors } from '../../platform/errors.ts'
import { changedFrom, type EventInput, record } from '../../platform/events.ts'
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
export async function findUserByEmail(work: Work, emailNorm: string): Promise<UserRow | null> {
  return (await findUserRowByEmail(work.db, work.directory, emailNorm)) ?? null
}

/** By the id of the directory user or of the auth account; null when nobody here has it. */
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

/** By either id, in all that the caller reaches. Throws `user_not_found`. */
export async function getUserInReach(work: Work<Reach>, id: string): Promise<ListedUserRow> {
  const known = id.toLowerCase()
  const user = isId(known) ? await findUserRowInReach(work.db, work.directory, known) : undefined
  if (!user) throw userErrors.notFound()
  return user
}

/** One page of what the caller reaches, and their number if it was asked for. */
export async function listUsers(
  work: Work<Reach>,
  query: Omit<UserFilter, 'emailNorm'> & { email?: string },
  page: Page,
): Promise<{ rows: ListedUserRow[]; total: number | undefined }> {
  const { db, directory: reach } = work
  if (query.updatedSince !== undefined && Number.isNaN(Date.parse(query.updatedSince)))
    throw httpErrors.invalidRequest({
      detail: 'updatedSince must be a moment.',
      errors: [{ field: 'updatedSince', code: 'format', message: 'updatedSince must be a moment' }],
    })
  // What is no address belongs to nobody.
  const emailNorm = query.email === undefined ? undefined : (parseEmail(query.email)?.norm ?? '')
  const filter = { ...query, emailNorm }
  const rows = await selectUserPage(db, reach, filter, page).execute()
  return { rows, total: page.includeTotal ? await countUserRows(db, reach, filter) : undefined }
}

/** Adds one person. Throws `email_exists`, and `invalid_request` for what is no address. */
export async function createUser(work: Work, input: UserCreate): Promise<UserRow> {
  return inTx(work, async (work) => {
    const address = requireEmail(input.email)
    assertMetadataFits(input)
    const row = { ...toColumns(input), ...identityOf(address), source: 'api' }
    const [user] = await insertUserRows(work.db, work.directory, [row], 'pending')
    if (!user) throw userErrors.emailExists()
    await recordUser(work, 'user.created', user)
    return user
  })
}

/**
 * The person who is invited: a fresh user, or whoever has the address already, unchanged. A sign-up that waits for its
 * proof becomes the fresh user, with nothing of what was typed there. Either row is held until the transaction ends.
 */
export async function provisionInvitedUser(
  work: TxWork,
  input: EmailAddress & Pick<UserCreate, 'displayName' | 'firstName' | 'lastName'>,
): Promise<UserRow> {
  const { displayName = null, firstName = null, lastName = null } = input
  const row = { ...toColumns({ displayName, firstName, lastName }), ...identityOf(input), source: 'invite' }
  const [made] = await insertUserRows(work.db, work.directory, [row], 'pending')
  if (made) {
    await recordUser(work, 'user.created', made)
    return made
  }
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address belongs to nobody')
  return user
}

/**
 * The person who signs up: a fresh user that waits a day for the proof of its mailbox, or whoever has the address
 * already, unchanged.
 */
export async function provisionPendingUser(work: TxWork, input: EmailAddress & SignupProfile): Promise<UserRow> {
  const made = await insertSignup(work, input, { pending_until: aDayFromNow })
  if (made) return made
  // The insert that gave way has locked the row it gave way to, so it is still there.
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address belongs to nobody')
  return user
}

/** The person who signs up, a user at once. Null: somebody has the address, be it a sign-up that waits. */
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
  if (made) await recordUser(work, 'user.created', made)
  return made ?? null
}

/** The id of the account that the user signs in with, made now if there was none. Throws `user_not_found`. */
export async function ensureAuthAccount(work: TxWork, user: UserRow): Promise<string> {
  const id = user.auth_account_id ?? (await setAuthAccount(work.db, work.directory, user.id, newId()))
  if (id === undefined) throw userErrors.notFound()
  return id
}

/** Notes that an invitation was sent to the user, and makes the account that they will sign in with. */
export async function markInvited(work: TxWork, user: UserRow): Promise<void> {
  await ensureAuthAccount(work, user)
  await setInvited(work.db, work.directory, user.id, true)
}

/** The invitation was accepted or withdrawn. */
export async function markNotInvited(work: TxWork, id: string): Promise<void> {
  await setInvited(work.db, work.directory, id, false)
}

/** A lock of the user's address has begun; the record shows it until then. */
export async function markLocked(work: TxWork, id: string, until: Date): Promise<void> {
  const user = await setLockedUntil(work.db, work.directory, id, until)
  if (user) await recordUser(work, 'user.locked', user)
}

/** Holds the user's row until the transaction ends: before anything else of theirs, so that nobody waits crosswise. */
export async function lockUser(work: TxWork, id: string): Promise<UserRow | null> {
  return (await lockUserRow(work.db, work.directory, id)) ?? null
}

/** The lock was ended early. */
export async function markUnlocked(work: TxWork, id: string): Promise<void> {
  const user = (await setLockedUntil(work.db, work.directory, id, null)) ?? (await findUserById(work, id))
  if (user) await recordUser(work, 'user.unlocked', user)
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
export async function proveMailbox(work: TxWork, user: UserRow, kept: Kept = {}): Promise<boolean> {
  const { db, directory } = work
  const proven = await setVerified(db, directory, user)
  if (!proven) return (await lockUserRow(db, directory, user.id))?.email_norm === user.email_norm
  await removeWhatPrecededProof(work, proven, kept)
  const left = keepsFactors(proven) ? proven : { ...proven, mfa_enrolled: false, passkey_count: 0 }
  await recordUser(work, 'user.email_verified', left, user)
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
async function removeWhatPrecededProof(work: TxWork, user: UserRow, kept: Kept): Promise<void> {
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

/** Records a `user.*` event with the user as the API shows them; `before`: also what changed. */
export async function recordUser(work: TxWork, type: string, after: UserRow, before?: UserRow): Promise<void> {
  await record(work, userEvent(work.directory, type, after, before))
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

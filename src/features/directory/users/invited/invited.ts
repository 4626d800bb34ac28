import { now } from '../../../../platform/db/now.ts'
import { record } from '../../../../platform/events/events.ts'
import { newId } from '../../../../platform/ids.ts'
import type { EmailAddress } from '../../../../platform/mail/address.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { findUserForUpdate, getUserForUpdate } from '../hold.ts'
import { identityOf, insertUsers } from '../insert.ts'
import { ANY_DATE, type Changed, changeInvitation, type InvitationUse, openInvitations } from '../invitation.ts'
import {
  checkRolesOfUsers,
  type NamedRoles,
  namesRoles,
  recordCreated,
  rolesOfNewUsers,
} from '../new-roles/new-roles.ts'
import { toColumns, type UserCreate } from '../schema.ts'
import { findUserRowByEmail, type HeldUser, NOT_INVITED, type UserRow } from '../store.ts'
import { mayBelongToStranger } from '../strangers/strangers.ts'
import { ensureAuthAccount } from '../users.ts'

export { type InvitationUse, openInvitations, updateInvitationStatus } from '../invitation.ts'

/** The roles that an invitation names, and the caller who assigns them. */
export interface GivenRoles {
  named: NamedRoles
  giver: ManagerCaller
}

/** The result of an invitation. */
export interface InvitedUser {
  user: UserRow
  /** Whether the user already had an open invitation. */
  isRenewed: boolean
  /** Whether the user got the named roles; null if the invitation names none. */
  rolesApplied: boolean | null
}

/**
 * Marks a user as invited: a new user, or the existing user with this address. An existing user is otherwise
 * unchanged, but gets the named roles if they have never signed in. They do not get roles if they signed up and
 * nothing has proved the address. A pending sign-up becomes the new user, without the data typed there. The user's
 * row stays locked until the transaction ends. Throws what `columnsOfRoles` throws, and `role_managed`.
 */
export async function provisionInvitedUser(
  work: TxWork,
  input: EmailAddress & Pick<UserCreate, 'displayName' | 'firstName' | 'lastName' | 'locale'>,
  given: GivenRoles | null,
): Promise<InvitedUser> {
  const { displayName = null, firstName = null, lastName = null, locale = null } = input
  const [checked] = given ? await checkRolesOfUsers(work, [given.named], given.giver) : []
  if (checked?.unfit) throw checked.unfit
  const identity = { ...identityOf(input), ...checked?.columns, source: 'invite' }
  const invited = { auth_account_id: newId(), invited_at: now }
  const asked = given && namesRoles(given.named) ? given : null
  const row = { ...toColumns({ displayName, firstName, lastName, locale }), ...identity, ...invited }
  const [made] = await insertUsers(work, [row], 'pending')
  if (made) {
    if (checked?.beyond) throw checked.beyond
    await recordCreated(work, [made])
    return { user: made, isRenewed: false, rolesApplied: asked && true }
  }
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address has no user')
  await ensureAuthAccount(work, user)
  const held = await getUserForUpdate(work, user.id)
  await record(work, ...(await changeInvitation(work, held, { invited_at: now }, { invited_at: ANY_DATE })).announced)
  // Users who have signed in keep their roles and names. A user who signed up for an unproved address gets no roles,
  // since that may not be the person who is invited.
  const mayBeAnother = !user.email_verified && mayBelongToStranger(user)
  const isGiven = asked && user.last_login_at === null && !mayBeAnother
  if (isGiven) await rolesOfNewUsers.of(work.platform).replace(work, user, asked.named, asked.giver)
  return { user, isRenewed: user.invited_at !== null, rolesApplied: isGiven }
}

/** Records that the invitation was withdrawn. */
export async function markNotInvited(work: TxWork, id: string): Promise<void> {
  const user = await findUserForUpdate(work, id)
  if (user?.invited_at) await record(work, ...(await changeInvitation(work, user, NOT_INVITED, NOT_INVITED)).announced)
}

/**
 * Accepts the invitations of a user who has proved the mailbox, now or earlier, and signs in with any method. Returns
 * the updated user and the events.
 */
export async function acceptInvitations(work: TxWork, user: HeldUser, how: InvitationUse): Promise<Changed> {
  if (user.invited_at === null) return { user, announced: [] }
  // Invitations to the team are accepted only through their links.
  const accepted =
    work.directory.kind === 'console' ? [] : await openInvitations.of(work.platform).accept(work, user, how)
  const changed = await changeInvitation(work, user, NOT_INVITED, NOT_INVITED)
  return { ...changed, announced: [...accepted, ...changed.announced] }
}

/** Withdraws the open invitations of a user who no longer needs one. Returns the updated user. */
export async function withdrawInvitations(work: TxWork, user: HeldUser): Promise<HeldUser> {
  // Invitations to the team are withdrawn only with the membership.
  if (user.invited_at === null || work.directory.kind === 'console') return user
  const withdrawn = await openInvitations.of(work.platform).withdraw(work, user)
  const changed = await changeInvitation(work, user, NOT_INVITED, NOT_INVITED)
  await record(work, ...changed.announced, ...withdrawn)
  return changed.user
}

/**
 * Accepts the invitations of an invited user who signs in, before the session is written. If nothing has proved the
 * user's address, only the sign-in is recorded and the invitation stays open, since its link must reach the owner of
 * the mailbox.
 */
export async function welcomeInvited(work: TxWork, id: string, how: InvitationUse): Promise<void> {
  const user = await findUserForUpdate(work, id)
  if (!user?.invited_at) return
  const { announced } = user.email_verified
    ? await acceptInvitations(work, user, how)
    : await changeInvitation(work, user, { last_login_at: now }, { last_login_at: ANY_DATE })
  await record(work, ...announced)
}

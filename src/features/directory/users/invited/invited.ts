import type { EmailAddress } from '../../../../platform/mail/address.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { identityOf, insertUsers } from '../insert.ts'
import { judgeRoles, type NamedRoles, namesRoles, recordCreated, rolesOfNewUsers } from '../new-roles/new-roles.ts'
import { toColumns, type UserCreate } from '../schema.ts'
import { findUserRowByEmail, setInvited, type UserRow } from '../store.ts'
import { ensureAuthAccount } from '../users.ts'

/** Roles that an invitation names, and its caller, who gives them. */
export interface GivenRoles {
  named: NamedRoles
  giver: ManagerCaller
}

/**
 * The invited user: a new one, or the existing user of the address. That one is unchanged, but gets the named roles if they
 * have never signed in. A pending sign-up becomes the new user, without the data typed there. Either row is locked until the
 * transaction ends. Throws what `columnsOfRoles` throws, and `role_managed`.
 */
export async function provisionInvitedUser(
  work: TxWork,
  input: EmailAddress & Pick<UserCreate, 'displayName' | 'firstName' | 'lastName' | 'locale'>,
  given: GivenRoles | null,
): Promise<UserRow> {
  const { displayName = null, firstName = null, lastName = null, locale = null } = input
  const [judged] = given ? await judgeRoles(work, [given.named], given.giver) : []
  if (judged?.unfit) throw judged.unfit
  const identity = { ...identityOf(input), ...judged?.columns, source: 'invite' }
  const row = { ...toColumns({ displayName, firstName, lastName, locale }), ...identity }
  const [made] = await insertUsers(work, [row], 'pending')
  if (made) {
    if (judged?.beyond) throw judged.beyond
    await recordCreated(work, [made])
    return made
  }
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address has no user')
  // A user who has signed in keeps their roles, as they keep their name.
  if (given && namesRoles(given.named) && user.last_login_at === null)
    await rolesOfNewUsers.of(work.platform).replace(work, user, given.named, given.giver)
  return user
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

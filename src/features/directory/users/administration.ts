import { invalidField } from '../../../platform/errors.ts'
import type { Found, Page } from '../../../platform/http/pagination.ts'
import { parseEmail, requireEmail } from '../../../platform/mail/address.ts'
import { countNotice } from '../../../platform/mail/limits.ts'
import { assertMetadataFits } from '../../../platform/metadata.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { inTx, type ReachWork, type Work } from '../../../platform/work.ts'
import { userErrors } from './errors.ts'
import { mapTakenErrors } from './hold.ts'
import { identityOf, insertUsers } from './insert.ts'
import { findUserPage, type UserFilter } from './list-store.ts'
import { findListedByEmail } from './lookup.ts'
import { columnsOfRoles, recordCreated } from './new-roles/new-roles.ts'
import { toColumns, type UserCreate } from './schema.ts'
import type { ListedUserRow, UserRow } from './store.ts'
import { getUser, reachUser } from './users.ts'

/**
 * Before a user's address is changed, counts the notice that will be mailed. Throws `user_not_found`, `rate_limited`.
 */
export async function countAddressNotice(work: Work, id: string, email: string | undefined): Promise<void> {
  if (email === undefined) return
  const user = await getUser(work, id)
  if (requireEmail(email).norm !== user.email_norm) await countNotice(work, user)
}

/** Like `reachUser`, but returns only the user. */
export async function getUserInReach(work: ReachWork, id: string): Promise<ListedUserRow> {
  return (await reachUser(work, id)).user
}

/** A page of the users that the caller reaches, with the total if requested. */
export async function listUsers(
  work: ReachWork,
  query: Omit<UserFilter, 'emailNorm'> & { email?: string },
  page: Page,
): Promise<Found<ListedUserRow>> {
  const { db, reach } = work
  if (query.updatedSince !== undefined && Number.isNaN(Date.parse(query.updatedSince)))
    throw invalidField('updatedSince', 'format', 'updatedSince must be a date and time')
  // A text that is not an address matches nothing.
  const emailNorm = query.email === undefined ? undefined : (parseEmail(query.email)?.norm ?? '')
  const filter = { ...query, emailNorm }
  if (isLookup(query, page) && emailNorm !== undefined && reach.directory) {
    const found = await findListedByEmail(work.platform, reach.directory, emailNorm)
    return { rows: found ? [found] : [] }
  }
  return findUserPage(db, reach, filter, page)
}

/** Whether the query only looks up an address. */
function isLookup(query: object, page: Page): boolean {
  const { after, order, includeTotal } = page
  const asked = Object.keys(query).filter((name) => !['limit', 'subOrgId'].includes(name))
  return asked.join() === 'email' && after === null && order === 'asc' && !includeTotal
}

/**
 * Creates a user with the roles that the request names. Throws `email_exists`, `external_id_taken`, `invalid_request`
 * for an invalid address, and what `columnsOfRoles` throws.
 */
export async function createUser(work: Work & { caller: ManagerCaller }, input: UserCreate): Promise<UserRow> {
  return inTx(work, async (work) => {
    const address = requireEmail(input.email)
    assertMetadataFits(input.metadata)
    const row = {
      ...toColumns(input),
      ...identityOf(address),
      ...(await columnsOfRoles(work, input, work.caller)),
      email_verified: input.emailVerified ?? false,
      source: 'api',
    }
    const [user] = await mapTakenErrors(insertUsers(work, [row], 'pending'))
    if (!user) throw userErrors.emailExists()
    await recordCreated(work, [user])
    return user
  })
}

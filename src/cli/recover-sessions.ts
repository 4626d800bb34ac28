import { sql } from 'kysely'
import { endReasons } from '../features/access/sessions/end-reasons.ts'
import { revokeUserSessions } from '../features/access/sessions/sessions.ts'
import { endOrganizationSessions } from '../features/tenancy/organizations/session-end.ts'
import { findDirectory } from '../platform/tenancy/directory.ts'
import type { AccountWork } from '../platform/work.ts'

const PAGE = 200
// Each uses a connection.
const AT_ONCE = 4

/**
 * Ends every session of an account: of its organizations' users, of users without an organization, and of the team.
 * The sessions of an organization end by raising one epoch, so that a sign-in in progress ends too. Returns the
 * numbers of affected organizations and users.
 */
export async function endEverySession(work: AccountWork): Promise<{ organizations: number; users: number }> {
  const { db } = work
  const { accountId } = work.account
  const organizations = await db
    .selectFrom('organizations')
    .select('id')
    .where('account_id', '=', accountId)
    .where('erased_at', 'is', null)
    .execute()
  await inParallel(organizations, ({ id }) => endOrganizationSessions(work, id, endReasons.recovered))
  const directories = await db
    .selectFrom('directories')
    .select('id')
    .where('account_id', '=', accountId)
    .where('organization_id', 'is', null)
    .execute()
  let users = 0
  for (const { id } of directories) users += await endSessionsIn(work, id)
  return { organizations: organizations.length, users }
}

async function endSessionsIn(work: AccountWork, directoryId: string): Promise<number> {
  const directory = await findDirectory(work.platform, directoryId)
  if (!directory) return 0
  let users = 0
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      select distinct user_id as id from sessions
      where directory_id = ${directoryId} and revoked_at is null and user_id > ${last}
      order by user_id limit ${PAGE}`.execute(work.db)
    await inParallel(rows, ({ id }) => revokeUserSessions({ ...work, directory }, id, endReasons.recovered))
    users += rows.length
    last = rows.at(-1)?.id ?? last
    if (rows.length < PAGE) return users
  }
}

async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await act(item)
    }),
  )
}

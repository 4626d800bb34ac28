import { defineJoined, runTogether } from '../../../platform/joined/joined.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { lockText } from '../../../platform/tenancy/user-lock.ts'
import type { ListedUserRow } from './store.ts'

const lookup = defineJoined<ListedUserRow>()({
  columns: { organization_id: 'uuid', email_norm: 'text' },
  text: ({ directory }) => sqlText`
    select asked.n, asked.organization_id, found.* from asked cross join lateral (
      select users.*, ${lockText(sqlText`users`, sqlText`clock_now()`)} as locked from users
      where users.directory_id = ${directory('asked')} and users.email_norm = asked.email_norm collate "C"
        and users.deleted_at is null and (users.pending_until is null or users.pending_until > clock_now())
      limit 1) found`,
})

/**
 * Finds the user with an address in one directory. Concurrent look-ups share a statement, because backends ask this
 * first about each of their users, and a round trip costs more than the search.
 */
export function findListedByEmail(
  platform: Platform,
  directory: Directory,
  emailNorm: string,
): Promise<ListedUserRow | null> {
  const row = { organization_id: directory.organizationId, email_norm: emailNorm }
  return runTogether(platform, { statement: lookup, directoryId: directory.id, row })
}

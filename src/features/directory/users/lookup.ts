import { sql } from 'kysely'
import { coalesce } from '../../../platform/db/coalesce.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { perPlatform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { lockText } from '../../../platform/tenancy/user-lock.ts'
import type { ListedUserRow } from './store.ts'

/** Who has an address in a directory. */
interface Lookup {
  directory: Directory
  emailNorm: string
}

/**
 * Finds the user who has an address in one directory. Look-ups that arrive together share a statement: a backend asks
 * this first about everyone it meets, and one by one each would cost more in round trips than in the database.
 */
export const findListedByEmail = perPlatform(({ db, database }) =>
  coalesce({
    run: (lookups: Lookup[], directoryId) => selectByEmail(db, lookups, directoryId),
    place: { database, directoryOf: ({ directory }) => directory.id },
    maxBatch: 50,
  }),
)

async function selectByEmail(db: Db, lookups: Lookup[], directoryId: string | null): Promise<(ListedUserRow | null)[]> {
  const directories = lookups.map(({ directory }) => directory.id)
  const organizations = lookups.map(({ directory }) => directory.organizationId)
  const emails = lookups.map(({ emailNorm }) => emailNorm)
  const { rows } = await sql<ListedUserRow & { place: number }>`
    select asked.place::int, asked.organization_id, found.*
    from unnest(${directories}::uuid[], ${organizations}::uuid[], ${emails}::text[]) with ordinality
      as asked (directory_id, organization_id, email_norm, place)
    cross join lateral (
      select users.*, ${sql.raw(lockText('users', 'clock_now()'))} as locked from users
      where users.directory_id = ${directoryId === null ? sql`asked.directory_id` : sql`${directoryId}::uuid`}
        and users.email_norm = asked.email_norm collate "C"
        and users.deleted_at is null and (users.pending_until is null or users.pending_until > clock_now())
      limit 1) found`.execute(db)
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return lookups.map((_, index) => byPlace.get(index + 1) ?? null)
}

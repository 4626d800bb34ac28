import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'

export interface RelatedOriginRow {
  /** Whether it is the operator's own account. */
  home: boolean
  /** Null for the host of the service. */
  rp_id: string | null
  origins: string[]
  /** Whether another account has named this relying party too. */
  disputed: boolean
}

/** The related origins of every directory, including those inherited from the account-level directory. */
export async function listRelatedOriginRows(db: Db): Promise<RelatedOriginRow[]> {
  const { rows } = await sql<RelatedOriginRow>`
    select accounts.home, named.rp_id,
      exists (select from passkey_settings other join directories whose on whose.id = other.directory_id
        where other.settings ->> 'rp_id' = named.rp_id and whose.account_id <> directories.account_id) as disputed,
      array(select jsonb_array_elements_text(
        coalesce(own.settings -> 'related_origins', inherited.settings -> 'related_origins'))) as origins
    from passkey_settings own
    join directories on directories.id = own.directory_id
    join accounts on accounts.id = directories.account_id
    left join directories above on above.environment_id = directories.environment_id and above.kind = 'account'
    left join passkey_settings inherited on inherited.directory_id = above.id
    cross join lateral (
      select coalesce(own.settings ->> 'rp_id', inherited.settings ->> 'rp_id') as rp_id) named
    where coalesce(own.settings -> 'related_origins', inherited.settings -> 'related_origins', '[]') <> '[]'`.execute(
    db,
  )
  return rows
}

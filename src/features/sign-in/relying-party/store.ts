import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

export interface RelatedOriginRow {
  account_id: string
  /** Null for the account-level directory. */
  organization_id: string | null
  /** Whether the directory belongs to the operator's own account. */
  home: boolean
  /** Null for the service's own host. */
  rp_id: string | null
  origins: string[]
}

/**
 * Lists the related origins of every directory, including those inherited from the account-level directory, oldest
 * first.
 */
export async function listRelatedOriginRows(db: Db): Promise<RelatedOriginRow[]> {
  const { rows } = await sql<RelatedOriginRow>`
    select directories.account_id, directories.organization_id, accounts.home,
      coalesce(own.settings ->> 'rp_id', inherited.settings ->> 'rp_id') as rp_id,
      array(select jsonb_array_elements_text(
        coalesce(own.settings -> 'related_origins', inherited.settings -> 'related_origins'))) as origins
    from passkey_settings own
    join directories on directories.id = own.directory_id
    join accounts on accounts.id = directories.account_id
    left join directories above on above.environment_id = directories.environment_id and above.kind = 'account'
    left join passkey_settings inherited on inherited.directory_id = above.id
    where coalesce(own.settings -> 'related_origins', inherited.settings -> 'related_origins', '[]') <> '[]'
    order by own.named_at, own.directory_id`.execute(db)
  return rows
}

/** A directory that names a relying party in its own settings. */
export interface RpIdClaimRow {
  rp_id: string
  account_id: string
  /** Null for the account-level directory. */
  organization_id: string | null
}

/** Lists the directories that name these relying parties, earliest first. */
export async function listRpIdClaims(db: Db, rpIds: string[]): Promise<RpIdClaimRow[]> {
  const { rows } = await sql<RpIdClaimRow>`
    select named.settings ->> 'rp_id' as rp_id, directories.account_id, directories.organization_id
    from passkey_settings named
    join directories on directories.id = named.directory_id
    where named.settings ->> 'rp_id' = any(${rpIds}::text[])
    order by named.named_at, named.directory_id`.execute(db)
  return rows
}

/** Stores the time since when the directory names its current relying party. */
export async function recordRpIdClaim(tx: Tx, directory: Directory): Promise<void> {
  await sql`
    update passkey_settings set named_rp_id = settings ->> 'rp_id', named_at = clock_now()
    where directory_id = ${directory.id} and named_rp_id is distinct from settings ->> 'rp_id'`.execute(tx)
}

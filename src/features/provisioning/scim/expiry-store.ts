import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

interface ExpiringToken {
  id: string
  hint: string
  lifetime_ends_at: Date
  /** 0 or less once the token has expired. */
  days_left: number
  told_days: number | null
}

/**
 * Locks and returns those of these tokens that were not replaced and whose organization and provisioning are active.
 */
export async function lockExpiringTokens(tx: Tx, directory: Directory, ids: string[]): Promise<ExpiringToken[]> {
  const { rows } = await sql<ExpiringToken>`
    select t.id, t.hint, t.lifetime_ends_at, t.told_days,
      ceil(extract(epoch from t.lifetime_ends_at - clock_now()) / 86400)::int as days_left
    from scim_tokens t
    where t.directory_id = ${directory.id} and t.id = any(${ids}::uuid[]) and t.expires_at is null
      and exists (select from scim_configs c where c.directory_id = ${directory.id} and c.enabled)
      and exists (select from organizations o where o.id = ${directory.organizationId}::uuid and o.status = 'active')
    for update`.execute(tx)
  return rows
}

/** Stores the last stage that was recorded. */
export async function noteTold(tx: Tx, directory: Directory, id: string, told_days: number): Promise<void> {
  await tx
    .updateTable('scim_tokens')
    .set({ told_days })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

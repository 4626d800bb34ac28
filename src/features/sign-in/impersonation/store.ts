import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Impersonations } from '../../../platform/db/schema.gen.ts'
import { defineBeside } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { unendedSessionText } from '../../access/sessions/sessions.ts'

/** Stores who acts in the session that the statement creates. */
export const impersonationNoted = defineBeside({
  name: 'impersonation_noted',
  columns: { act_account: 'uuid', act_sub: 'text', act_reason: 'text', act_seconds: 'int' },
  write: (directory) => sqlText`
    insert into impersonations (directory_id, id, user_id, auth_account_id, actor, reason, expires_at)
    select ${directory}, ready.made_id, ready.user_id, ready.act_account, ready.act_sub, ready.act_reason,
      ready.at + make_interval(secs => ready.act_seconds)
    from ready`,
})

/** Whether the organization allows impersonation. Locks the setting until the transaction ends. */
export async function lockPermission(tx: Tx, directory: Directory): Promise<boolean> {
  const { rows } = await sql<{ allowed: boolean | null }>`
    select (settings ->> 'impersonation_enabled')::boolean as allowed from auth_settings
    where directory_id = ${directory.id} for share`.execute(tx)
  return rows[0]?.allowed ?? false
}

type ImpersonationRow = Selectable<Impersonations>

/** Finds directories with impersonation sessions that are live or ended recently. */
export async function findDirectoryIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('impersonations').select('directory_id').distinct().execute()
  return rows.map((row) => row.directory_id)
}

export async function findSessionIds(tx: Tx, directory: Directory): Promise<string[]> {
  const rows = await tx.selectFrom('impersonations').select('id').where('directory_id', '=', directory.id).execute()
  return rows.map((row) => row.id)
}

/** An impersonation that has ended, and whether it ended by expiry. */
export interface EndedRow {
  directory_id: string
  id: string
  is_expired: boolean
}

/** Finds rows of impersonations whose session has ended or no longer exists, in any directory, in key order. */
export async function findEndedRows(db: Db, after: EndedRow | null, limit: number): Promise<EndedRow[]> {
  const isNext = after ? sql`(i.directory_id, i.id) > (${after.directory_id}, ${after.id})` : sql`true`
  const { rows } = await sql<EndedRow>`
    select i.directory_id, i.id, i.expires_at <= clock_now() and sessions.revoked_at is null as is_expired from impersonations i
    left join sessions on sessions.directory_id = i.directory_id and sessions.id = i.id
    left join users on users.directory_id = i.directory_id and users.id = i.user_id
    left join directories on directories.id = i.directory_id
    left join organizations on organizations.id = directories.organization_id
    where ${isNext} and (sessions.id is null or users.id is null
      or not (${sql.raw(unendedSessionText(sqlText`clock_now()`))} and sessions.user_epoch = users.session_epoch
        and sessions.organization_epoch = coalesce(organizations.session_epoch, 0)))
    order by i.directory_id, i.id limit ${limit}`.execute(db)
  return rows
}

/**
 * Removes the row of an ended impersonation, so that its end is recorded once. Returns undefined if another process
 * removed it first.
 */
export async function takeRow(tx: Tx, directory: Directory, id: string): Promise<ImpersonationRow | undefined> {
  return tx
    .deleteFrom('impersonations')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** The stored configuration of a directory. `app_groups` was validated when it was written. */
export interface ServiceConfigRow<Group> {
  enabled_app_ids: string[]
  app_groups: Group[]
  sidebar_groups_collapsible: boolean
}

export async function findServiceConfigRow<Group>(
  db: Db,
  directoryId: string,
): Promise<ServiceConfigRow<Group> | undefined> {
  return db
    .selectFrom('service_configs')
    .select(['enabled_app_ids', 'sidebar_groups_collapsible', sql<Group[]>`app_groups`.as('app_groups')])
    .where('directory_id', '=', directoryId)
    .executeTakeFirst()
}

/** Locks until the transaction ends, even if there is no row, so that changes run one after the other. */
export async function lockServiceConfig(tx: Tx, directory: Directory): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('watchword.services'), hashtext(${directory.id}))`.execute(tx)
}

export async function writeServiceConfigRow(
  tx: Tx,
  directory: Directory,
  row: { enabled_app_ids: string[]; app_groups: string; sidebar_groups_collapsible: boolean },
): Promise<void> {
  await tx
    .insertInto('service_configs')
    .values({ directory_id: directory.id, ...row })
    .onConflict((conflict) =>
      conflict.column('directory_id').doUpdateSet((eb) => ({ ...row, updated_at: eb.ref('excluded.updated_at') })),
    )
    .execute()
}

import type { Selectable } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { SocialProviders } from '../../../platform/db/schema.gen.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

export type ProviderRow = Selectable<SocialProviders>

export async function listProviderRows(db: Db, directory: Pick<Directory, 'id'>): Promise<ProviderRow[]> {
  return db.selectFrom('social_providers').selectAll().where('directory_id', '=', directory.id).execute()
}

/** Locks the row until the transaction ends, and inserts it first if there is none. */
export async function lockProviderRow(tx: Tx, directory: Directory, provider: string): Promise<ProviderRow> {
  return tx
    .insertInto('social_providers')
    .values({ directory_id: directory.id, provider, enabled: false, options: JSON.stringify({ callback: 'provider' }) })
    .onConflict((conflict) =>
      conflict
        .columns(['directory_id', 'provider'])
        .doUpdateSet((eb) => ({ updated_at: eb.ref('excluded.updated_at') })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Whether the deployment's own applications use the shared redirect URI, as in earlier releases. */
export async function isSharedByDeployment(db: Db): Promise<boolean> {
  const { is_shared } = await db.selectFrom('social_redirects').select('is_shared').executeTakeFirstOrThrow()
  return is_shared
}

export async function updateProviderRow(
  tx: Tx,
  directory: Directory,
  {
    provider,
    options,
    ...row
  }: Pick<ProviderRow, 'provider' | 'enabled' | 'client_id' | 'secret_sealed'> & {
    options: object
  },
): Promise<ProviderRow> {
  return tx
    .updateTable('social_providers')
    .set({ ...row, options: JSON.stringify(options), updated_at: now })
    .where('directory_id', '=', directory.id)
    .where('provider', '=', provider)
    .returningAll()
    .executeTakeFirstOrThrow()
}

import type { Tx } from '../db/pool.ts'
import type { Directory } from './directory.ts'

/**
 * Whether the directory's organization, or the organization for which its environment was made, is erased. If not, no
 * erasure starts before the transaction ends, so that the erasure finds everything that the transaction stores.
 */
export async function isErased(tx: Tx, directory: Directory): Promise<boolean> {
  // Foreign tables environments, organizations: data that arrives after an erasure is not stored.
  const rows = await tx
    .selectFrom('directories')
    .innerJoin('environments', 'environments.id', 'directories.environment_id')
    .innerJoin('organizations', (join) =>
      join.on((eb) =>
        eb.or([
          eb('organizations.id', '=', eb.ref('directories.organization_id')),
          eb('organizations.id', '=', eb.ref('environments.organization_id')),
        ]),
      ),
    )
    .select('organizations.erased_at')
    .where('directories.id', '=', directory.id)
    .forShare('organizations')
    .execute()
  return rows.some(({ erased_at }) => erased_at !== null)
}

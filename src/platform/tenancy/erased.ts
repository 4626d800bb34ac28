import type { Tx } from '../db/pool.ts'
import type { Directory } from './directory.ts'

/**
 * Whether the organization of a directory, or the one its environment was made for, is erased. If not, no erasure of it
 * begins before the transaction ends, so that it finds what the transaction stores.
 */
export async function isErased(tx: Tx, directory: Directory): Promise<boolean> {
  // Foreign tables environments, organizations: what arrives after an erasure is not stored.
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

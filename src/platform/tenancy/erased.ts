import type { Db } from '../db/pool.ts'
import type { Directory } from './directory.ts'

/** Whether the organization of a directory, or the one its environment was made for, is erased. */
export async function isErased(db: Db, directory: Directory): Promise<boolean> {
  // Foreign tables environments, organizations: what arrives after an erasure is not stored.
  const erased = await db
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
    .select('organizations.id')
    .where('directories.id', '=', directory.id)
    .where('organizations.erased_at', 'is not', null)
    .executeTakeFirst()
  return erased !== undefined
}

import type { Db } from '../../../platform/db/pool.ts'

export interface DevIdpKeyRow {
  certificate: string
  private_key_sealed: string
}

export async function findKeyRow(db: Db): Promise<DevIdpKeyRow | undefined> {
  return db.selectFrom('dev_idp_keys').select(['certificate', 'private_key_sealed']).executeTakeFirst()
}

/** Does nothing if there is a key already, so the first of two processes decides. */
export async function insertKeyRow(db: Db, row: DevIdpKeyRow): Promise<void> {
  await db
    .insertInto('dev_idp_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

import type { Db } from '../../platform/db/pool.ts'

export async function findServiceConfigRow(db: Db, directoryId: string) {
  return db.selectFrom('service_configs').selectAll().where('directory_id', '=', directoryId).executeTakeFirst()
}

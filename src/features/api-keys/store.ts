import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { ApiKeys } from '../../platform/db/schema.gen.ts'

export type ApiKeyRow = Selectable<ApiKeys> & { environment_slug: string }

/** Live keys that begin like this. */
export async function findApiKeyRowsByStart(db: Db, start: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .selectAll('api_keys')
    .select('environments.slug as environment_slug')
    .where('start', '=', start)
    .where('revoked_at', 'is', null)
    .execute()
}

export async function insertApiKeyRow(db: Db, row: Insertable<ApiKeys>): Promise<Selectable<ApiKeys>> {
  return db.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function hasAnyApiKey(db: Db): Promise<boolean> {
  const row = await db.selectNoFrom(sql<boolean>`exists (select from api_keys)`.as('any')).executeTakeFirstOrThrow()
  return row.any
}

import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { UserTable } from '../../../platform/lifecycle/belongings.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** Which columns of a table to read, and the column to sort by, greatest first. */
export interface Asked {
  table: UserTable
  columns: string[]
  newestBy: string
}

/** Up to `limit` rows of a user, and whether there are more. */
export async function selectRecords(
  db: Db,
  directory: Directory,
  { table, columns, newestBy }: Asked,
  { userId, limit }: { userId: string; limit: number },
): Promise<{ records: Record<string, unknown>[]; isCut: boolean }> {
  const told = sql.join(columns.map((column) => sql.ref(`newest.${column}`)))
  const { rows } = await sql<{ found: Record<string, unknown>[] }>`
    select coalesce(jsonb_agg(to_jsonb(told)), '[]') as found from (
      select ${told} from (
        select * from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${userId}
        order by ${sql.ref(newestBy)} desc limit ${limit + 1}) newest
      order by ${sql.ref(`newest.${newestBy}`)} desc) told`.execute(db)
  const found = rows[0]?.found ?? []
  return { records: found.slice(0, limit), isCut: found.length > limit }
}

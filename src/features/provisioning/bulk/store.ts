import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'

/** The resources of one type that a search finds, at most as many as fit on the page. */
export interface Part {
  type: 'User' | 'Group'
  /** Orders the types if nothing else decides. */
  rank: number
  /** The rows of the directory, as SQL that starts with `from`. */
  rows: RawBuilder<unknown>
  id: RawBuilder<unknown>
  sort: RawBuilder<unknown>
  key: RawBuilder<string>
  /** The SQL after the conditions of the rows. */
  clause: RawBuilder<unknown>
}

export interface FoundRow {
  type: 'User' | 'Group'
  id: string
  sort_key: string
}

/** Selects a page of results of all types, in one order. */
export async function selectFound(
  db: Db,
  parts: Part[],
  page: { order: RawBuilder<unknown>; limit: number; offset: number },
): Promise<FoundRow[]> {
  const selects = parts.map(
    ({ type, rank, rows, id, sort, key, clause }) => sql`
    (select ${type}::text as type, ${rank}::int as rank, ${id} as id, ${sort} as sort, ${key} as sort_key ${rows} ${clause})`,
  )
  const { rows } = await sql<FoundRow>`
    select type, id, sort_key from (${sql.join(selects, sql` union all `)}) found
    order by ${page.order} limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function countFound(db: Db, parts: readonly Pick<Part, 'rows'>[]): Promise<number> {
  const counts = parts.map(({ rows }) => sql`(select count(*)${rows})`)
  const { rows } = await sql<{ count: number }>`select (${sql.join(counts, sql` + `)})::int as count`.execute(db)
  return rows[0]?.count ?? 0
}

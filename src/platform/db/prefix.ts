import { type Expression, type SqlBool, sql } from 'kysely'

/** The last code point: no text that begins with a prefix sorts behind the prefix and it. */
const LAST = '\u{10ffff}'

/**
 * SQL: whether a text begins with a prefix, by its bytes. A range of an index with collation "C", in every plan: PostgreSQL
 * sees one in `like` only if it plans the statement anew for each pattern.
 */
export function beginsWith(value: Expression<unknown>, prefix: Expression<unknown>) {
  return sql<SqlBool>`(${value} collate "C" >= ${prefix} and ${value} collate "C" < ${prefix} || ${LAST})`
}

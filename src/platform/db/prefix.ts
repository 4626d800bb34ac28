import { type Expression, type SqlBool, sql } from 'kysely'

/** The last code point. Every text that begins with a prefix sorts before the prefix followed by this character. */
const LAST = '\u{10ffff}'

/**
 * SQL condition: whether a text begins with a prefix, compared by bytes. Every plan can use it as a range of an index
 * with collation "C". For `like`, PostgreSQL finds such a range only if it plans the statement again for each pattern.
 */
export function beginsWith(value: Expression<unknown>, prefix: Expression<unknown>) {
  return sql<SqlBool>`(${value} collate "C" >= ${prefix} and ${value} collate "C" < ${prefix} || ${LAST})`
}

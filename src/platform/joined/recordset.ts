import { arrayLiteral } from '../db/arrays.ts'
import { joinText, nameText, type SqlText, sqlText } from './sql-text.ts'

/**
 * Rows of values as parameters of a statement, one array for each column: the text does not depend on the number of rows, so
 * it is prepared once. PostgreSQL takes twice as long to read one document with all rows.
 */

interface Values {
  uuid: string
  text: string
  int: number
  bigint: number
  boolean: boolean
  bytea: Buffer
  jsonb: object
  'text[]': readonly string[]
}

/** Names of columns, and their types in PostgreSQL. */
export type Columns = Record<string, keyof Values>

/** The values of a row. */
export type RowOf<C extends Columns> = { [K in keyof C]: Values[C[K]] | null }

/** The rows of parameters as a table, for `from`. `first` is the number of the first parameter; the others follow. */
export function recordset(first: number, name: SqlText, columns: Columns): SqlText {
  const names = Object.keys(columns).map(nameText)
  // PostgreSQL has no arrays of arrays of different lengths.
  const arrays = Object.values(columns).map((type, i) =>
    unseen(sqlText`$${first + i}::${nameText(type === 'text[]' ? 'text' : type)}[]`),
  )
  const values = names.map((column) =>
    columns[column] === 'text[]' ? sqlText`${column}::text[] as ${column}` : column,
  )
  const given = sqlText`unnest(${joinText(arrays, ', ')}) as given (${joinText(names, ', ')})`
  return sqlText`(select ${joinText(values, ', ')} from ${given}) as ${name}`
}

/**
 * A parameter whose value the planner does not see. For a few elements it would find a cheaper plan than the one that it
 * keeps, and plan again each time, which takes longer than the statement.
 */
function unseen(parameter: SqlText): SqlText {
  return sqlText`(select ${parameter})`
}

/** The values of such parameters. */
export function recordsetValues(rows: readonly object[], columns: Columns): string[] {
  return Object.entries(columns).map(([column, type]) => {
    const values = rows.map((row): unknown => Reflect.get(row, column))
    return arrayLiteral(type === 'jsonb' ? values.map((value) => value && JSON.stringify(value)) : values)
  })
}

import { arrayLiteral } from '../db/arrays.ts'
import { joinText, nameText, type SqlText, sqlText } from './sql-text.ts'

/**
 * Passes rows of values as parameters, one array for each column. The statement's text does not depend on the number
 * of rows, so it is prepared once. PostgreSQL takes twice as long to read one JSON document with all rows.
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

/** Column names with their PostgreSQL types. */
export type Columns = Record<string, keyof Values>

/** The values of a row. */
export type RowOf<C extends Columns> = { [K in keyof C]: Values[C[K]] | null }

/**
 * The parameters as a table of rows, to use in `from`. `first` is the number of the first parameter, and the others
 * follow.
 */
export function recordset(first: number, name: SqlText, columns: Columns): SqlText {
  const names = Object.keys(columns).map(nameText)
  // PostgreSQL has no arrays of arrays with different lengths.
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
 * Hides a parameter's value from the planner. For arrays with few elements, the planner would prefer a custom plan to
 * the generic one and plan again each time, which takes longer than the statement.
 */
function unseen(parameter: SqlText): SqlText {
  return sqlText`(select ${parameter})`
}

/** The values of these parameters. */
export function recordsetValues(rows: readonly object[], columns: Columns): string[] {
  return Object.entries(columns).map(([column, type]) => {
    const values = rows.map((row): unknown => Reflect.get(row, column))
    return arrayLiteral(type === 'jsonb' ? values.map((value) => value && JSON.stringify(value)) : values)
  })
}

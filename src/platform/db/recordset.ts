import { arrayLiteral } from './arrays.ts'

/**
 * Rows of values as parameters of a statement, for statements that are joined over requests: the text does not depend on
 * how many rows there are, so it is prepared once. A parameter holds a column: to read one document with all rows costs
 * PostgreSQL twice as much.
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

/**
 * The rows of parameters as a table: for `from`. `first` is the number of the first of them; the others follow. Names
 * must be ours: they become part of the statement.
 */
export function recordset(first: number, name: string, columns: Columns): string {
  const names = Object.keys(columns)
  // There are no arrays of arrays of different lengths.
  const arrays = Object.values(columns).map((type, i) =>
    unseen(`$${first + i}::${type === 'text[]' ? 'text' : type}[]`),
  )
  const values = Object.entries(columns).map(([column, type]) =>
    type === 'text[]' ? `${column}::text[] as ${column}` : column,
  )
  return `(select ${values.join(', ')} from unnest(${arrays.join(', ')}) as given (${names.join(', ')})) as ${name}`
}

/**
 * A parameter whose value the planner does not see. By the number of its elements it finds, as long as they are few, a
 * plan cheaper than the one that it keeps, and plans anew each time, which takes longer than the statement.
 */
export function unseen(parameter: string): string {
  return `(select ${parameter})`
}

/** The values of such parameters. */
export function recordsetValues(rows: readonly object[], columns: Columns): string[] {
  return Object.entries(columns).map(([column, type]) => {
    const values = rows.map((row): unknown => Reflect.get(row, column))
    return arrayLiteral(type === 'jsonb' ? values.map((value) => value && JSON.stringify(value)) : values)
  })
}

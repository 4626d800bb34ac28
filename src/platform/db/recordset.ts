/**
 * Rows of values as one parameter of a statement, for statements that are joined over requests: the text does not
 * depend on how many rows there are, so it is prepared once.
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

/** The rows of a parameter as a table: for `from`. Names must be ours: they become part of the statement. */
export function recordset(parameter: string, name: string, columns: Columns): string {
  const list = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
  return `jsonb_to_recordset(${parameter}::jsonb) as ${name} (${list.join(', ')})`
}

/** The value of such a parameter. */
export function recordsetValue(rows: readonly object[]): string {
  return JSON.stringify(rows.map(encode))
}

function encode(row: object): Record<string, unknown> {
  const encoded: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row))
    encoded[column] = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value
  return encoded
}

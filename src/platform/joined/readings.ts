import type { Writing } from './joined.ts'
import type { Columns, RowOf } from './recordset.ts'
import type { SqlText } from './sql-text.ts'

/**
 * What a noun reads, or counts, in the statement that reads the facts: a code that is tried, a link that is presented.
 */
export interface ReadingKind<C extends Columns = Columns, R extends object = object> {
  columns: C
  /** Whose facts: of the user with the address of the request, or with this id. */
  userId?: SqlText
  /** Common table expressions, each beginning with a comma; by `asked` and `clock`. */
  before?(writing: Writing): SqlText
  /** Joins to `asked` and `users`. */
  joins?(writing: Writing): SqlText
  /** Columns of the answer. */
  selects(writing: Writing): SqlText
  /** Whether the answer says that others had locked its row: then it is asked again, and waits. */
  isLeftOut?(row: R): boolean
}

/** A reading with the values of a request. */
export interface Reading<R extends object> {
  kind: ReadingKind<Columns, R>
  values: RowOf<Columns>
  /** Readings of one key see each other's effect. */
  key: string | null
  /** What readings have in common that share a statement (`Writing.shared`). */
  shared: readonly number[]
}

/** Defines a reading: the function adds the values of a request. */
export const defineReading =
  <R extends object>() =>
  <C extends Columns>(kind: ReadingKind<C, R>) =>
  (values: RowOf<C>, { key = null, shared = [] }: Partial<Pick<Reading<R>, 'key' | 'shared'>> = {}): Reading<R> => ({
    kind,
    values,
    key,
    shared,
  })

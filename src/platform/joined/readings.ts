import type { Writing } from './joined.ts'
import type { Columns, RowOf } from './recordset.ts'
import type { SqlText } from './sql-text.ts'

/**
 * What a feature folder reads or counts in the statement that reads the facts about a user, for example a code that is
 * tried or a link that is presented.
 */
export interface ReadingKind<C extends Columns = Columns, R extends object = object> {
  columns: C
  /** The user whose facts are read: the user with this id, or by default the user with the request's address. */
  userId?: SqlText
  /** Common table expressions that use `asked` and `clock`. Each begins with a comma. */
  before?(writing: Writing): SqlText
  /** Joins to `asked` and `users`. */
  joins?(writing: Writing): SqlText
  /** Columns of the result. */
  selects(writing: Writing): SqlText
  /** Whether the result says that others had locked the row. Then the statement runs again and waits. */
  isLeftOut?(row: R): boolean
}

/** A reading with the values of a request. */
export interface Reading<R extends object> {
  kind: ReadingKind<Columns, R>
  values: RowOf<Columns>
  /** Readings with the same key see each other's effect. */
  key: string | null
  /** Only readings with equal values here share a statement (`Writing.shared`). */
  shared: readonly number[]
}

/** Defines a reading. The returned function adds the values of a request. */
export const defineReading =
  <R extends object>() =>
  <C extends Columns>(kind: ReadingKind<C, R>) =>
  (values: RowOf<C>, { key = null, shared = [] }: Partial<Pick<Reading<R>, 'key' | 'shared'>> = {}): Reading<R> => ({
    kind,
    values,
    key,
    shared,
  })

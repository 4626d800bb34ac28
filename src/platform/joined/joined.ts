import { CompiledQuery } from 'kysely'
import { keepPrepared } from '../db/connections.ts'
import type { Db } from '../db/pool.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { coalesce } from './coalesce.ts'
import { type Columns, type RowOf, recordset, recordsetValues } from './recordset.ts'
import { nameText, type SqlText, sqlText } from './sql-text.ts'

/** The parts of a statement's text that depend on the form in which it is written. */
export interface Writing {
  /**
   * The directory of a row in `asked` or in another table with this column: the column, or one parameter if all rows
   * are of one directory.
   */
  directory(table: string): SqlText
  /** Locks rows. Depending on the form, it skips rows that others have locked, or waits for them. */
  lock: SqlText
  /** The further rows as a table, to use in `from`. */
  more(name: SqlText): SqlText
  /** A parameter with a value that all items of the statement have in common. */
  shared(index: number): SqlText
}

interface Definition<C extends Columns> {
  /** The columns of `asked`, except `n` and `directory_id`. */
  columns: C
  /** The order of rows in `asked`, in which they are locked. Two statements with the same order cannot deadlock. */
  order?: SqlText
  /** The columns of further rows that a request adds, except `n`, such as the events of a sign-in. */
  more?: Columns
  /** The SQL after the common table expressions `clock` (`at`) and `asked`. Its result has the `n` of `asked`. */
  text(writing: Writing): SqlText
}

/**
 * A statement that requests share. Each request supplies a row of `asked`, and gets the result row with the same `n`.
 */
export interface JoinedStatement<C extends Columns = Columns, R extends object = object> {
  readonly columns: Columns
  readonly more: Columns
  textOf(form: Form): string
  /** Never set. Only carries the types of a row and of the result. */
  readonly types?: { row: RowOf<C>; answer: R }
}

/** The part of one request in a shared statement. */
export interface JoinedItem<C extends Columns = Columns, R extends object = object> {
  statement: JoinedStatement<C, R>
  directoryId: string
  row: RowOf<C>
  /** Items with the same key see each other's effect. */
  key?: string | null
  more?: object[]
  lead?: JoinedLead
  /** Only items with equal values here share a statement. */
  shared?: readonly number[]
}

/**
 * A statement that runs first in the same transaction. `complete` gets its result row and returns further rows of
 * `more`, which come first. An item without a result row is left out.
 */
export interface JoinedLead<C extends Columns = Columns, R extends object = object> {
  statement: JoinedStatement<C, R>
  row: RowOf<C>
  complete(answer: R): object[]
}

interface Form {
  /** Whether the statement waits for locked rows. */
  waits: boolean
  /** Whether all items are of one directory, which the statement names in a parameter. */
  isOfOne: boolean
}

/**
 * Defines a statement that requests share, with the type of its result: `defineJoined<Row>()({ … })`. The text is
 * written once. On a single node, one statement serves rows of all directories. A distributed database gets one
 * statement for each directory, which names it as `directory_id = $n`.
 */
export const defineJoined =
  <R extends object>() =>
  <C extends Columns>(definition: Definition<C>): JoinedStatement<C, R> => {
    const columns: Columns = { n: 'int', directory_id: 'uuid', ...definition.columns }
    const more: Columns = definition.more ? { n: 'int', ...definition.more } : {}
    // There are only a few forms of each statement. Each text is made once, and prepared once on each connection.
    const texts = new Map<string, string>()
    return {
      columns,
      more,
      textOf(form) {
        const key = `${form.waits} ${form.isOfOne}`
        const text = texts.get(key) ?? keepPrepared(write({ ...definition, columns, more }, form))
        texts.set(key, text)
        return text
      },
    }
  }

/** A definition with all of its columns. */
type Written = Definition<Columns> & { more: Columns }

function write({ columns, order, more, text }: Written, { waits, isOfOne }: Form): SqlText {
  const firstMore = 1 + Object.keys(columns).length
  const own = firstMore + Object.keys(more).length
  const firstShared = isOfOne ? own + 1 : own
  // Skips locked rows: the statement of a distributed database names its directory, so it accepts the lock.
  const written = text({
    directory: (table) => (isOfOne ? sqlText`$${own}::uuid` : sqlText`${nameText(table)}.directory_id`),
    lock: waits ? sqlText`for update` : sqlText`for update skip locked`,
    more: (name) => recordset(firstMore, name, more),
    shared: (index) => sqlText`$${firstShared + index}::int`,
  })
  const ordered = order && sqlText`order by ${order}`
  return sqlText`with clock as materialized (select clock_now() as at),
    asked as materialized (select * from ${recordset(1, sqlText`given`, columns)} ${ordered})${written}`
}

/** An item of any statement. */
interface AnyItem extends Omit<JoinedItem, 'row'> {
  row: object
}

async function run(db: Db, items: AnyItem[], form: Form): Promise<(object | null)[]> {
  const [first] = items
  if (!first) return []
  const { statement, directoryId, shared = [] } = first
  const rows = items.map((item, n) => ({ n, directory_id: item.directoryId, ...item.row }))
  const furtherRows = items.flatMap(({ more = [] }, n) => more.map((row) => ({ n, ...row })))
  const values = [
    ...recordsetValues(rows, statement.columns),
    ...recordsetValues(furtherRows, statement.more),
    ...(form.isOfOne ? [directoryId] : []),
    ...shared,
  ]
  const found = await db.executeQuery<{ n: number }>(CompiledQuery.raw(statement.textOf(form), values))
  const answers = Array<object | null>(items.length).fill(null)
  for (const row of found.rows) answers[row.n] = row
  return answers
}

/** Runs the leading statements and then the others, in one transaction. */
async function runBoth(tx: Db, items: AnyItem[], form: Form): Promise<(object | null)[]> {
  const locked = await run(tx, items.map(asLead), form)
  const going = items.flatMap((item, n) => {
    const answer = locked[n]
    return answer ? [{ ...item, more: [...(item.lead?.complete(answer) ?? []), ...(item.more ?? [])] }] : []
  })
  const answers = await run(tx, going, form)
  return locked.map((answer) => (answer && answers.shift()) ?? null)
}

function asLead({ lead, directoryId }: AnyItem): AnyItem {
  if (!lead) throw new Error('Items of one statement differ')
  return { statement: lead.statement, directoryId, row: lead.row }
}

const queues = perPlatform(({ database, db, tx }: Platform) => {
  const made = new WeakMap<JoinedStatement, (item: AnyItem) => Promise<object | null>>()
  return ({ statement }: AnyItem) => {
    const queue =
      made.get(statement) ??
      coalesce({
        run(items: AnyItem[]) {
          const form = { waits: false, isOfOne: database.distributed }
          return items[0]?.lead ? tx((tx) => runBoth(tx, items, form)) : run(db, items, form)
        },
        groupOf: ({ directoryId, shared = [] }) => `${database.distributed ? directoryId : ''} ${shared.join()}`,
        keyOf: ({ key = null }) => key,
      })
    made.set(statement, queue)
    return queue
  }
})

/**
 * Runs a statement that is shared with other requests. It skips rows that others have locked, so no request waits for
 * another's rows. Returns null if the statement returned no row for the item.
 */
export async function runTogether<C extends Columns, R extends object>(
  platform: Platform,
  item: JoinedItem<C, R>,
): Promise<R | null> {
  // The columns of the result are those in the definition.
  return (await queues(platform)(item)(item)) as R | null
}

/** Runs the statement alone, possibly in a transaction. It waits for rows that others have locked. */
export async function runAlone<C extends Columns, R extends object>(db: Db, item: JoinedItem<C, R>): Promise<R | null> {
  const [row = null] = await run(db, [item], { waits: true, isOfOne: true })
  return row as R | null
}

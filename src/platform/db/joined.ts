import { CompiledQuery } from 'kysely'
import { type BoundedMap, boundedMap } from '../bounded-map.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { arrayLiteral } from './arrays.ts'
import { coalesce } from './coalesce.ts'
import { keepPrepared } from './connections.ts'
import type { Db } from './pool.ts'
import { type Columns, recordset, recordsetValues } from './recordset.ts'

/** How a statement is written in one of its forms. */
export interface Writing {
  /** The directory of a row of `asked`, or of another table that has it: a column, or the parameter for that of all. */
  directory(table: string): string
  /** Locks rows; leaves out those that others have locked, or waits for them. */
  lock: string
  /** The number of the first parameter of the further rows. */
  more: number
  /** The parameters of the values that all items of the statement have in common. */
  shared(index: number): string
}

/** A statement that requests share, over rows that each brings one of: `asked`, whose `n` its answer has to give back. */
export interface JoinedStatement {
  /** Those of `asked` besides `n` and `directory_id`. */
  columns: Columns
  /** In which rows of `asked` come, and so are locked: two statements of the same order cannot deadlock. */
  order: string
  /** Those of further rows besides `n`, such as the events of a sign-in, where a request brings any. */
  more?: Columns
  /** What follows the common table expressions `clock` (`at`) and `asked`. */
  text(writing: Writing): string
}

/** What one request brings. */
export interface JoinedItem {
  statement: JoinedStatement
  directoryId: string
  /** Items of one key see each other's effect. */
  key: string | null
  row: object
  more: object[]
  /**
   * A statement before, in the same transaction. `complete` gets its row and returns further rows of `more`, which come
   * first; an item without a row is left out.
   */
  lead?: { statement: JoinedStatement; row: object; complete(answer: object): object[] }
  /** Values that only items which have the same share a statement by. */
  shared?: readonly number[]
}

interface Form {
  waits: boolean
  directoryId: string | null
}

const texts = new WeakMap<JoinedStatement, Map<string, string>>()

/** There are few forms of each: a text is made once, and prepared once by each connection. */
function textOf(statement: JoinedStatement, form: Form): string {
  const known = texts.get(statement) ?? new Map<string, string>()
  texts.set(statement, known)
  const key = `${form.waits} ${form.directoryId === null}`
  const text = known.get(key) ?? keepPrepared(write(statement, form))
  known.set(key, text)
  return text
}

function write(statement: JoinedStatement, { waits, directoryId }: Form): string {
  const given: Columns = { n: 'int', directory_id: 'uuid', ...statement.columns }
  const more = 1 + Object.keys(given).length
  const own = more + (statement.more ? 1 + Object.keys(statement.more).length : 0)
  const shared = directoryId === null ? own : own + 1
  // Skips locked rows: the statement of a distributed database names its directory, so it accepts the lock.
  const written = statement.text({
    directory: (table) => (directoryId === null ? `${table}.directory_id` : `$${own}::uuid`),
    lock: waits ? 'for update' : 'for update skip locked',
    more,
    shared: (index) => `$${shared + index}::int`,
  })
  return `with clock as materialized (select clock_now() as at),
    asked as materialized (select * from ${recordset(1, 'given', given)} order by ${statement.order})${written}`
}

async function run(db: Db, items: JoinedItem[], form: Form): Promise<(object | null)[]> {
  const [first] = items
  if (!first) return []
  const { statement, shared = [] } = first
  const values = [
    arrayLiteral(items.map((_, n) => n)),
    arrayLiteral(items.map((item) => item.directoryId)),
    ...recordsetValues(
      items.map(({ row }) => row),
      statement.columns,
    ),
    ...(statement.more ? moreValues(items, statement.more) : []),
    ...(form.directoryId === null ? [] : [form.directoryId]),
    ...shared,
  ]
  const query = CompiledQuery.raw(textOf(statement, form), values)
  const { rows: found } = await db.executeQuery<{ n: number }>(query)
  const answers = new Map(found.map((row) => [row.n, row]))
  return items.map((_, n) => answers.get(n) ?? null)
}

function moreValues(items: JoinedItem[], columns: Columns): string[] {
  const rows = items.flatMap((item) => item.more)
  return [arrayLiteral(items.flatMap(({ more }, n) => more.map(() => n))), ...recordsetValues(rows, columns)]
}

/** Runs the statements that come before, and then the others, in one transaction. */
async function runBoth(platform: Platform, items: JoinedItem[], form: Form): Promise<(object | null)[]> {
  return platform.tx(async (tx) => {
    const locked = await run(tx, items.map(asLead), form)
    const going = items.flatMap((item, n) => {
      const answer = locked[n]
      return answer ? [{ n, item: { ...item, more: [...(item.lead?.complete(answer) ?? []), ...item.more] } }] : []
    })
    const answers = await run(
      tx,
      going.map(({ item }) => item),
      form,
    )
    const byItem = new Map(going.map(({ n }, i) => [n, answers[i] ?? null]))
    return items.map((_, n) => byItem.get(n) ?? null)
  })
}

function asLead({ lead, directoryId, key }: JoinedItem): JoinedItem {
  if (!lead) throw new Error('Items of one statement differ')
  return { statement: lead.statement, directoryId, key, row: lead.row, more: [] }
}

type Queue = (item: JoinedItem) => Promise<object | null>

// Of one statement, by what its items share.
const MAX_QUEUES = 100

const queues = perPlatform((platform: Platform) => {
  const made = new WeakMap<JoinedStatement, BoundedMap<Queue>>()
  return ({ statement, lead, shared = [] }: JoinedItem) => {
    const queuesOf = made.get(statement) ?? boundedMap<Queue>(MAX_QUEUES)
    made.set(statement, queuesOf)
    const known = queuesOf.get(shared.join())
    if (known) return known
    // The queue stays: it holds nothing of the request that it was made for.
    const isLed = lead !== undefined
    const queue = coalesce({
      run: (items: JoinedItem[], directoryId) =>
        isLed
          ? runBoth(platform, items, { waits: false, directoryId })
          : run(platform.db, items, { waits: false, directoryId }),
      place: { database: platform.database, directoryOf: (item) => item.directoryId },
      keyOf: (item) => item.key,
    })
    // A queue that is forgotten still answers what it has.
    queuesOf.set(shared.join(), queue)
    return queue
  }
})

/**
 * Shares a statement with other requests, which leaves out rows that others have locked: nobody waits for the rows of
 * someone else. Returns null where the statement gave no row for the item.
 */
export function runTogether(platform: Platform, item: JoinedItem): Promise<object | null> {
  return queues(platform)(item)(item)
}

/** The same by a statement of its own, in a transaction perhaps, which waits for rows that others have locked. */
export async function runAlone(db: Db, item: JoinedItem): Promise<object | null> {
  const [row] = await run(db, [item], { waits: true, directoryId: item.directoryId })
  return row ?? null
}

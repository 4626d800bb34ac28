import { columnOf, isReference, names, tablesOf, targetOf } from './sql-tables.ts'
import { after, type Block, blocksWithin, ownWords, readBlocks, type Token, words } from './sql-text.ts'

/** What a distributed PostgreSQL does not take, or would do on every server. */
interface Rule {
  name: string
  /** Whether a block of a statement breaks it. */
  breaks(block: Block, statement: Block[]): boolean
}

const isWrite = ({ verb }: Block) => verb === 'insert' || verb === 'update' || verb === 'delete'
const isDistributed = (table: string) => columnOf(table) !== null
const isPlaced = (table: string) => isDistributed(table) || isReference(table)
const isNamedWrite = (block: Block) => block.named && isWrite(block)
const hasClock = (tokens: Token[]) => words(tokens).some((word) => word === 'clock_now')

/** Of a `do update`: from there to `returning`. */
function conflictPart({ verb, tokens }: Block): Token[] {
  const start = tokens.findIndex((token, i) => token === 'on' && tokens[i + 1] === 'conflict')
  return verb === 'insert' && start >= 0 ? after(tokens.slice(start), 'conflict', ['returning']) : []
}

const returningPart = (block: Block) => (isWrite(block) ? after(block.tokens, 'returning') : [])

/** What is decided in `case` and `coalesce`, in whatever depth. */
function decisions(tokens: Token[]): Token[] {
  let depth = 0
  const found: Token[] = []
  for (const [i, token] of tokens.entries()) {
    if (token === 'case') depth++
    if (token === 'end') depth--
    if (depth > 0 || tokens[i - 1] === 'coalesce') found.push(token)
    else if (typeof token !== 'string') found.push(...decisions(token))
  }
  return found
}

/** Whether something adds an interval to a time, which depends on the time zone unless that is said to be UTC. */
function addsInterval(tokens: Token[]): boolean {
  const flat = words(tokens)
  return flat.some(
    (word, i) => /^[+-]$/.test(word) && /^(make_)?interval$/.test(flat[i + 1] ?? '') && flat[i - 1] !== "'UTC'",
  )
}

const isColumn = (word: string) => /^[a-z]/.test(word) && !/^(secs|mins|hours|days|weeks|months|years)$/.test(word)

/** Whether an interval is added to a time, and either is a column. */
function addsColumn(tokens: Token[]): boolean {
  return tokens.some((token, i) => {
    if (typeof token !== 'string') {
      const made = tokens[i - 1] === 'make_interval' && /^[+-]$/.test(String(tokens[i - 2]))
      return made ? words(token).some(isColumn) : addsColumn(token)
    }
    const time = tokens[i - 1]
    const adds = /^[+-]$/.test(token) && /^(make_)?interval$/.test(String(tokens[i + 1]))
    return adds && typeof time === 'string' && isColumn(time)
  })
}

const VOLATILE =
  /^(pg_(try_)?advisory_\w+|pg_notify|pg_sleep|nextval|setval|set_config|random|clock_timestamp|gen_random_uuid)$/
const hasVolatile = (tokens: Token[]) => words(tokens).some((word) => VOLATILE.test(word))

/** What an update or delete computes by itself, not in a query within it. */
function ownPart({ verb, tokens }: Block): Token[] {
  return verb === 'update' || verb === 'delete' ? withoutQueries(tokens) : []
}

function withoutQueries(tokens: Token[]): Token[] {
  const own = tokens.filter((token) => typeof token === 'string' || token[0] !== 'select')
  return own.map((token) => (typeof token === 'string' ? token : withoutQueries(token)))
}

/** Whether a block reads rows of a `with`, a function or a list of values, beside those of a table. */
const joinsOthers = (block: Block) =>
  tablesOf(block).some(isDistributed) && tablesOf(block).some((table) => !isDistributed(table) && !isReference(table))

const MULTI_SHARD = /^(tablesample|rollup|cube|grouping)$/

const isLocking = ({ verb, tokens }: Block) =>
  verb === 'select' &&
  tokens.some((token, i) => token === 'for' && ['update', 'share', 'no', 'key'].includes(String(tokens[i + 1])))

/** Whether a block says of which directory, or key, all rows of its distributed tables are. */
function namesPlace(block: Block): boolean {
  // What is inserted has the directory in a column.
  const target = block.verb === 'insert' ? targetOf(block)?.table : undefined
  const columns = tablesOf(block)
    .filter((table) => table !== target)
    .map(columnOf)
  return columns.every((column) => column === null || names(block.tokens, column))
}

/** The condition of a query, with parameters that are alike. */
function conditionOf(tokens: Token[]): string {
  const end = ['order', 'limit', 'for', 'returning']
  const condition = words(after(tokens, 'where', end)).map((word) => (word.startsWith('$') ? '$' : word))
  return condition.join(' ')
}

/** The queries within a write that find rows of its table, of whatever directory. */
function searches(block: Block): Block[] {
  const target = targetOf(block)?.table ?? ''
  if (block.verb === 'insert' || !isDistributed(target) || namesPlace(block)) return []
  return blocksWithin(block.tokens).filter((inner) => tablesOf(inner).includes(target))
}

/** Whether a write says by itself what the query that finds its rows says of them. */
function repeatsCondition(block: Block): boolean {
  return searches(block).every(({ tokens }) => conditionOf(block.tokens).startsWith(`${conditionOf(tokens)} and `))
}

/** Whether a query compares the directory of its rows with another. */
function comparesPlaces({ tokens }: Block): boolean {
  const own = ownWords(tokens)
  const isPlace = (word: string | undefined) => word?.endsWith('.directory_id') === true
  return own.some((word, i) => word === '=' && isPlace(own[i - 1]) && isPlace(own[i + 1]))
}

/** The select of an insert, in the block itself. */
const selectOf = ({ verb, tokens }: Block) => (verb === 'insert' ? after(tokens, 'select', ['on', 'returning']) : [])

export const RULES: Rule[] = [
  {
    name: 'no query within `insert … values`',
    breaks: ({ verb, tokens }) =>
      verb === 'insert' && blocksWithin(after(tokens, 'values', ['on', 'returning'])).length > 0,
  },
  {
    name: '`insert … select … returning` gives the target a name of its own',
    breaks(block) {
      const target = targetOf(block)
      const isSelect = selectOf(block).length > 0 && returningPart(block).length > 0
      // From a `with` alone it is another plan, which names columns as they are.
      const isSent = target !== null && tablesOf(block).some((table) => table !== target.table && isPlaced(table))
      return isSelect && isSent && target.alias === target.table
    },
  },
  {
    name: 'no `insert … select` of tables after a `with` that writes: write it in the `with`, too',
    breaks(block, statement) {
      const isLast = !block.named && block.verb === 'insert'
      const target = targetOf(block)?.table
      return (
        isLast && statement.some(isNamedWrite) && tablesOf(block).some((table) => table !== target && isPlaced(table))
      )
    },
  },
  {
    name: 'no lock of a table that is on every server in a `with` that writes',
    breaks: (block, statement) =>
      block.named && isLocking(block) && tablesOf(block).some(isReference) && statement.some(isWrite),
  },
  {
    name: 'where rows are locked, each query names the directory as `directory_id = $n`',
    breaks(block, statement) {
      const locks = statement.some((other) => isLocking(other) && tablesOf(other).some(isDistributed))
      return locks && !namesPlace(block)
    },
  },
  {
    name: 'rows are locked in a query of their table alone, not in a join with a `with`: use `lateral`',
    breaks: (block) => isLocking(block) && joinsOthers(block),
  },
  {
    name: 'no clock_now() in `on conflict`: `excluded` has the time',
    breaks: (block) => hasClock(conflictPart(block)),
  },
  {
    name: 'no query in `on conflict`',
    breaks: (block) => blocksWithin(conflictPart(block)).length > 0,
  },
  {
    name: 'what is not immutable, as jsonb_build_object() and time ± interval, not in `on conflict`',
    breaks: (block) => addsInterval(conflictPart(block)) || words(conflictPart(block)).includes('jsonb_build_object'),
  },
  {
    name: 'no clock_now() in `case` or `coalesce` of a write: take it from a `with`',
    breaks: (block) => isWrite(block) && hasClock(decisions(block.tokens)),
  },
  {
    name: 'no time ± interval in `case` or `coalesce` of a write: compare a difference of times',
    breaks: (block) => isWrite(block) && addsInterval(decisions(block.tokens)),
  },
  {
    name: 'no clock_now() in `returning`: judge in an outer select',
    breaks: (block) => hasClock(returningPart(block)),
  },
  {
    name: 'no volatile function, as pg_advisory_xact_lock(), in `returning`, `on conflict`, `update` or `delete`',
    breaks: (block) => [returningPart(block), conflictPart(block), ownPart(block)].some(hasVolatile),
  },
  {
    name: 'no query in `returning`',
    breaks: (block) => blocksWithin(returningPart(block)).length > 0,
  },
  {
    name: 'what is not immutable, as jsonb_build_object() and time ± interval, of no column in `update` or `delete`',
    breaks(block) {
      const { verb, tokens } = block
      const set = verb === 'update' ? after(tokens, 'set', ['from', 'where', 'returning']) : []
      return addsColumn(ownPart(block)) || words(set).includes('jsonb_build_object')
    },
  },
  {
    name: 'tablesample, grouping sets, rollup and cube only of one directory',
    breaks: (block) => ownWords(block.tokens).some((word) => MULTI_SHARD.test(word)) && !namesPlace(block),
  },
  {
    name: 'a clean-up over all directories repeats its condition outside the `in`',
    breaks: (block) => !repeatsCondition(block),
  },
  {
    name: 'a write names its directory as `directory_id = $n`',
    breaks(block) {
      const target = targetOf(block)
      const isChange = block.verb === 'update' || block.verb === 'delete'
      return isChange && isDistributed(target?.table ?? '') && !namesPlace(block) && searches(block).length === 0
    },
  },
  {
    name: 'no row moves by `set directory_id`',
    breaks({ verb, tokens }) {
      const set = verb === 'update' ? after(tokens, 'set', ['from', 'where', 'returning']) : []
      return set.some((token, i) => /^(\w+\.)?directory_id$/.test(String(token)) && (i === 0 || set[i - 1] === ','))
    },
  },
  {
    name: 'no query of distributed rows for each row of a table that is on every server',
    breaks(block) {
      const outer = block.verb === 'select' ? tablesOf(block) : []
      if (!outer.length || !outer.every(isReference)) return false
      return blocksWithin(block.tokens).some(
        (inner) =>
          tablesOf(inner).some(isDistributed) &&
          ownWords(inner.tokens).some((word) => outer.some((table) => word.startsWith(`${table}.`))),
      )
    },
  },
  {
    name: 'an `insert … select` without `from` is not decided by a parameter: decide in code',
    breaks(block) {
      const select = selectOf(block)
      return !select.includes('from') && ownWords(after(select, 'where')).some((word) => word.startsWith('$'))
    },
  },
  {
    name: 'a query in the select list compares its `directory_id` with that of the row: join any other',
    breaks(block) {
      if (block.verb !== 'select' || !tablesOf(block).some(isDistributed) || namesPlace(block)) return false
      return blocksWithin(after(block.tokens, 'select', ['from'])).some(
        (inner) => tablesOf(inner).some(isDistributed) && !comparesPlaces(inner),
      )
    },
  },
]

/** Statements that a distributed database gets in another form, or never. */
interface Exception {
  name: string
  reason: string
  covers(sql: string): boolean
}

const LOCKS = 'where rows are locked, each query names the directory as `directory_id = $n`'
const WRITES = 'a write names its directory as `directory_id = $n`'

const JOINED: Exception = {
  name: 'joined statements over several directories',
  reason: 'defineJoined() writes a statement for each directory where the database is distributed',
  covers: (sql) =>
    /\bfrom unnest\(\(select \$1::int\[\]\), .*\) as given \(n, directory_id, /s.test(sql) &&
    // The form for a single directory has a parameter for it.
    !/\$\d+::uuid(?!\[)/.test(sql),
}

export const EXCEPTIONS: Record<string, Exception[]> = {
  [LOCKS]: [
    JOINED,
    {
      name: 'clean-ups',
      reason: 'skipLocked() leaves the lock out where the database is distributed',
      covers: (sql) =>
        readBlocks(sql).some((block) => searches(block).length > 0 && repeatsCondition(block)) &&
        / for update skip locked\)/.test(sql),
    },
  ],
  [WRITES]: [JOINED],
}

/**
 * The rules that a statement breaks. `distributed` for what is sent to a database that is, where there are no exceptions.
 */
export function brokenRules(sql: string, { distributed = false } = {}): string[] {
  const statement = readBlocks(sql)
  const broken = RULES.filter((rule) => statement.some((block) => rule.breaks(block, statement)))
  const excepted = (rule: Rule) => !distributed && EXCEPTIONS[rule.name]?.some(({ covers }) => covers(sql))
  return broken.filter((rule) => !excepted(rule)).map(({ name }) => name)
}

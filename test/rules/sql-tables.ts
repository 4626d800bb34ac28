import { PLACES } from '../../src/cli/table-places.ts'
import type { Block, Token } from './sql-text.ts'
import { ownWords } from './sql-text.ts'

export function isReference(table: string): boolean {
  return PLACES.reference.includes(table)
}

/** The column by which a table is distributed, or null. */
export function columnOf(table: string): 'directory_id' | 'api_key_id' | null {
  if (PLACES.directory_id.includes(table)) return 'directory_id'
  return PLACES.api_key_id.includes(table) ? 'api_key_id' : null
}

/** The tables that a block reads or writes itself, not in a query within it. */
export function tablesOf({ tokens }: Block): string[] {
  const words = ownWords(tokens)
  const named: string[] = []
  let isFrom = false
  for (const [place, word] of words.entries()) {
    if (isTablePlace(words, place) || (words[place - 1] === ',' && isFrom)) named.push(word)
    if (word === 'from') isFrom = true
    else if (word === 'select' || ENDS.has(word)) isFrom = false
  }
  return named.map((name) => name.replace(/^public\./, ''))
}

/** The table that a block writes, and the name by which it does. */
export function targetOf({ verb, tokens }: Block): { table: string; alias: string } | null {
  if (verb === 'select' || verb === 'values') return null
  const [table, as, alias] = tokens.slice(verb === 'update' ? 1 : 2)
  if (typeof table !== 'string') return null
  return { table, alias: as === 'as' && typeof alias === 'string' ? alias : table }
}

const ENDS = new Set(['where', 'order', 'group', 'limit', 'for', 'returning', 'union', 'set', 'on', 'using'])

/** Whether a name stands after `from`, `join`, `into` or `update`. */
function isTablePlace(words: string[], place: number): boolean {
  const before = words[place - 1]
  if (before === 'from' || before === 'join' || before === 'into') return true
  return before === 'update' && !['for', 'key', 'do'].includes(words[place - 2] ?? '')
}

/** Whether the tokens say `column = $n`, by themselves and not in a query within. */
export function names(tokens: Token[], column: string): boolean {
  const words = ownWords(tokens)
  return words.some((word, i) => {
    const isColumn = word === column || word.endsWith(`.${column}`)
    return isColumn && words[i + 1] === '=' && (words[i + 2]?.startsWith('$') ?? false)
  })
}

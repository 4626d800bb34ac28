/** A word, number, operator, parameter, string in its quotes, or what stands in parentheses. */
export type Token = string | Token[]

/** A statement, or a query within one. */
export interface Block {
  verb: 'select' | 'insert' | 'update' | 'delete' | 'values'
  /** Without its common table expressions, but with the subqueries, as tokens in parentheses. */
  tokens: Token[]
  /** Whether it is a common table expression. */
  named: boolean
}

const LEXEME =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|(?<string>'(?:[^']|'')*')|(?<name>(?:"[^"]+"|[a-z_]\w*)(?:\.(?:"[^"]+"|[a-z_]\w*|\*))*)|(?<param>\$\d+)|(?<number>\d[\d.]*)|(?<cast>::(?:"\w+"|[a-z_]\w*)(?:\[\])?)|(?<paren>[()])|(?<sign>=>|<=|>=|<>|!=|\|\||->>|->|.)/giy

/** Reads SQL into tokens: names in lower case without quotes, and no casts. */
export function readTokens(sql: string): Token[] {
  const stack: Token[][] = [[]]
  for (const { groups = {} } of sql.matchAll(LEXEME)) {
    const { string, name, param, number, paren, sign } = groups
    const token = string ?? name?.replaceAll('"', '').toLowerCase() ?? param ?? number ?? sign
    if (paren === '(') stack.push([])
    else if (paren === ')') {
      const inner = stack.pop() ?? []
      // One too many, as in the text of a message: what came before it is on its own then.
      if (!stack.length) stack.push([])
      stack.at(-1)?.push(inner)
    } else if (token !== undefined) stack.at(-1)?.push(token)
  }
  return stack.flat()
}

/** Every query and write of a statement, those within others included. */
export function readBlocks(sql: string): Block[] {
  return blocksOf(readTokens(sql), false)
}

/** The queries within these tokens. */
export function blocksWithin(tokens: Token[]): Block[] {
  return tokens.flatMap((token) => (typeof token === 'string' ? [] : blocksOf(token, false)))
}

function blocksOf(tokens: Token[], named: boolean): Block[] {
  const { expressions, rest } = takeExpressions(tokens)
  const [first] = rest
  const inner = [...expressions.flatMap((body) => blocksOf(body, true)), ...blocksWithin(rest)]
  return isVerb(first) ? [{ verb: first, tokens: rest, named }, ...inner] : inner
}

const VERBS = ['select', 'insert', 'update', 'delete', 'values'] as const

function isVerb(token: Token | undefined): token is Block['verb'] {
  return VERBS.some((verb) => verb === token)
}

/** The common table expressions at the beginning, and what follows them. */
function takeExpressions(tokens: Token[]): { expressions: Token[][]; rest: Token[] } {
  if (tokens[0] !== 'with') return { expressions: [], rest: tokens }
  const start = tokens.findIndex(isVerb)
  if (start < 0) return { expressions: [], rest: tokens }
  const bodies = tokens.slice(0, start).filter((token, i, all) => typeof token !== 'string' && isAfterAs(all, i))
  return { expressions: bodies.filter((token) => typeof token !== 'string'), rest: tokens.slice(start) }
}

function isAfterAs(tokens: Token[], place: number): boolean {
  return tokens[place - 1] === 'as' || tokens[place - 1] === 'materialized'
}

/** The tokens after a word of the block itself, up to one of the others. Empty if the word is not there. */
export function after(tokens: Token[], word: string, ends: string[] = []): Token[] {
  const start = tokens.indexOf(word)
  if (start < 0) return []
  const rest = tokens.slice(start + 1)
  const end = rest.findIndex((token) => typeof token === 'string' && ends.includes(token))
  return end < 0 ? rest : rest.slice(0, end)
}

/** Every word, those in parentheses included. */
export function words(tokens: Token[]): string[] {
  return tokens.flatMap((token) => (typeof token === 'string' ? [token] : ['(', ...words(token), ')']))
}

/** The words without those of queries within. */
export function ownWords(tokens: Token[]): string[] {
  return tokens.flatMap((token) => {
    if (typeof token === 'string') return [token]
    return isVerb(token[0]) || token[0] === 'with' ? [] : ['(', ...ownWords(token), ')']
  })
}

import { relative } from 'node:path'
import pg from 'pg'
import { brokenRules } from './sql-rules.ts'

/** Statements that keep the rules, as most do, which are sent again and again. */
const kept = new Set<string>()
const ROOT = `${import.meta.dirname}/../..`
let broken = new Set<string>()
let recorded: SentQuery[] | null = null

/** A statement as it was sent. */
export interface SentQuery {
  text: string
  values: unknown[]
}

/** Reads every statement that this process sends from now on. Returns what ends that, and returns those that broke rules. */
export function watchStatements(): () => string[] {
  const { query } = pg.Client.prototype
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      const text = textOf(args[0])
      if (text !== null) inspect(text, args[0])
      return Reflect.apply(query, this, args)
    },
  })
  return () => {
    Object.assign(pg.Client.prototype, { query })
    const found = [...broken]
    broken = new Set()
    return found
  }
}

let endOfFile: (() => string[]) | null = null

/** The same for a test file: ends the watch of the one before, where its tests were all skipped, and so its end. */
export function watchFile(): () => string[] {
  endOfFile?.()
  const end = watchStatements()
  endOfFile = end
  return () => {
    endOfFile = null
    return end()
  }
}

/** The statements that this process sends while `act` runs. */
export async function recordStatements(act: () => Promise<unknown>): Promise<string[]> {
  return (await recordQueries(act)).map(({ text }) => text)
}

/** The same with their parameters. */
export async function recordQueries(act: () => Promise<unknown>): Promise<SentQuery[]> {
  const queries: SentQuery[] = []
  recorded = queries
  try {
    await act()
  } finally {
    recorded = null
  }
  return queries
}

/** What connections that listen ask every few seconds, to see whether the server answers. */
const BEAT = /^select (1|extract\(epoch from clock_timestamp\(\)\).*)$/

const OTHERS = [
  /graphile_worker\./,
  /^\s*update "?api_keys\b/,
  /^\s*select\b(?:(?!\bfrom\b).)*\bfrom "?(\w+_settings|service_configs|mfa_policies|directories|api_keys|data_keys|signing_keys)\b/s,
]

/** Without what jobs send, the last use of keys, and what caches read anew after a while, whoever asks then. */
export function ofRequests(texts: string[]): string[] {
  return texts.filter((text) => !OTHERS.some((other) => other.test(text)))
}

function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query
  if (typeof query !== 'object' || query === null || !('text' in query)) return null
  return typeof query.text === 'string' ? query.text : null
}

function valuesOf(query: unknown): unknown[] {
  const values = typeof query === 'object' && query !== null && 'values' in query ? query.values : []
  return Array.isArray(values) ? values : []
}

function inspect(text: string, query: unknown): void {
  if (!BEAT.test(text)) recorded?.push({ text, values: valuesOf(query) })
  // The queue's own are of tables on the server that is asked.
  if (kept.has(text) || text.includes('graphile_worker.')) return
  const rules = brokenRules(text)
  if (!rules.length) kept.add(text)
  else if (!isOfTest()) broken.add(`${rules.join('; ')}: ${text.replaceAll(/\s+/g, ' ').trim()}`)
}

const PASSAGES = /^(test\/rules\/sql-recorder|src\/platform\/db\/(connections|failure|pool|tx|coalesce))\.ts$/

/** Whether a test itself sends the statement, which may do what no rule of the product does. */
function isOfTest(): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  const { stack = '' } = new Error('Where are we?')
  Error.stackTraceLimit = stackTraceLimit
  const files = [...stack.matchAll(/(?:file:\/\/)?(\/[^():?]+)(?:\?vitest=\d+)?:\d+:\d+/g)].map(([, path = '']) =>
    relative(ROOT, path),
  )
  const sender = files.find((path) => /^(src|test)\//.test(path) && !PASSAGES.test(path))
  return sender !== undefined && /^test\/|\.test\.ts$/.test(sender)
}

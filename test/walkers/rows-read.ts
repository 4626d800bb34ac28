import type pg from 'pg'
import type { SentQuery } from '../rules/sql-recorder.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

export interface Reading {
  /** Rows that were read of tables and indexes, or thrown away later. */
  rows: number
  /** A line for each step. */
  plan: string
}

/** PostgreSQL plans a prepared statement five times for its parameters, and then for any if that looks as cheap. */
const FIRST_PLANS = 5

/**
 * Runs a statement again, as a connection does on which it recurs, and counts the rows that PostgreSQL reads for it: with a
 * plan for these parameters, and with the plan that it keeps.
 */
export async function readingsOf(client: pg.ClientBase, { text, values }: SentQuery): Promise<Reading[]> {
  await client.query(`prepare measured as ${text}`)
  try {
    const given = values.length ? `(${values.map(literal).join(', ')})` : ''
    const first = await explain(client, given)
    for (let n = 1; n < FIRST_PLANS; n++) await client.query(`execute measured${given}`)
    return [first, await explain(client, given)]
  } finally {
    await client.query('deallocate measured')
  }
}

async function explain(client: pg.ClientBase, given: string): Promise<Reading> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `explain (analyze, buffers, format json) execute measured${given}`,
  )
  const nodes = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => withDepth(Plan, 0)))
  return {
    rows: nodes.reduce((sum, { node }) => sum + rowsOf(node), 0),
    plan: nodes.map(({ node, depth }) => `${' '.repeat(depth)}${describe(node)}`).join('\n'),
  }
}

function withDepth(node: PlanNode, depth: number): { node: PlanNode; depth: number }[] {
  return [{ node, depth }, ...(node.Plans ?? []).flatMap((child) => withDepth(child, depth + 1))]
}

/** What a step reads of a table or an index, and what any step throws away. What it hands on was read before. */
function rowsOf(node: PlanNode): number {
  const isScan = node['Index Name'] !== undefined || node['Relation Name'] !== undefined
  const removed = ['Rows Removed by Filter', 'Rows Removed by Index Recheck', 'Rows Removed by Join Filter'] as const
  const each = removed.reduce((sum, name) => sum + (node[name] ?? 0), isScan ? node['Actual Rows'] : 0)
  return each * node['Actual Loops']
}

function describe(node: PlanNode): string {
  const where = node['Index Name'] ?? node['Relation Name'] ?? ''
  return `${Math.round(rowsOf(node))} ${node['Node Type']} ${where}`
}

/** A parameter as PostgreSQL writes it, of the type that the statement gives it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return `'${textOf(value).replaceAll("'", "''")}'`
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map((item) => (item === null ? 'null' : JSON.stringify(item))).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

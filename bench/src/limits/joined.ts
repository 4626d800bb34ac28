import type { Pool } from 'pg'

const MAX_BATCH = 200

/** Answered with its status. */
export class Refusal extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Joins what requests ask for at the same time into one statement, and answers each after its commit, with the result
 * in its place. Throws `Refusal` where there is none: the statement found or wrote nothing for it.
 */
export function joined<Item, Result>(
  execute: (items: Item[]) => Promise<(Result | undefined)[]>,
): (item: Item) => Promise<Result> {
  let queue: Waiting<Item, Result>[] = []
  let isRunning = false

  // One statement at a time: with two, batches are smaller and each request costs more.
  async function run(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH)
      queue = queue.slice(MAX_BATCH)
      await settle(batch)
    }
    isRunning = false
  }

  async function settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await execute(batch.map(({ item }) => item))
      for (const [n, { resolve, reject }] of batch.entries()) {
        const result = results[n]
        if (result === undefined) reject(new Refusal(404, 'Not found'))
        else resolve(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (isRunning) return
      isRunning = true
      // Requests that arrived in the same turn of the event loop come along.
      setImmediate(run)
    })
}

/** Rows of a prepared statement whose first column is the place, from 1, of what they answer; the others are absent. */
export async function queryPlaces<Row extends [place: number, ...unknown[]]>(
  pool: Pool,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<(Row | undefined)[]> {
  const { rows } = await pool.query<Row>({ ...statement, values, rowMode: 'array' })
  const placed: (Row | undefined)[] = []
  for (const row of rows) placed[row[0] - 1] = row
  return placed
}

/** Hashes in hex as a parameter for `bytea[]`. */
export function hashArray(hashes: string[]): string {
  return `{${hashes.map((hash) => `"\\\\x${hash}"`).join()}}`
}

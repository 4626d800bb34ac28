import { runJob } from './child.ts'

/** One request of a plan; `body` is sent as JSON text. */
export interface LoadRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** What the generator sends, from a process of its own. */
export interface LoadPlan {
  baseUrl: string
  connections: number
  /** Headers of every request. */
  headers: Record<string, string>
  requests: LoadRequest[]
  /**
   * `cycle` repeats the list for `seconds`; `once` sends each request a single time and ends with the list or with
   * `seconds`; `chain` gives request n to connection n, which repeats it with a value of its last answer.
   */
  mode: 'cycle' | 'once' | 'chain'
  seconds: number
  /** Ends `cycle` and `chain` after so many requests. */
  count?: number
  /**
   * Requests are due at this rate; absent: as fast as answers come. If all connections are busy, latencies include the wait
   * for one.
   */
  ratePerSecond?: number
  /** Text that a right answer holds; others are counted as unexpected, whatever their status. */
  expect?: string
  /** A right answer is a redirect, whose address holds the text. */
  redirects?: boolean
  /** Returns every answer's body, in the order of the requests. */
  collect?: boolean
  /** For `chain`: where the answer holds the value (dotted path), and the text in the body that it replaces. */
  chain?: { field: string; placeholder: string; values: string[] }
}

export interface LoadResult {
  /** Answers within the window, right or not. */
  completed: number
  /** Right answers a second; the latencies are theirs. */
  ratePerSecond: number
  p50Ms: number
  p99Ms: number
  /** Answers by status outside 2xx, and those without the expected text (`unexpected`), or broken (`dropped`). */
  failures: Record<string, number>
  /** Status and body of the first failure. */
  firstFailure: string | null
  bodies: string[]
  /** For `chain`: the values to continue with. */
  values: string[]
}

/** Runs a plan in a separate process, so that generator and bench share no event loop. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  return await runJob<LoadResult>(new URL('./load-process.ts', import.meta.url), plan)
}

/** Failures in words; empty when there was none. */
export function describeFailures(result: LoadResult): string[] {
  const counts = Object.entries(result.failures).map(([what, count]) => `${count} × ${what}`)
  if (counts.length === 0) return []
  return [`${counts.join(', ')} of ${result.completed}; first: ${result.firstFailure ?? ''}`]
}

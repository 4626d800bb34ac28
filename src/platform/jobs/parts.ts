import { isDatabaseUnavailable, sqlState } from '../db/failure.ts'

/** A statement that took too long, lost a conflict, or exceeded a limit. Other parts may still succeed. */
const OF_STATEMENT = /^(57014|55P03|40001|40P01|53200|53400)$/
const MOST_NAMED = 10

export interface PartFailure {
  name: string
  error: unknown
}

/**
 * Runs a step for each part of a job, such as an environment, and returns the failures. A failed part does not prevent
 * the others from running. Throws at once if the database is unavailable, because every part would wait for it.
 */
export async function runParts<T>(
  parts: Iterable<T> | AsyncIterable<T>,
  nameOf: (part: T) => string,
  step: (part: T) => Promise<unknown>,
): Promise<PartFailure[]> {
  const failed: PartFailure[] = []
  for await (const part of parts)
    try {
      await step(part)
    } catch (error) {
      const stopsAll = isDatabaseUnavailable(error) && !OF_STATEMENT.test(sqlState(error) ?? '')
      if (stopsAll && !failed.length) throw error
      failed.push({ name: nameOf(part), error })
      if (stopsAll) throw toError(failed, error)
    }
  return failed
}

/**
 * Like `runParts`, and throws when all parts have run. The error names the failed parts, with the first failure as its
 * cause. If the database failed, throws that error.
 */
export async function forEachPart<T>(
  parts: Iterable<T> | AsyncIterable<T>,
  nameOf: (part: T) => string,
  step: (part: T) => Promise<unknown>,
): Promise<void> {
  const failed = await runParts(parts, nameOf, step)
  if (failed.length) throw toError(failed, failed[0]?.error)
}

function toError(failed: PartFailure[], cause: unknown): Error {
  const named = failed.slice(0, MOST_NAMED).map(({ name }) => name)
  const error = new Error(`${failed.length} parts of a job failed`, { cause })
  return Object.assign(error, { parts: named.join(' ') })
}

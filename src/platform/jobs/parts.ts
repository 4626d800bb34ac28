import { isDatabaseUnavailable, sqlState } from '../db/failure.ts'

/** A statement that took too long, or lost a conflict: other parts may succeed. */
const OF_STATEMENT = /^(57014|55P03|40001|40P01)$/
const MOST_NAMED = 10

/**
 * Runs a step for each part of a job, such as an environment. A part that fails does not keep the others from running.
 * Throws when all have run: one error that names the failed parts, with the first failure as its cause. Throws at once if the
 * database is unavailable, since every part would wait for it.
 */
export async function forEachPart<T>(
  parts: Iterable<T> | AsyncIterable<T>,
  nameOf: (part: T) => string,
  step: (part: T) => Promise<unknown>,
): Promise<void> {
  const failed: string[] = []
  let cause: unknown
  for await (const part of parts)
    try {
      await step(part)
    } catch (error) {
      if (isDatabaseUnavailable(error) && !OF_STATEMENT.test(sqlState(error) ?? '')) throw error
      if (!failed.length) cause = error
      failed.push(nameOf(part))
    }
  if (!failed.length) return
  const named = failed.slice(0, MOST_NAMED).join(' ')
  throw Object.assign(new Error(`${failed.length} parts of a job failed`, { cause }), { parts: named })
}

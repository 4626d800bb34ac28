import type { TxWork, Work } from '../../platform/work.ts'

class AlreadySpent extends Error {}

/**
 * Runs the rest in a transaction of its own. Null: it answered that the proof had been spent already, and nothing it
 * wrote stays.
 */
export async function inTxUnlessSpent<T>(work: Work, run: (work: TxWork) => Promise<T | null>): Promise<T | null> {
  try {
    // Never one at hand: what was written before could not go without the rest of that.
    return await work.platform.tx(async (db) => {
      const answer = await run({ ...work, db })
      // Thrown, so that what was written before goes too.
      if (answer === null) throw new AlreadySpent()
      return answer
    })
  } catch (error) {
    if (error instanceof AlreadySpent) return null
    throw error
  }
}

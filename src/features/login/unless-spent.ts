import type { Tx } from '../../platform/db/pool.ts'
import type { Platform } from '../../platform/platform.ts'

class AlreadySpent extends Error {}

/** Runs the work in a transaction. Null: it answered that the proof had been spent already, and nothing it wrote stays. */
export async function inTxUnlessSpent<T>(platform: Platform, work: (tx: Tx) => Promise<T | null>): Promise<T | null> {
  try {
    return await platform.tx(async (tx) => {
      const answer = await work(tx)
      // Thrown, so that what was written before goes too.
      if (answer === null) throw new AlreadySpent()
      return answer
    })
  } catch (error) {
    if (error instanceof AlreadySpent) return null
    throw error
  }
}

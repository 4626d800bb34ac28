import type { TxWork, Work } from '../work.ts'

class AlreadyConsumed extends Error {}

/**
 * Runs `run` in its own transaction. If it returns null because the proof was already consumed, everything it wrote is
 * rolled back and null is returned.
 */
export async function inTxUnlessConsumed<T>(work: Work, run: (work: TxWork) => Promise<T | null>): Promise<T | null> {
  try {
    // Never joins an open transaction, because a rollback would undo that transaction's other work too.
    return await work.platform.tx(async (db) => {
      const answer = await run({ ...work, db })
      // Thrown to roll back.
      if (answer === null) throw new AlreadyConsumed()
      return answer
    })
  } catch (error) {
    if (error instanceof AlreadyConsumed) return null
    throw error
  }
}

import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Platform } from '../src/platform/platform.ts'

/** Holds every connection for requests with a key, until the returned function is called or the test ends. */
export async function lockConnections({ database, tx }: Platform): Promise<() => Promise<void>> {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const held = Array.from({ length: database.pool.options.max }, () => Promise.withResolvers<void>())
  const holders = held.map((mine) =>
    tx(async (tx) => {
      await sql`select 1`.execute(tx)
      mine.resolve()
      await freed
    }),
  )
  await Promise.all(held.map((mine) => mine.promise))
  const end = async () => {
    free()
    await Promise.all(holders)
  }
  onTestFinished(end)
  return end
}

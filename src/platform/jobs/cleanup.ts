import { sql } from 'kysely'
import { rotateDueSigningKeys } from '../crypto/signing-keys.ts'
import type { Db } from '../db/pool.ts'
import type { JobHandler } from './queue.ts'

const BATCH = 1000

/** Removes what the platform keeps for a while. Nothing relies on it: expiry is checked where a row is used. */
export const cleanUpPlatform: JobHandler = {
  name: 'platform.cleanup',
  cron: '*/10 * * * *',
  async handle({ db }) {
    while ((await deleteOldCounters(db)) === BATCH);
    while ((await deleteOldIdempotencyKeys(db)) === BATCH);
  },
}

export const rotateSigningKeysWhenDue: JobHandler = {
  name: 'signing_keys.rotate',
  cron: '17 3 * * *',
  async handle(platform) {
    const count = await rotateDueSigningKeys(platform)
    if (count) platform.log.info({ count }, 'Rotated signing keys')
  },
}

// No window is longer than a day.
async function deleteOldCounters(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_counters where (directory_id, bucket, identity) in (
      select directory_id, bucket, identity from rate_counters
      where window_started_at < clock_now() - interval '2 days' limit ${BATCH} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

async function deleteOldIdempotencyKeys(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (api_key_id, route, key) in (
      select api_key_id, route, key from idempotency_keys
      where created_at < clock_now() - interval '24 hours' limit ${BATCH} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

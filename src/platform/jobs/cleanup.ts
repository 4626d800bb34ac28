import { sql } from 'kysely'
import { rotateDueSigningKeys } from '../crypto/signing-keys.ts'
import type { JobHandler } from './queue.ts'
import { defineCleanup, defineRetention } from './retention.ts'

// Foreign tables idempotency_keys, rate_counters: the clean-up of the platform removes old rows.
export const cleanUpPlatform = defineCleanup('platform.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'rate_counters',
    key: ['directory_id', 'bucket', 'identity'],
    // No rate limit window is longer than a day.
    where: sql`window_started_at < clock_now() - interval '2 days'`,
  }),
  defineRetention({
    table: 'idempotency_keys',
    key: ['api_key_id', 'route', 'key'],
    where: sql`created_at < clock_now() - interval '24 hours'`,
  }),
])

export const rotateSigningKeysWhenDue: JobHandler = {
  name: 'signing_keys.rotate',
  cron: '17 3 * * *',
  async handle(platform) {
    const count = await rotateDueSigningKeys(platform)
    if (count) platform.log.info({ count }, 'Rotated signing keys')
  },
}

import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpLockouts = defineCleanup('lockouts.cleanup', '43 * * * *', [
  defineRetention({
    table: 'lockouts',
    key: ['directory_id', 'identity', 'network'],
    where: sql`window_started_at < clock_now() - interval '30 days'`,
    orderBy: 'window_started_at',
  }),
])

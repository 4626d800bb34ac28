import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpSessions = defineCleanup('sessions.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'sessions',
    key: ['directory_id', 'id'],
    where: sql`expires_at < clock_now() - interval '30 days'`,
  }),
])

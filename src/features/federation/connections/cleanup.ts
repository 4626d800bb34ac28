import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpTraces = defineCleanup('connections.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'sso_traces',
    key: ['directory_id', 'id'],
    where: sql`created_at < clock_now() - interval '7 days'`,
    orderBy: 'created_at',
  }),
])

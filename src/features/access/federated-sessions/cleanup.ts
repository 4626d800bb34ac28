import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpFederatedSessions = defineCleanup('ties.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'federated_sessions',
    key: ['directory_id', 'id'],
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

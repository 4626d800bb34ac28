import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpLinks = defineCleanup('links.cleanup', '23 * * * *', [
  defineRetention({
    table: 'links',
    key: ['directory_id', 'id'],
    // Lists show an invitation for a month after it ended.
    where: sql`expires_at < clock_now() - interval '30 days'`,
    orderBy: 'expires_at',
  }),
])

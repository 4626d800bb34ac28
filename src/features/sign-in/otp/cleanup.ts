import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpOtps = defineCleanup('otps.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'otps',
    key: ['directory_id', 'id'],
    // Codes expire earlier, but the rules that void older codes and count failures look back a day and need the rows.
    where: sql`created_at < clock_now() - interval '2 days'`,
    orderBy: 'created_at',
  }),
])

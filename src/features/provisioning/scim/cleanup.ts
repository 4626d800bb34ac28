import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpScim = defineCleanup('scim.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'scim_tokens',
    key: ['id'],
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
  defineRetention({
    table: 'scim_logs',
    key: ['directory_id', 'id'],
    where: sql`created_at < clock_now() - interval '14 days'`,
    orderBy: 'created_at',
  }),
])

import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpProvisioning = defineCleanup('provisioning.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'scim_users',
    key: ['directory_id', 'user_id'],
    where: sql`deleted_at < clock_now() - interval '30 days'`,
    orderBy: 'deleted_at',
  }),
])

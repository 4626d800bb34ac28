import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'
import { KEPT_DAYS } from './limits.ts'

export const cleanUpWebhooks = defineCleanup('webhooks.cleanup', '23 * * * *', [
  defineRetention({
    table: 'webhook_deliveries',
    key: ['directory_id', 'id'],
    where: sql`created_at < clock_now() - make_interval(days => ${KEPT_DAYS})`,
    orderBy: 'created_at',
  }),
])

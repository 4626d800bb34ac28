import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpDevices = defineCleanup('devices.cleanup', '29 * * * *', [
  defineRetention({
    table: 'known_devices',
    key: ['directory_id', 'user_id', 'device_hash'],
    where: sql`not is_first and seen_at < clock_now() - interval '90 days'`,
    orderBy: 'seen_at',
  }),
])

import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpTrustedDevices = defineCleanup('mfa.cleanup', '23 * * * *', [
  defineRetention({
    table: 'trusted_devices',
    key: ['directory_id', 'id'],
    where: sql`expires_at <= clock_now()`,
    orderBy: 'expires_at',
  }),
])

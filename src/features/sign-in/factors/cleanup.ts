import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpFactors = defineCleanup('factors.cleanup', '23 * * * *', [
  // Only enrollments that were never confirmed expire.
  defineRetention({
    table: 'totp_enrollments',
    key: ['directory_id', 'user_id'],
    where: sql`expires_at <= clock_now()`,
    orderBy: 'expires_at',
  }),
  defineRetention({
    table: 'mfa_phones',
    key: ['directory_id', 'user_id'],
    where: sql`expires_at <= clock_now()`,
    orderBy: 'expires_at',
  }),
])

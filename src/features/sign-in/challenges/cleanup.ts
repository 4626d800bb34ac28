import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpChallenges = defineCleanup('challenges.cleanup', '23 * * * *', [
  defineRetention({
    table: 'mfa_challenges',
    key: ['directory_id', 'id'],
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

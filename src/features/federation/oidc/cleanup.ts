import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpLogoutTokens = defineCleanup('oidc.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'logout_tokens',
    key: ['directory_id', 'connection_id', 'token_hash'],
    // Whose clock is behind takes a token for longer.
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

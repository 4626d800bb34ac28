import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpLogoutTokens = defineCleanup('oidc.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'logout_tokens',
    key: ['directory_id', 'connection_id', 'token_hash'],
    // An hour later, since a process whose clock is behind still accepts a token.
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

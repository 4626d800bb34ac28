import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpAssertions = defineCleanup('saml.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'saml_assertions',
    key: ['directory_id', 'connection_id', 'assertion_hash'],
    // Whose clock is behind takes an assertion for longer.
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

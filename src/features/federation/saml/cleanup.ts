import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpAssertions = defineCleanup('saml.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'saml_assertions',
    key: ['directory_id', 'connection_id', 'assertion_hash'],
    // An hour later, since a process whose clock is behind still accepts an assertion.
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

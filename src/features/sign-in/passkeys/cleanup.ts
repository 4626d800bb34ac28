import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpCeremonies = defineCleanup('passkeys.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'webauthn_ceremonies',
    key: ['directory_id', 'id'],
    // Anyone can start sign-ins, and each start inserts a row.
    where: sql`expires_at < clock_now()`,
    orderBy: 'expires_at',
  }),
])

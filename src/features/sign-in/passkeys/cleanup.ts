import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

export const cleanUpCeremonies = defineCleanup('passkeys.cleanup', '*/10 * * * *', [
  defineRetention({
    table: 'webauthn_ceremonies',
    key: ['directory_id', 'id'],
    where: sql`expires_at < clock_now() - interval '1 hour'`,
    orderBy: 'expires_at',
  }),
])

import { sql } from 'kysely'
import { defineCleanup, defineRetention } from '../../../platform/jobs/retention.ts'

const isOver = sql`expires_at < clock_now() - interval '1 hour'`

export const cleanUpFederation = defineCleanup('federation.cleanup', '*/10 * * * *', [
  defineRetention({ table: 'federated_sign_ins', key: ['directory_id', 'id'], where: isOver, orderBy: 'expires_at' }),
  defineRetention({ table: 'exchange_codes', key: ['directory_id', 'id'], where: isOver, orderBy: 'expires_at' }),
])

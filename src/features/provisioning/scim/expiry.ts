import { sql } from 'kysely'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import { forEachDirectory } from '../../../platform/jobs/due-rows.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { scimEvents } from './events.ts'
import { lockExpiringTokens, noteTold } from './expiry-store.ts'

const BATCH = 200

/** The numbers of remaining days at which the event about an expiring token is recorded. */
const TELL_AT = [30, 7, 1, 0]

/** The next of these stages. */
const nextStage = sql`case told_days ${sql.join(
  TELL_AT.slice(1).map((days, at) => sql`when ${TELL_AT[at]}::int then ${days}::int`),
  sql` `,
)} else ${TELL_AT[0]}::int end`

/**
 * The stage for this many remaining days. Each stage is recorded once, and only if the token had more days when it was
 * made.
 */
export function stageOf(daysLeft: number): number | null {
  return TELL_AT.findLast((days) => daysLeft <= days) ?? null
}

/**
 * Records at each stage, once, that a token expires soon or has expired, for active organizations with provisioning.
 */
export const tellExpiringTokens: JobHandler = {
  name: 'scim.tell_expiring_tokens',
  cron: '*/10 * * * *',
  async handle(platform) {
    const due = {
      table: 'scim_tokens',
      key: 'id',
      isDue: sql`lifetime_ends_at <= clock_now() + make_interval(days => ${nextStage}) and told_days is distinct from 0
        and expires_at is null`,
      orderBy: 'lifetime_ends_at',
      batch: BATCH,
    } as const
    await forEachDirectory(platform.db, due, async (directoryId, ids) => {
      const directory = await findDirectory(platform, directoryId)
      if (!directory) return
      await platform.tx(async (db) => {
        const work = { platform, directory, origin: systemOrigin(), db }
        for (const { id, hint, lifetime_ends_at, days_left, told_days } of await lockExpiringTokens(
          db,
          directory,
          ids,
        )) {
          const days = Math.max(0, days_left)
          const stage = stageOf(days)
          if (stage === null || (told_days !== null && told_days <= stage)) continue
          await noteTold(db, directory, id, stage)
          const expiresAt = lifetime_ends_at.toISOString()
          const data = { subOrgId: directory.organizationId, tokenHint: hint, expiresAt, days }
          await record(work, scimEvents.tokenExpiring({ target: { type: 'scim_config', id: directory.id }, data }))
        }
      })
    })
  },
}

import { record, systemOrigin } from '../../platform/events.ts'
import { findDirectory } from '../../platform/http/directory.ts'
import type { JobHandler } from '../../platform/jobs/queue.ts'
import type { Platform } from '../../platform/platform.ts'
import { impersonationEvents } from './events.ts'
import { type EndedRow, findEndedRows, takeRow } from './store.ts'

const BATCH = 200

/** Records the end of sessions in which somebody acted for a user, however they ended. */
export const announceEndedImpersonations: JobHandler = {
  name: 'impersonation.end',
  cron: '* * * * *',
  async handle(platform) {
    for (;;) {
      const ended = await findEndedRows(platform.db, BATCH)
      for (const row of ended) await announce(platform, row)
      if (ended.length < BATCH) return
    }
  },
}

async function announce(platform: Platform, ended: EndedRow): Promise<void> {
  const directory = await findDirectory(platform, ended.directory_id)
  if (!directory) return
  await platform.tx(async (db) => {
    const row = await takeRow(db, directory, ended.id)
    if (!row) return
    const data = {
      id: row.id,
      user_id: row.auth_account_id,
      directory_user_id: row.user_id,
      impersonator: { sub: row.actor, reason: row.reason },
      ended: ended.is_expired ? ('expired' as const) : ('revoked' as const),
    }
    const work = { platform, directory, origin: systemOrigin(), db }
    await record(work, impersonationEvents.ended({ target: { type: 'session', id: row.id }, data }))
  })
}

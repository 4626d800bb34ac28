import { skipLocked } from '../../platform/db/distributed.ts'
import { record, systemOrigin } from '../../platform/events.ts'
import { findDirectory } from '../../platform/http/directory.ts'
import type { JobHandler } from '../../platform/jobs/queue.ts'
import type { Platform } from '../../platform/platform.ts'
import { closeExpiredInvites } from '../links/links.ts'
import { inviteEvents } from './events.ts'
import { toInvite } from './schema.ts'
import { findInviteRows } from './store.ts'

const BATCH = 200

/** Records invitations that expired. They are refused from the moment of expiry, whether or not the job has run. */
export const announceExpiredInvites: JobHandler = {
  name: 'invites.expire',
  cron: '*/5 * * * *',
  async handle(platform) {
    while ((await announceBatch(platform)) === BATCH);
  },
}

/** Processes one batch. Returns how many. */
async function announceBatch(platform: Platform): Promise<number> {
  return platform.tx(async (tx) => {
    const closed = await closeExpiredInvites(tx, BATCH, skipLocked(platform.database))
    for (const [directoryId, links] of Map.groupBy(closed, (link) => link.directory_id)) {
      const directory = await findDirectory(platform, directoryId)
      if (!directory) continue
      const ids = links.map((link) => link.id)
      const events = (await findInviteRows(tx, directory, ids)).map((row) =>
        inviteEvents.expired({ target: { type: 'invite', id: row.id }, data: toInvite(row) }),
      )
      const work = { platform, directory, origin: systemOrigin(), db: tx }
      await record(work, ...events)
    }
    return closed.length
  })
}

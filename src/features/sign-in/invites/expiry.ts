import { record } from '../../../platform/events/events.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { TxWork } from '../../../platform/work.ts'
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
    await closeExpiredInvites(platform, BATCH, announce)
  },
}

async function announce(work: TxWork, ids: string[]): Promise<void> {
  const events = (await findInviteRows(work.db, work.directory, ids)).map((row) =>
    inviteEvents.expired({ target: { type: 'invite', id: row.id }, data: toInvite(row) }),
  )
  await record(work, ...events)
}

import { record } from '../../../platform/events/events.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { TxWork } from '../../../platform/work.ts'
import { updateInvitationStatus } from '../../directory/users/invited/invited.ts'
import type { HeldUser } from '../../directory/users/users.ts'
import { closeExpiredInvites } from '../links/links.ts'
import { inviteEvents } from './events.ts'
import { toInvite } from './schema.ts'
import { findInviteRows } from './store.ts'

// One transaction locks this many users.
const BATCH = 20

/** Records invitations that expired. An expired invitation is refused even before this job has run. */
export const announceExpiredInvites: JobHandler = {
  name: 'invites.expire',
  cron: '*/5 * * * *',
  async handle(platform) {
    await closeExpiredInvites(platform, BATCH, announce)
  },
}

async function announce(work: TxWork, ids: string[], held: HeldUser[]): Promise<void> {
  const rows = await findInviteRows(work.db, work.directory, ids)
  const events = rows.map((row) =>
    inviteEvents.expired({ target: { type: 'invite', id: row.id }, data: toInvite(row) }),
  )
  await record(work, ...events)
  const userIds = new Set(rows.map(({ user_id }) => user_id))
  for (const user of held) if (userIds.has(user.id)) await updateInvitationStatus(work, user)
}

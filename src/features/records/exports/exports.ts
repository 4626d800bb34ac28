import { record } from '../../../platform/events/events.ts'
import { belongingsOf } from '../../../platform/lifecycle/belongings.ts'
import { showSuppression } from '../../../platform/mail/bounces/bounces.ts'
import { bounceEvents } from '../../../platform/mail/bounces/events.ts'
import { authorize } from '../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { reachUser, toUser, type UserRow } from '../../directory/users/users.ts'
import { newestEventsOf } from '../audit/audit.ts'
import { exportEvents } from './events.ts'
import { selectRecords } from './store.ts'

const NEWEST = 1000
// Each step reads a few thousand events. For most organizations, twenty steps are enough for a year.
const STEPS = 20

/**
 * Exports everything stored about a user in their directory. Secrets are listed, never included. Requires the scope
 * `audit.read`, since it reads the audit log. Throws `user_not_found`, `insufficient_scope`.
 */
export async function exportUser(work: ReachWork & { caller: ManagerCaller }, userId: string, deleted = false) {
  authorize(work.caller, 'audit.read')
  const { user, there } = await reachUser(work, userId, { deleted })
  const { platform, db, directory } = there
  const records: Record<string, Record<string, unknown>[]> = {}
  const truncated: string[] = []
  for (const { table, exports } of belongingsOf(platform)) {
    if ('nothing' in exports) continue
    const found = await selectRecords(db, directory, { table, ...exports }, { userId: user.id, limit: NEWEST })
    records[table] = found.records
    if (found.isCut) truncated.push(table)
  }
  const { events, isWhole } = await eventsOf(there, user, work.caller)
  if (!isWhole) truncated.push('events')
  const data = { user_id: user.auth_account_id, directory_user_id: user.id, truncated }
  await record(there, exportEvents.exported({ target: { type: 'user', id: user.id }, data }))
  // Process clock: only shows people when the export was made.
  const exported_at = platform.clock.now().toISOString()
  return {
    ...{ exported_at, user: toUser(user, directory.organizationId), records, events, truncated },
    email_suppression: await showSuppression({ platform, db, caller: work.caller }, user),
  }
}

const MAILED = [bounceEvents.bounced, bounceEvents.suppressed, bounceEvents.cleared].map(({ type }) => type)

/**
 * The newest events about a user and about mails to their address. A caller that reaches the whole account also gets
 * mail events of the environment, which a caller limited to one organization must not see.
 */
async function eventsOf({ platform, directory }: Work, user: UserRow, { organizationId }: ManagerCaller) {
  const ids = [user.id, ...(user.auth_account_id === null ? [] : [user.auth_account_id])]
  const mailed = { types: MAILED, email: user.email_norm, since: user.created_at, until: user.deleted_at }
  const most = { limit: NEWEST, steps: STEPS }
  const own = await newestEventsOf({ platform, directory }, { ids, mailed }, most)
  if (organizationId !== null || directory.kind === 'account') return own
  const above = await accountDirectory(platform, directory)
  const shared = await newestEventsOf({ platform, directory: above }, { ids: [], mailed }, most)
  const events = [...own.events, ...shared.events].sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
  return { events: events.slice(0, NEWEST), isWhole: own.isWhole && shared.isWhole && events.length <= NEWEST }
}

import type { EndReason } from '../../../platform/lifecycle/end-reasons.ts'
import { type AccountWork, inTx } from '../../../platform/work.ts'
import { revokeOrganizationSessions } from '../../access/sessions/sessions.ts'
import { asNextEpoch } from './store.ts'

/**
 * Ends all sessions and sign-ins in progress of an organization, in all environments. Does nothing if the
 * organization is gone.
 */
export async function endOrganizationSessions(work: AccountWork, id: string, reason: EndReason): Promise<void> {
  await inTx(work, async (work) => {
    const row = await work.db
      .updateTable('organizations')
      .set(asNextEpoch)
      .where('id', '=', id)
      .where('account_id', '=', work.account.accountId)
      .returning('session_epoch')
      .executeTakeFirst()
    if (row) await revokeOrganizationSessions(work, { id, epoch: row.session_epoch }, reason)
  })
}

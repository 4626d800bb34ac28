import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../platform/work.ts'
import { revokeSessions } from '../../access/sessions/sessions.ts'
import { findSessionIds } from './store.ts'

const reasons = defineEndReasons('impersonation_disabled')

/** Ends every session of the directory in which another person acts for a user. */
export async function endImpersonations(work: TxWork): Promise<void> {
  await revokeSessions(work, await findSessionIds(work.db, work.directory), reasons.impersonation_disabled)
}

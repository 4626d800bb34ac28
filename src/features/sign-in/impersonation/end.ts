import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../platform/work.ts'
import { revokeSessions } from '../../access/sessions/sessions.ts'
import { findSessionIds } from './store.ts'

const reasons = defineEndReasons('impersonation_disabled')

/** Ends all impersonation sessions of the directory. */
export async function endImpersonations(work: TxWork): Promise<void> {
  await revokeSessions(work, await findSessionIds(work.db, work.directory), reasons.impersonation_disabled)
}

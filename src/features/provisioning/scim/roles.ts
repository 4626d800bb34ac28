import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'
import { lockConfigRow } from './store.ts'

// Slot: groups import scim, whose configuration decides what they give.
/** Gives everybody the roles that groups give now. */
export const roleSettling = defineSlot<(work: TxWork) => Promise<void>>('the roles that groups give')

/** Another mapping of a connection gives other roles, where provisioning is linked to it. */
export async function followMapping(work: TxWork, connectionId: string): Promise<void> {
  // Changes of members wait for this lock, and then read the new mapping.
  const { sso_connection_id } = await lockConfigRow(work.db, work.directory)
  if (sso_connection_id === connectionId) await roleSettling.of(work.platform)(work)
}

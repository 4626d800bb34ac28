import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'
import { lockConfigRow } from './store.ts'

// Slot: groups import scim, whose configuration decides which roles they give.
/** Gives all users the roles that their groups give now. */
export const roleSettling = defineSlot<(work: TxWork) => Promise<void>>('the roles that groups give')

/** Updates roles after the mapping of a connection changed, if provisioning is linked to it. */
export async function followMapping(work: TxWork, connectionId: string): Promise<void> {
  // Changes of members wait for this lock, and then read the new mapping.
  const { sso_connection_id } = await lockConfigRow(work.db, work.directory)
  if (sso_connection_id === connectionId) await roleSettling.of(work.platform)(work)
}
